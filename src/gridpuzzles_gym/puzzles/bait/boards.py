"""Boards as arrays of symbols, and as rows of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.puzzle import Extent
from ...engine.scene import Row
from .rules import (
    AVATAR,
    BOX_WORTH,
    CELLS,
    DOWN,
    GOAL,
    GOAL_WORTH,
    GOALS,
    GVGAI,
    HOLE,
    KEY,
    LEFT,
    MUSHROOM_WORTH,
    NOTHING,
    PEAS,
    RIGHT,
    SCHEME,
    STRIDE,
    THINGS,
    UP,
    WAIT,
    WALL,
    WORTH,
)

LARGEST = 64
"""The maximum number of squares per side."""
SCHEMES = {"peas": PEAS, "gvgai": GVGAI}
"""The allowed values of ``reward=``."""
LETTERS = "w.kg01%*mAKxX"
"""The letter of each symbol in level text."""
# The code of a symbol: 0 for a wall; FLOOR plus things; or PERSON, plus 1 with the key, plus DEAD.
WALL_SYMBOL, FLOOR, PERSON, DEAD = 0, 1, 9, 2

Symbols = npt.NDArray[np.uint8]
"""The symbol on each square of a board, as an index into LETTERS: uint8[H, W]."""

# For each symbol: the things on its square, and whether it is an avatar with the key.
_THINGS = np.array([NOTHING, *range(8), NOTHING, NOTHING, HOLE, HOLE])
_WITH_KEY = np.isin(list(LETTERS), list("KX"))
# The score for each symbol: boxes (on floor, on a key, on a goal), goals, mushrooms.
_WORTHS = np.array([0, 0, GOAL_WORTH, 0, BOX_WORTH, BOX_WORTH, BOX_WORTH + GOAL_WORTH, MUSHROOM_WORTH])
_NIBBLES = np.arange(0, 16, 4, dtype=np.int16)


def row_lengths(extent: Extent) -> tuple[int, int]:
    """Return the lengths of level and state rows for boards of (height, width)."""
    squares = extent[0] * extent[1]
    return CELLS + squares, THINGS + (squares + 3) // 4


def make_rows(symbols: Symbols, options: Any) -> tuple[Row, Row]:
    """Return the rows (level, state) of a board with one avatar."""
    level, state = (np.zeros(size, np.int16) for size in row_lengths(symbols.shape))
    walls = np.ones((symbols.shape[0] + 2, symbols.shape[1] + 2), bool)
    walls[1:-1, 1:-1] = symbols == WALL_SYMBOL
    sides = {UP: walls[:-2, 1:-1], DOWN: walls[2:, 1:-1], LEFT: walls[1:-1, :-2], RIGHT: walls[1:-1, 2:]}
    cells = walls[1:-1, 1:-1] * WALL + (1 << WAIT) + sum(side << action for action, side in sides.items())
    level[STRIDE], level[SCHEME] = symbols.shape[1], SCHEMES[options.reward]
    level[CELLS:] = cells.ravel()
    things = _THINGS[symbols.ravel()]
    state[AVATAR] = np.flatnonzero(symbols.ravel() >= PERSON)[0]
    state[KEY] = _WITH_KEY[symbols].any()
    state[GOALS], state[WORTH] = np.count_nonzero(things & 3 == GOAL), _WORTHS[things].sum()
    quads = np.zeros((state.size - THINGS, 4), np.int16)
    quads.ravel()[: things.size] = things
    state[THINGS:] = (quads << _NIBBLES).sum(axis=1)
    return level, state


def things_of(level: Row, state: Row) -> npt.NDArray[np.int16]:
    """Return the things on each square, int16[N]."""
    things: npt.NDArray[np.int16] = (state[THINGS:, None] >> _NIBBLES & 7).ravel()[: level.size - CELLS]
    return things


def symbols_of(level: Row, state: Row) -> Symbols:
    """Return the symbols of a board: the inverse of :func:`make_rows`."""
    cells, things = level[CELLS:], things_of(level, state)
    symbols = np.where(cells & WALL, WALL_SYMBOL, FLOOR + things).astype(np.uint8)
    symbols[state[AVATAR]] = PERSON + state[KEY] + DEAD * (things[state[AVATAR]] == HOLE)
    return symbols.reshape(-1, level[STRIDE])
