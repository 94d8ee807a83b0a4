"""What the last action did, read from the boards before and after it."""

from typing import NamedTuple

from ...engine.puzzle import Scene
from .rules import PLAYER, box_on


class Move(NamedTuple):
    """What the last action did."""

    action: int
    moved: bool
    pushed: bool


def last_move(scene: Scene) -> Move | None:
    """What the last action of a scene did; None where that is not known."""
    if scene.action is None or scene.before is None:
        return None
    here = scene.state[PLAYER]
    return Move(scene.action, bool(scene.before[PLAYER] != here), bool(box_on(scene.before, here)))
