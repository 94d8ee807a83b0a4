"""What the last action did, read from the boards before and after it."""

from typing import NamedTuple

from ...engine.puzzle import Scene
from .rules import BLANK, TILES


class Move(NamedTuple):
    """What the last action did."""

    action: int
    tile: int
    """The tile that slid; 0 where the blank could not move."""


def last_move(scene: Scene) -> Move | None:
    """What the last action did, where that is known."""
    if scene.action is None or scene.before is None:
        return None
    return Move(scene.action, int(scene.state[TILES + scene.before[BLANK]]))
