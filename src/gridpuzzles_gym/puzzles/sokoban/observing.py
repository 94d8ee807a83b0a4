"""What is seen of a board, and the board read out of it again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compilation import rule
from ...engine.puzzle import Extent, LevelError, Row
from .boards import make_rows
from .rules import CELLS, GOAL, PLAYER, WALL, box_on

PLANES = ("wall", "floor", "goal", "box", "player")
WALL_PLANE, FLOOR_PLANE, GOAL_PLANE, BOX_PLANE, PLAYER_PLANE = range(5)
# A symbol: 0 a wall, else the sum of these.
FLOOR_SYMBOL, GOAL_SYMBOL, PLAYER_SYMBOL, BOX_SYMBOL = 1, 1, 2, 4
SYMBOLS = "# .@+$*"
"""What each symbol stands for, as level text has it."""


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[5, H*W]; floor is where no wall is."""
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

    Where he stayed, all three are his own square, and no box is there.
    """
    left, entered = before[PLAYER], state[PLAYER]
    beyond = 2 * entered - left
    view[PLAYER_PLANE, left] = 0
    view[PLAYER_PLANE, entered] = 1
    view[BOX_PLANE, entered] = 0
    view[BOX_PLANE, beyond] = box_on(state, beyond)


@rule
def symbol(level, state, square):
    """The symbol of a square, the player's aside."""
    cell = level[CELLS + square]
    if cell & WALL:
        return 0
    return FLOOR_SYMBOL + GOAL_SYMBOL * (cell & GOAL != 0) + BOX_SYMBOL * box_on(state, square)


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: one of SYMBOLS, by number, on each square."""
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
    """The board that ``planes`` show; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (len(PLANES), *extent):
        raise ValueError(f"no planes of {extent[1]}x{extent[0]} squares: their shape is {list(seen.shape)}")
    wall, floor, goal, box, player = seen
    if not ((seen == 0) | (seen == 1)).all() or (wall == floor).any() or (wall & (goal | box | player)).any():
        raise ValueError("no board looks like that: each square is wall or floor, and walls are bare")
    return _decode(wall, goal, box, player, options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """The board that ``symbols`` show; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"no symbols of {extent[1]}x{extent[0]} squares: their shape is {list(seen.shape)}")
    if not ((seen >= 0) & (seen < len(SYMBOLS))).all():
        raise ValueError(f"no board looks like that: symbols are 0 to {len(SYMBOLS) - 1}")
    floor = seen[0] != 0
    bits = np.where(floor, seen[0] - FLOOR_SYMBOL, 0)
    return _decode(~floor, bits & GOAL_SYMBOL, bits & BOX_SYMBOL, bits & PLAYER_SYMBOL, options)


def _decode(wall: Any, goal: Any, box: Any, player: Any, options: Any) -> tuple[Row, Row]:
    if np.count_nonzero(player) != 1 or (np.logical_and(player, box)).any():
        raise ValueError("no board looks like that: one player stands where no box is")
    try:
        return make_rows(wall != 0, goal != 0, box != 0, int(np.flatnonzero(player)[0]), options)
    except LevelError as error:
        raise ValueError(f"no environment shows this: {error}") from None
