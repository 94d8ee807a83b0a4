"""The effect of the last action, derived from the boards before and after it."""

from typing import NamedTuple

from ...engine.scene import Scene
from .rules import BLANK, TILES


class Move(NamedTuple):
    """The effect of an action."""

    action: int
    tile: int
    """The tile that slid; 0 if the blank could not move."""


def last_move(scene: Scene) -> Move | None:
    """Return the effect of a scene's last action; None if it is unknown."""
    if scene.action is None or scene.before is None:
        return None
    return Move(scene.action, int(scene.state[TILES + scene.before[BLANK]]))
