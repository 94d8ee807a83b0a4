"""Validation of the rows of a board."""

from typing import Any

import numpy as np

from ...engine.checking import board_extent, check_encoding, check_number
from ...engine.puzzle import Extent, Row
from .boards import LARGEST, LETTERS, make_rows, sizes, symbols_of
from .rules import AVATAR, CELLS, KEY, STRIDE
from .text import NEEDED

_KEYS = np.isin(list(LETTERS), list(NEEDED["key"] + "X"))
"""bool[symbols]: does a symbol include a key, on the board or in hand (also of an avatar that died with it)?"""


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a board in play, or at the end of an episode.

    Returns:
        The extent of the board.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(level) - CELLS, STRIDE, sizes)
    check_number("the longer side of the board", max(extent), 1, LARGEST)
    check_number("the avatar's square", state[AVATAR], 0, height * width - 1)
    check_number("the number of keys in hand", state[KEY], 0, 1)
    symbols = symbols_of(level, state)
    check_encoding(level, state, make_rows(symbols, options))
    if not _KEYS[symbols].any():
        raise ValueError("there is no key on the board or in hand; the last key cannot disappear")
    return extent
