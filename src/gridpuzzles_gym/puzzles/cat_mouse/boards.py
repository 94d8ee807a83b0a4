"""Mazes as arrays of symbols, and as rows of numbers."""

from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.arguments import is_integer
from ...engine.puzzle import Extent, LevelError
from ...engine.scene import Row
from .rules import BLOCKED, CAT, CATS, CELLS, EXIT, MOST_CATS, MOUSE, STRIDE, WALL, lay_out

LARGEST = 64
"""The maximum number of squares per side."""
LETTERS = "#.EMCcmxX"
"""The letter of each symbol in level text."""
WALL_SYMBOL, FLOOR, EXIT_SYMBOL, MOUSE_SYMBOL, CAT_SYMBOL, CAT_AT_EXIT, HOME, CAUGHT, CAUGHT_AT_EXIT = range(
    len(LETTERS)
)
EXITS, MICE, CATS_THERE = (
    np.isin(np.arange(len(LETTERS)), kinds)
    for kinds in (
        (EXIT_SYMBOL, CAT_AT_EXIT, HOME, CAUGHT_AT_EXIT),
        (MOUSE_SYMBOL, HOME, CAUGHT, CAUGHT_AT_EXIT),
        (CAT_SYMBOL, CAT_AT_EXIT, CAUGHT, CAUGHT_AT_EXIT),
    )
)
"""bool[symbols]: does a symbol contain an exit, a mouse or a cat? ``EXITS[symbols]`` is true on the exit's square."""

Symbols = npt.NDArray[np.uint8]
"""The symbol on each square of a maze, as an index into LETTERS: uint8[H, W]."""


def row_lengths(extent: Extent) -> tuple[int, int]:
    """Return the lengths of level and state rows for mazes of (height, width)."""
    return CELLS + extent[0] * extent[1], CAT + MOST_CATS


def make_rows(symbols: Symbols, blocked: bool) -> tuple[Row, Row]:
    """Return the rows (level, state) of a maze with one exit, one mouse and at most ``MOST_CATS`` cats."""
    level = _level_with_walls((symbols == WALL_SYMBOL).tobytes(), symbols.shape[1]).copy()
    state = np.full(row_lengths(symbols.shape)[1], -1, np.int16)
    cats = np.flatnonzero(CATS_THERE[symbols])
    level[BLOCKED], level[CATS] = blocked, len(cats)
    level[EXIT] = np.flatnonzero(EXITS[symbols])[0]
    state[MOUSE] = np.flatnonzero(MICE[symbols])[0]
    state[CAT : CAT + len(cats)] = cats
    return level, state


@lru_cache(maxsize=256)
def _level_with_walls(walls: bytes, width: int) -> Row:
    """Return the level row of a maze with only the entries that depend on its walls; cached, because mazes repeat."""
    level = np.zeros(CELLS + len(walls), np.int16)
    level[CELLS:] = np.frombuffer(walls, bool) * WALL
    lay_out(level, width)
    return level


def symbols_of(level: Row, state: Row) -> Symbols:
    """Return the symbols of a maze: the inverse of :func:`make_rows`."""
    symbols = np.where(level[CELLS:] & WALL, WALL_SYMBOL, FLOOR).astype(np.uint8)
    exit, mouse, cats = int(level[EXIT]), int(state[MOUSE]), state[CAT : CAT + level[CATS]]
    symbols[exit] = EXIT_SYMBOL
    symbols[cats] = CAT_SYMBOL
    if exit in cats:
        symbols[exit] = CAT_AT_EXIT
    caught = mouse in cats
    if mouse == exit:
        symbols[mouse] = CAUGHT_AT_EXIT if caught else HOME
    else:
        symbols[mouse] = CAUGHT if caught else MOUSE_SYMBOL
    return symbols.reshape(-1, level[STRIDE])


def steps_from(symbols: Symbols, starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the distance in steps of each square from the nearest start, int64[H, W]; -1 if it is unreachable."""
    steps = np.where(starts, 0, -1)
    waiting = deque(zip(*np.nonzero(starts), strict=True))
    while waiting:
        row, column = waiting.popleft()
        for there in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            inside = 0 <= there[0] < symbols.shape[0] and 0 <= there[1] < symbols.shape[1]
            if inside and steps[there] < 0 and symbols[there] != WALL_SYMBOL:
                steps[there] = steps[row, column] + 1
                waiting.append(there)
    return steps


def with_cats(symbols: Symbols, count: int, name: str) -> Symbols:
    """Return the maze with that many cats.

    The first ones, row by row, remain. Missing ones are added one by one on the square that is farthest from the mouse
    and all cats.

    Raises:
        LevelError: There are not enough squares for them.
    """
    symbols = symbols.copy()
    for row, column in np.argwhere(CATS_THERE[symbols])[count:]:
        symbols[row, column] = EXIT_SYMBOL if symbols[row, column] == CAT_AT_EXIT else FLOOR
    while (have := np.count_nonzero(CATS_THERE[symbols])) < count:
        steps = np.where(symbols == FLOOR, steps_from(symbols, (MICE | CATS_THERE)[symbols]), 0)
        if not (steps > 0).any():
            raise LevelError(f"cats={count}: the maximum in level {name or 'given'} is {have}")
        symbols[np.unravel_index(steps.argmax(), steps.shape)] = CAT_SYMBOL
    return symbols


def check_board(symbols: Symbols) -> str:
    """Return what is wrong with an observed maze; empty if nothing is."""
    for name, kinds in (("exit", EXITS), ("mouse", MICE)):
        if np.count_nonzero(kinds[symbols]) != 1:
            return f"there must be one {name}"
    few = np.count_nonzero(CATS_THERE[symbols]) <= MOST_CATS
    return "" if few else f"there must be at most {MOST_CATS} cats"


def rooms(shape: Extent) -> tuple[int, int]:
    """Return the numbers of rows and columns of rooms in a random maze of (height, width)."""
    return (shape[0] - 1) // 2, (shape[1] - 1) // 2


def is_side(value: Any) -> bool:
    """Whether a random maze can have that height or width."""
    return is_integer(value, 5, LARGEST - 1) and value % 2 == 1
