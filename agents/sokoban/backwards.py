"""A level read backwards: boxes start on the goals, and are pulled to the squares where they stood.

What is hard to pack is easy to unpack, so a search in this direction solves many levels that are hard forwards. Boards
in both directions number the squares alike, so that positions can be compared.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numba import int16, int32, types

from gridpuzzles_gym.engine.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel

from .board import BOARD, FAR, NOWHERE, SIDES, Board, label_sides


@rule
def push_from(beside, side, start, column, distance, steps, queue):
    """Fill ``distance[:, column]``: the fewest pushes from one square to every other, without other boxes.

    A position is the box's square and the side of it where the player is.
    """
    for k in range(steps.shape[0]):
        steps[k] = FAR
    head = tail = 0
    for action in range(SIDES):
        if side[start, action] == action:
            steps[start * SIDES + action] = 0
            queue[tail] = start * SIDES + action
            tail += 1
    distance[start, column] = 0
    while head < tail:
        position = queue[head]
        head += 1
        box, label = position // SIDES, position % SIDES
        for action in range(SIDES):
            there = beside[box, action]
            if there == NOWHERE or side[box, action ^ 1] != label:
                continue
            after = there * SIDES + side[there, action ^ 1]
            if steps[after] == FAR:
                steps[after] = steps[position] + 1
                distance[there, column] = min(distance[there, column], steps[after])
                queue[tail] = after
                tail += 1


def make_reversing() -> Callable[..., tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]]:
    """``reversing(board, boxes) -> (distance, goal_at)``, as in a :class:`~.board.Board` with goals at the boxes."""

    def reversing(board, boxes):
        board, boxes = borrowed(board), borrowed(boxes)
        beside = board.beside
        squares, count = beside.shape[0], boxes.shape[0]
        side = np.empty((squares, SIDES), np.int8)
        steps, queue = np.empty(squares * SIDES, np.int32), np.empty(squares * SIDES, np.int32)
        label_sides(beside, side, steps, queue)
        distance, goal_at = np.full((squares, count), FAR, np.int32), np.full(squares, NOWHERE, np.int16)
        for k in range(count):
            push_from(beside, side, boxes[k], k, distance, steps, queue)
            goal_at[boxes[k]] = k
        return distance, goal_at

    signature = types.Tuple((types.Array(int32, 2, "C"), int16[::1]))(BOARD, int16[::1])
    return compiled(reversing, "sokoban-reversing", signature)


def reversed_board(board: Board, boxes: npt.NDArray[np.int16]) -> Board:
    """The board on which the boxes are pulled from the goals of ``board`` to the squares ``boxes`` (int16[k])."""
    distance, goal_at = kernel(make_reversing)(board, boxes)
    return board._replace(distance=distance, goal_at=goal_at, goals=boxes.copy(), pushed=0)
