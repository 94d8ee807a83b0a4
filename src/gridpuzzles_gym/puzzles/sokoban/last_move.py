"""The effect of the last action, derived from the boards before and after it."""

from typing import NamedTuple

from ...engine.scene import Scene
from .rules import PLAYER, box_on


class Move(NamedTuple):
    """The effect of an action."""

    action: int
    moved: bool
    pushed: bool


def last_move(scene: Scene) -> Move | None:
    """Return the effect of a scene's last action; None if it is unknown."""
    if scene.action is None or scene.before is None:
        return None
    here = scene.state[PLAYER]
    return Move(scene.action, bool(scene.before[PLAYER] != here), bool(box_on(scene.before, here)))
