"""Pairs of squares, found once for a level: a box that stayed on the first would take a goal from one on the second."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numba import types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled
from gridpuzzles_gym.engine.kernels import kernel

from .board import BOARD, Board
from .deadlocks.freezing import spread

MOST_STEPS = 10_000_000
"""Boards with more goals × squares² than this have no hotspots: finding them would take too long."""
Hotspots = npt.NDArray[np.uint8]
"""uint8[n, n]: 1 for such a pair, neither of them a goal; uint8[0, 0] on large boards."""
HOTSPOTS = types.Array(uint8, 2, "C")


def make_marking() -> Callable[..., None]:
    """``marking(board, hotspots)``: fill hotspots, which are zero."""

    def marking(board, hotspots):
        board, hotspots = borrowed(board), borrowed(hotspots)
        squares = board.neighbours.shape[0]
        wall, queue = np.zeros(squares, np.uint8), np.empty(squares, np.int16)
        reached, past = np.empty(squares, np.int16), np.empty(squares, np.int16)
        for number in range(board.goals.shape[0]):
            goal = board.goals[number : number + 1]
            spread(board, wall, goal, not board.pushed, reached, queue)
            for first in range(board.live):
                if board.goal_at[first] >= 0:
                    continue
                wall[first] = 1
                spread(board, wall, goal, not board.pushed, past, queue)
                wall[first] = 0
                for second in range(board.live):
                    if second != first and board.goal_at[second] < 0 and reached[second] and not past[second]:
                        hotspots[first, second] = 1

    return compiled(marking, "sokoban-hotspots", types.void(BOARD, HOTSPOTS))


def find_hotspots(board: Board) -> Hotspots:
    """Return the hotspots of a board."""
    hotspots = np.zeros((len(board.neighbours) if has_hotspots(board) else 0,) * 2, np.uint8)
    if len(hotspots):
        kernel(make_marking)(board, hotspots)
    return hotspots


def has_hotspots(board: Board) -> bool:
    """Whether a board is small enough."""
    return len(board.goals) * len(board.neighbours) ** 2 <= MOST_STEPS


def hotspots_bytes(board: Board) -> int:
    """Return the size of the hotspots of a board in bytes, temporary arrays included."""
    squares = len(board.neighbours)
    return (squares + 1 + 3 * 2) * squares if has_hotspots(board) else 0
