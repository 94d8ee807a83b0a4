"""The observations of a board, and their decoding."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import rule
from ...engine.puzzle import Extent, LevelError
from ...engine.scene import Row
from .boards import make_rows
from .rules import CELLS, GOAL, PLAYER, WALL, box_on

PLANES = ("wall", "floor", "goal", "box", "player")
WALL_PLANE, FLOOR_PLANE, GOAL_PLANE, BOX_PLANE, PLAYER_PLANE = range(5)
# The code of a symbol: 0 for a wall, otherwise a sum of these.
FLOOR_SYMBOL, GOAL_SYMBOL, PLAYER_SYMBOL, BOX_SYMBOL = 1, 1, 2, 4
SYMBOLS = "# .@+$*"
"""The meaning of each symbol, as a letter of level text."""


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[5, H*W]; floor is the complement of wall."""
    for square in range(view.shape[1]):
        cell = level[CELLS + square]
        view[WALL_PLANE, square] = cell & WALL
        view[FLOOR_PLANE, square] = (cell & WALL) ^ WALL
        view[GOAL_PLANE, square] = (cell & GOAL) // GOAL
        view[BOX_PLANE, square] = box_on(state, square)
        view[PLAYER_PLANE, square] = 0
    view[PLAYER_PLANE, state[PLAYER]] = 1


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed: the player's two squares, and the box that may be ahead of him.

    If he stayed, all three are his own square, which has no box.
    """
    left, entered = before[PLAYER], state[PLAYER]
    beyond = 2 * entered - left
    view[PLAYER_PLANE, left] = 0
    view[PLAYER_PLANE, entered] = 1
    view[BOX_PLANE, entered] = 0
    view[BOX_PLANE, beyond] = box_on(state, beyond)


@rule
def symbol(level, state, square):
    """Return the symbol of a square, ignoring the player."""
    cell = level[CELLS + square]
    if cell & WALL:
        return 0
    return FLOOR_SYMBOL + GOAL_SYMBOL * (cell & GOAL != 0) + BOX_SYMBOL * box_on(state, square)


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: the index into SYMBOLS of each square's symbol."""
    for square in range(view.shape[1]):
        view[0, square] = symbol(level, state, square)
    view[0, state[PLAYER]] += PLAYER_SYMBOL


@rule
def refresh_symbols(level, before, state, view):
    """Write what one step changed, as `refresh_planes` does."""
    left, entered = before[PLAYER], state[PLAYER]
    beyond = 2 * entered - left
    view[0, left] = symbol(level, state, left)
    view[0, beyond] = symbol(level, state, beyond)
    view[0, entered] = symbol(level, state, entered) + PLAYER_SYMBOL


def decode_planes(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``planes``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (len(PLANES), *extent):
        raise ValueError(f"planes of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    wall, floor, goal, box, player = seen
    if not ((seen == 0) | (seen == 1)).all() or (wall == floor).any() or (wall & (goal | box | player)).any():
        raise ValueError("not an observation of a board: each square must be wall or floor, and walls must be empty")
    return _decode(wall, goal, box, player, options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``symbols``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"symbols of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    if not ((seen >= 0) & (seen < len(SYMBOLS))).all():
        raise ValueError(f"not an observation of a board: symbols must be from 0 to {len(SYMBOLS) - 1}")
    floor = seen[0] != 0
    bits = np.where(floor, seen[0] - FLOOR_SYMBOL, 0)
    return _decode(~floor, bits & GOAL_SYMBOL, bits & BOX_SYMBOL, bits & PLAYER_SYMBOL, options)


def _decode(wall: Any, goal: Any, box: Any, player: Any, options: Any) -> tuple[Row, Row]:
    if np.count_nonzero(player) != 1 or (np.logical_and(player, box)).any():
        raise ValueError("not an observation of a board: there must be one player, not on a box")
    try:
        return make_rows(wall != 0, goal != 0, box != 0, int(np.flatnonzero(player)[0]), options)
    except LevelError as error:
        raise ValueError(f"not an observation of a valid board: {error}") from None
