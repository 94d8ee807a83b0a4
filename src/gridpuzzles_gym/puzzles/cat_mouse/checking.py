"""Validation of the rows of a maze."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.board.checking import board_extent, check_encoding, check_number, reachable, same
from ...engine.compile.compilation import routine
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import CATS_THERE, LARGEST, MICE, WALL_SYMBOL, make_rows, row_lengths, symbols_of
from .rules import BLOCKED, CAT, CATS, CELLS, EXIT, MOST_CATS, MOUSE, STRIDE, WALL, lay_out, neighbour

# settings int64[4]: what `is_level` reads. SET_CATS is -1 for any number.
SET_HEIGHT, SET_WIDTH, SET_BLOCKED, SET_CATS = range(4)


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a maze in play, or at the end of an episode.

    Returns:
        The extent of the maze.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(level) - CELLS, STRIDE, row_lengths)
    last = height * width - 1
    check_number("the longer side of the maze", max(extent), 1, LARGEST)
    exit = check_number("the square of the exit", level[EXIT], 0, last)
    mouse = check_number("the square of the mouse", state[MOUSE], 0, last)
    cats = check_number("the number of cats", level[CATS], 0, MOST_CATS)
    for cat in state[CAT : CAT + cats].tolist():
        check_number("the square of a cat", cat, 0, last)
    symbols = symbols_of(level, state)
    check_encoding(level, state, make_rows(symbols, options.cat_blocked))
    if options.cats not in (None, cats):
        raise ValueError(f"the number of cats is {cats}; with these options it must be {options.cats}")
    if options.cat_blocked and (CATS_THERE & MICE)[symbols].any():
        raise ValueError("a cat is on the mouse's square; with cat_blocked=True this is impossible")
    if not reachable(symbols != WALL_SYMBOL, mouse).ravel()[exit]:
        raise ValueError("the mouse cannot reach the exit: walls separate them")
    return extent


def settings(options: Any, extent: Extent) -> npt.NDArray[np.int64]:
    """Return the numbers that :func:`is_level` reads."""
    height, width = extent
    check_number("the longer side of the maze", max(extent), 1, LARGEST)
    return np.array([height, width, options.cat_blocked, -1 if options.cats is None else options.cats], np.int64)


@routine
def is_level(settings, level, state, own_level, own_state):
    """Whether rows are those of a maze; see :class:`~gridpuzzles_gym.engine.puzzle.RowCheck`.

    Everything but the walls, the exit, the mouse and the cats is derived from them again, and compared.
    """
    squares, exit, mouse, cats = level.shape[0] - CELLS, level[EXIT], state[MOUSE], level[CATS]
    if not (0 <= exit < squares and 0 <= mouse < squares and 0 <= cats <= MOST_CATS) or exit == mouse:
        return False
    own_level[:], own_state[:] = 0, -1
    own_level[EXIT], own_level[CATS], own_level[BLOCKED] = exit, cats, settings[SET_BLOCKED]
    own_state[MOUSE] = mouse
    for square in range(squares):
        own_level[CELLS + square] = level[CELLS + square] & WALL
    last = -1
    for cat in range(cats):
        square = state[CAT + cat]
        if not last < square < squares or square == mouse or own_level[CELLS + square]:
            return False
        own_state[CAT + cat] = last = square
    if own_level[CELLS + exit] or own_level[CELLS + mouse] or (settings[SET_CATS] >= 0 and settings[SET_CATS] != cats):
        return False
    lay_out(own_level, settings[SET_WIDTH])
    return same(level, own_level) and same(state, own_state) and reaches(own_level, mouse, exit)


@routine
def reaches(level, mouse, exit):
    """Whether no walls separate the mouse from the exit."""
    queue, seen = np.empty(level.shape[0], np.int16), np.zeros(level.shape[0], np.uint8)
    queue[0] = mouse
    seen[mouse] = 1
    first, count = 0, 1
    while first < count:
        here = queue[first]
        for side in range(4):
            if (level[CELLS + here] >> side) & 1:
                there = neighbour(level, here, side)
                if not seen[there]:
                    seen[there] = 1
                    queue[count] = there
                    count += 1
        first += 1
    return seen[exit] == 1
