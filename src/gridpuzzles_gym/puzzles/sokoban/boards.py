"""Boards as text, as arrays of booleans, and as rows of numbers."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from ...engine.compilation import compiled
from ...engine.puzzle import Extent, Row
from .rules import BOXES, BOXOBAN, CELLS, GOAL, PEAS, PLAYER, SCHEME, STRIDE, WALL, WATCH, finish, stuck

LARGEST = 64
"""Squares a side."""
SCHEMES = {"peas": PEAS, "boxoban": BOXOBAN}
"""What ``reward=`` allows."""
WALL_SYMBOLS, GOAL_SYMBOLS, BOX_SYMBOLS, PLAYER_SYMBOLS = "#", ".+*", "$*", "@+"
"""Which symbols of plain XSB say that something is there."""
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
    _finisher()(level, state)
    return level, state


def encode_rows(rows: Sequence[str], extent: Extent, options: Any) -> tuple[Row, Row]:
    """The rows (level, state) of a board in plain XSB, with walls around it up to ``extent``."""
    height, width = extent
    text = "".join([row.ljust(width, "#") for row in rows]).ljust(height * width, "#")
    symbols = np.frombuffer(text.encode("ascii"), np.uint8)
    walls, goals, boxes, player = _meanings()[:, symbols].reshape(4, height, width)
    return make_rows(walls, goals, boxes, int(player.argmax()), options)


@functools.cache
def _meanings() -> Squares:
    """For walls, goals, boxes and the player, which symbols say so: bool[4, 128]."""
    table = np.zeros((4, 128), bool)
    for meaning, symbols in zip(table, (WALL_SYMBOLS, GOAL_SYMBOLS, BOX_SYMBOLS, PLAYER_SYMBOLS), strict=True):
        meaning[[ord(symbol) for symbol in symbols]] = True
    return table


def grid(level: Row, state: Row) -> list[str]:
    """The rows of a board in plain XSB: the inverse of :func:`encode_rows`."""
    walls, goals, boxes = squares_of(level, state)
    player = np.zeros(walls.shape, bool)
    player.ravel()[state[PLAYER]] = True
    symbols = np.array(list(" .$*@+"))[goals + 2 * boxes + 4 * player]
    symbols[walls] = "#"
    return ["".join(row) for row in symbols]


def is_stuck(level: Row, state: Row) -> bool:
    """Is it plain that this cannot be solved? :func:`rules.stuck`, compiled; what follows from a board is derived."""
    return _finisher()(level, state) != 0


@functools.cache
def _finisher() -> Callable[[Row, Row], int]:
    """The rules ``finish`` and ``stuck``, compiled: interpreted, they would take most of the time of loading levels."""

    def finish_and_look(level: Row, state: Row) -> int:
        finish(level, state)
        return int(stuck(level, state))

    rows = numba.int16[::1]
    return compiled(finish_and_look, "sokoban-finish", numba.int64(rows, rows))


def squares_of(level: Row, state: Row) -> tuple[Squares, Squares, Squares]:
    """Where walls, goals and boxes are, each bool[H, W]: the inverse of :func:`make_rows`."""
    cells = level[CELLS:].reshape(-1, level[STRIDE])
    boxes = np.unpackbits(state[BOXES:].astype(np.uint8), count=cells.size, bitorder="little")
    return cells & WALL != 0, cells & GOAL != 0, boxes.reshape(cells.shape) != 0
