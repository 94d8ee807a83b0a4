"""What the mouse does on a puzzle's board: declared by each puzzle, used by every window.

A gesture is a click on a square, or a drag from one square to another. The functions of a :class:`Gestures` return the
actions that it means, and know nothing about windows or pixels; the puzzle's
:class:`~gridpuzzles_gym.engine.pictures.drawing.BoardAndPanel` finds the square at a pixel.
"""

import dataclasses
from collections.abc import Callable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.int16]
"""As in :mod:`.puzzle`, which imports this module."""
Square = tuple[int, int]
"""(row, column) of a square, counted from the top left."""
Actions = tuple[int, ...]

DIRECTION_KEYS: Mapping[str, int] = {"up": 0, "down": 1, "left": 2, "right": 3, "w": 0, "s": 1, "a": 2, "d": 3}
"""The keys (pygame's names) of the actions up, down, left and right, for puzzles whose first four actions these are."""
TURNED_KEYS: Mapping[str, int] = {key: action ^ 1 for key, action in DIRECTION_KEYS.items()}
"""The same with each action on the key of its opposite."""


def no_drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return no actions: the default for puzzles in which nothing is dragged."""
    return ()


@dataclasses.dataclass(frozen=True)
class Gestures:
    """The gestures of one puzzle; its functions do not change the rows they are given.

    All actions that they return are legal, one after the other. A sequence ends when the episode does, and before
    anything that the player did not intend or could not foresee.
    """

    click: Callable[[Row, Row, Any, Square], Actions]
    """``click(level, state, options, square)``: the actions of a click on a square; empty if it has no effect."""
    reachable: Callable[[Row, Row, Any, Square | None], Set[Square]]
    """``reachable(level, state, options, grabbed)``: the squares on which a click has an effect if ``grabbed`` is None,
    otherwise those to which the thing on the square ``grabbed`` can be dragged, for highlighting them."""
    actor: Callable[[Row, Row], Square]
    """``actor(level, state)``: the square of what the player moves; pictures of plans start there."""
    click_words: str
    """What a click does, in words."""
    drag: Callable[[Row, Row, Any, Square, Square], Actions] = no_drag
    """``drag(level, state, options, start, end)``: the actions of a drag; empty if it has no effect."""
    drag_words: str = ""
    """What a drag does, in words; empty if nothing can be dragged."""
    marks: tuple[str, ...] = ()
    """The marks that a player can put on a square on a page; empty if the puzzle hides nothing."""


@dataclasses.dataclass(frozen=True)
class Hidden:
    """What the player of a puzzle does not see; the options only change pictures."""

    playing: Mapping[str, Any]
    """Options with which pictures show what the player knows."""
    revealed: Mapping[str, Any]
    """Options with which pictures show everything, for the end of an episode."""
    known: Callable[[Row, Row], npt.NDArray[np.bool_]]
    """``known(level, state)``: the squares that the player knows, bool[H, W]."""
