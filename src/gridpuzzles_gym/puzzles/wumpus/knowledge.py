"""Which squares of a cave the agent knows."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np
import numpy.typing as npt

from ...engine.board.ways import beside
from ...engine.compile.compilation import rule
from ...engine.scene import Row
from .rules import CELLS, HEIGHT, SEEN, WALL, WIDTH


@rule
def knows(level, state, square):
    """Whether the agent knows a square: it has visited it, or it is rock next to one that it has visited."""
    if state[SEEN + square]:
        return True
    if level[CELLS + square] & WALL:
        for side in range(4):
            there = beside(square, side, level[WIDTH], level.shape[0] - CELLS)
            if there >= 0 and state[SEEN + there]:
                return True
    return False


def known_squares(level: Row, state: Row) -> npt.NDArray[np.bool_]:
    """Return the squares that the agent knows, bool[H, W]."""
    squares = range(level.size - CELLS)
    return np.array([knows(level, state, square) for square in squares]).reshape(level[HEIGHT], level[WIDTH])
