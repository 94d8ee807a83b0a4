"""What makes the rows of a board invalid, and why."""

from typing import Any

import numpy as np

from ...engine.puzzle import Extent, Row
from ...engine.rows import board_extent, check_encoding, check_number
from .boards import LARGEST, LETTERS, make_rows, sizes, symbols_of
from .rules import AVATAR, CELLS, KEY, STRIDE
from .text import NEEDED

_KEYS = np.isin(list(LETTERS), list(NEEDED["key"] + "X"))
"""Which symbols have a key, on the board or in hand; that of an avatar who died with it too."""


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """See that rows are those of a board in play, won and lost ones included.

    Returns:
        The extent of the board.

    Raises:
        ValueError: What is wrong.
    """
    height, width = extent = board_extent(level, state, len(level) - CELLS, STRIDE, sizes)
    check_number("the longer side of the board", max(extent), 1, LARGEST)
    check_number("the avatar's square", state[AVATAR], 0, height * width - 1)
    check_number("the number of keys in hand", state[KEY], 0, 1)
    symbols = symbols_of(level, state)
    check_encoding(level, state, make_rows(symbols, options))
    if not _KEYS[symbols].any():
        raise ValueError("no key is on the board, and none in hand: no play removes the last one")
    return extent
