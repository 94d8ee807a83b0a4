"""Boards as arrays of booleans, and as rows of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.puzzle import Extent, Row
from .rules import BOXES, BOXOBAN, CELLS, GOAL, PEAS, PLAYER, SCHEME, STRIDE, WALL, WATCH, finish

LARGEST = 64
"""Squares a side."""
SCHEMES = {"peas": PEAS, "boxoban": BOXOBAN}
"""What ``reward=`` allows."""
Squares = npt.NDArray[np.bool_]
"""True on some squares of a board, bool[H, W]."""


def sizes(extent: Extent) -> tuple[int, int]:
    """The lengths of level and state rows for boards of (height, width)."""
    squares = extent[0] * extent[1]
    return CELLS + squares, BOXES + (squares + 7) // 8


def make_rows(walls: Squares, goals: Squares, boxes: Squares, player: int, options: Any) -> tuple[Row, Row]:
    """The rows (level, state) of a board.

    Args:
        walls: Where walls are, bool[H, W].
        goals: Where goals are.
        boxes: Where boxes are.
        player: The square he stands on, ``row * W + column``.
        options: The environment's.
    """
    level, state = (np.zeros(size, np.int16) for size in sizes(walls.shape))
    level[STRIDE], level[SCHEME], level[WATCH] = walls.shape[1], SCHEMES[options.reward], options.deadlocks
    level[CELLS:] = (walls * WALL + goals * GOAL).ravel()
    state[BOXES:] = np.packbits(boxes.ravel(), bitorder="little")
    state[PLAYER] = player
    finish(level, state)
    return level, state


def squares_of(level: Row, state: Row) -> tuple[Squares, Squares, Squares]:
    """Where walls, goals and boxes are, each bool[H, W]: the inverse of :func:`make_rows`."""
    cells = level[CELLS:].reshape(-1, level[STRIDE])
    boxes = np.unpackbits(state[BOXES:].astype(np.uint8), count=cells.size, bitorder="little")
    return cells & WALL != 0, cells & GOAL != 0, boxes.reshape(cells.shape) != 0
