"""Validation of the rows of a board."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.board.checking import board_extent, check_encoding, check_number, same
from ...engine.compile.compilation import routine
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import LARGEST, LETTERS, SCHEMES, make_rows, row_lengths, symbols_of
from .rules import (
    AVATAR,
    BOX,
    BOX_WORTH,
    CELLS,
    DOWN,
    GOAL,
    GOAL_WORTH,
    GOALS,
    KEY,
    KEY_HERE,
    LEFT,
    MUSHROOM,
    MUSHROOM_WORTH,
    RIGHT,
    SCHEME,
    STRIDE,
    UP,
    WAIT,
    WALL,
    WORTH,
    flip,
    thing_on,
)
from .text import NEEDED

# settings int64[3]: what `is_level` reads.
SET_HEIGHT, SET_WIDTH, SET_SCHEME = range(3)

_KEYS = np.isin(list(LETTERS), list(NEEDED["key"] + "X"))
"""bool[symbols]: whether a symbol includes a key, on the board or in hand, even of an avatar that died with it."""


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a board in play, or at the end of an episode.

    Returns:
        The extent of the board.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(level) - CELLS, STRIDE, row_lengths)
    check_number("the longer side of the board", max(extent), 1, LARGEST)
    check_number("the avatar's square", state[AVATAR], 0, height * width - 1)
    check_number("the number of keys in hand", state[KEY], 0, 1)
    symbols = symbols_of(level, state)
    check_encoding(level, state, make_rows(symbols, options))
    if not _KEYS[symbols].any():
        raise ValueError("there is no key on the board or in hand; the last key cannot disappear")
    return extent


def settings(options: Any, extent: Extent) -> npt.NDArray[np.int64]:
    """Return the numbers that :func:`is_level` reads."""
    height, width = extent
    check_number("the longer side of the board", max(extent), 1, LARGEST)
    return np.array([height, width, SCHEMES[options.reward]], np.int64)


@routine
def is_level(settings, level, state, own_level, own_state):
    """Whether rows are those of a level; see :class:`~gridpuzzles_gym.engine.puzzle.RowCheck`.

    Everything but the walls, the things, the avatar and its key is derived from them again, and compared.
    """
    squares, avatar, keys = level.shape[0] - CELLS, state[AVATAR], state[KEY]
    if not (0 <= avatar < squares and 0 <= keys <= 1) or level[CELLS + avatar] & WALL or thing_on(state, avatar):
        return False
    own_level[:] = own_state[:] = 0
    own_level[STRIDE], own_level[SCHEME] = settings[SET_WIDTH], settings[SET_SCHEME]
    own_state[AVATAR], own_state[KEY] = avatar, keys
    height, width = settings[SET_HEIGHT], settings[SET_WIDTH]
    for square in range(squares):
        row, column, thing = square // width, square % width, thing_on(state, square)
        wall = level[CELLS + square] & WALL
        if wall and thing:
            return False
        up = row == 0 or level[CELLS + square - width] & WALL != 0
        down = row == height - 1 or level[CELLS + square + width] & WALL != 0
        left = column == 0 or level[CELLS + square - 1] & WALL != 0
        right = column == width - 1 or level[CELLS + square + 1] & WALL != 0
        own_level[CELLS + square] = wall | up << UP | down << DOWN | left << LEFT | right << RIGHT | 1 << WAIT
        flip(own_state, square, thing)
        if thing == MUSHROOM:
            own_state[WORTH] += MUSHROOM_WORTH
            continue
        if thing & BOX:
            own_state[WORTH] += BOX_WORTH
        if thing & ~BOX == GOAL:
            own_state[GOALS] += 1
            own_state[WORTH] += GOAL_WORTH
        keys += thing & ~BOX == KEY_HERE
    return own_state[GOALS] > 0 and keys > 0 and same(level, own_level) and same(state, own_state)
