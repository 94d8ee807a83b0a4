"""Facts about pairs of squares, found once for a level."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine

from .board import BOARD, FAR, SIDES, Board, label_sides, move_from
from .deadlocks.freezing import spread

MOST_STEPS = 10_000_000
"""Boards with more goals × squares² than this have no relations: finding them would take too long."""


class Relations(NamedTuple):
    """Relations of a first square and a second, both live; empty on large boards."""

    blocks: npt.NDArray[np.uint8]
    """uint8[n, n]: 1 if a box that stays on the first square takes a goal from one on the second; neither is a goal."""
    leads: npt.NDArray[np.uint8]
    """uint8[n, n]: 1 if a box, alone on the board, can be brought from the first square to the second."""


RELATIONS = types.NamedUniTuple(types.Array(uint8, 2, "C"), 2, Relations)


def no_relations() -> Relations:
    """Return empty relations."""
    return Relations(np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint8))


def has_relations(board: Board) -> bool:
    """Whether the relations of a board are found."""
    return len(board.goals) * len(board.neighbours) ** 2 <= MOST_STEPS


def relations_bytes(board: Board) -> int:
    """Return the size of the relations of a board in bytes, temporary arrays included."""
    squares = len(board.neighbours)
    return (2 * squares + 4 + SIDES + 2 * 4 * SIDES + 1 + 2 * 2) * squares if has_relations(board) else 0


@routine
def mark_blocks(board, blocks):
    """Fill ``blocks``."""
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
                    blocks[first, second] = 1


@routine
def mark_leads(board, leads):
    """Fill ``leads``."""
    squares = board.neighbours.shape[0]
    side, distance = np.empty((squares, SIDES), np.int8), np.empty((squares, 1), np.int32)
    steps, queue = np.empty(squares * SIDES, np.int32), np.empty(squares * SIDES, np.int32)
    label_sides(board.neighbours, side, steps, queue)
    for second in range(board.live):
        distance[:] = FAR
        move_from(board.neighbours, side, second, 1 - board.pushed, 0, distance, steps, queue)
        for first in range(board.live):
            leads[first, second] = distance[first, 0] < FAR


def make_finding() -> Callable[..., None]:
    """``finding(board, relations)``: fill relations, which are zero."""

    def finding(board, relations):
        board, relations = borrowed(board), borrowed(relations)
        mark_blocks(board, relations.blocks)
        mark_leads(board, relations.leads)

    return compiled(finding, "sokoban-relations", types.void(BOARD, RELATIONS))
