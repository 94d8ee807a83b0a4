"""The order in which goals are best filled, found by searching backwards.

From the solved board boxes are pulled off the goals, one after the other, each to the start of some box; the
nearest pair first, since what is left then blocks least. The reverse is the packing order: filling goals in
this order never blocks a later one.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.kernels import kernel

from .areas import FIELDS, divide, piece_of
from .board import BOARD, FAR, SIDES, Board

ANY, SAFE, IN_ORDER, LEFT = range(4)
"""Which filled goals count as packed: all; those whose boxes alone block no empty goal; or those that follow no empty
goal in the packing order. LEFT: the squares that boxes have left are counted, not goals."""

MOST_WALKS = 200_000_000
"""Boards with more squares × goals² than this are planned without checking the player's reach."""


class Plan(NamedTuple):
    """The packing order of the goals, and the squares that it blocks; n squares, k goals."""

    order: npt.NDArray[np.int16]
    """int16[k]: goal indices in the order of filling."""
    way: npt.NDArray[np.int32]
    """int32[k, n]: pushes from a square to the next goal, once the p goals before it are filled, FAR if
    there is no path."""
    blocked: npt.NDArray[np.uint8]
    """uint8[k + 1, n]: 1 if a box on a square can reach none of the remaining goals, once p are filled."""
    before: npt.NDArray[np.uint8]
    """uint8[k, k]: 1 if the first goal counts as packed only when the second is filled."""
    start: npt.NDArray[np.int16]
    """int16[k]: the squares of the boxes at the start with LEFT; otherwise int16[0]."""


PLAN = types.NamedTuple(
    (
        int16[::1],
        types.Array(int32, 2, "C"),
        types.Array(uint8, 2, "C"),
        types.Array(uint8, 2, "C"),
        int16[::1],
    ),
    Plan,
)


@routine
def undo(board, box_at, goal, walks, steps, queue, areas):
    """Fill ``steps`` (int32[n, 4]): the fewest steps back of a box from ``goal`` to each square and side of the player.

    A step back is a pull, or a push on a level that is read backwards. Sides connected by the player's
    walks have the same number; FAR if unreachable. Without ``walks`` the player is assumed to reach every side:
    faster, but not always true.
    """
    neighbours = board.neighbours
    count = neighbours.shape[0]
    for square in range(count):
        for side in range(SIDES):
            steps[square, side] = FAR
    head = tail = 0
    was = box_at[goal]
    box_at[goal] = 0
    if walks:
        divide(neighbours, box_at, areas)
    for side in range(SIDES):
        player_at = neighbours[goal, side]
        if player_at >= 0 and not box_at[player_at]:
            steps[goal, side] = 0
            queue[tail] = np.int64(goal) * SIDES + side
            tail += 1
    while head < tail:
        position = queue[head]
        head += 1
        box, side = position // SIDES, position % SIDES
        new = neighbours[box, side if board.pushed else side ^ 1]
        if new < 0 or box_at[new] or steps[new, side] < FAR:
            continue
        after = neighbours[new, side]
        if after < 0 or box_at[after]:
            continue
        # The player is on the same side of the box as before. Add the other sides that he can reach.
        area = piece_of(neighbours, areas, new, after)
        for other in range(SIDES):
            there = neighbours[new, other]
            if there < 0 or box_at[there] or steps[new, other] < FAR:
                continue
            if not walks or piece_of(neighbours, areas, new, there) == area:
                steps[new, other] = steps[box, side] + 1
                queue[tail] = np.int64(new) * SIDES + other
                tail += 1
    box_at[goal] = was


@rule
def nearest(steps, square):
    """Return the fewest pulls to a square."""
    return min(steps[square, 0], steps[square, 1], steps[square, 2], steps[square, 3])


@rule
def out_of_reach(boxes, steps):
    """Whether no box of the start can be brought to the goal from which ``steps`` were counted."""
    out = True
    for box in boxes:
        out &= nearest(steps, box) == FAR
    return out


def make_planning() -> Callable[..., Plan]:
    """``planning(board, boxes, counted) -> Plan``: see :func:`planning`."""

    def planning(board, boxes, counted):
        board, boxes = borrowed(board), borrowed(boxes)
        neighbours, goals = board.neighbours, board.goals
        squares, count = neighbours.shape[0], goals.shape[0]
        if counted == LEFT:
            none = np.empty((0, squares), np.uint8)
            return Plan(goals[:0].copy(), np.empty((0, squares), np.int32), none, none, boxes.copy())
        box_at, left, free = np.zeros(squares, np.uint8), np.ones(count, np.uint8), np.ones(count, np.uint8)
        steps, queue = np.empty((squares, SIDES), np.int32), np.empty(squares * SIDES, np.int32)
        areas = np.zeros((FIELDS, squares), np.int16)
        walks = (squares * count) ** 2 <= MOST_WALKS
        order, way = np.empty(count, np.int16), np.empty((count, squares), np.int32)
        blocked = np.ones((count + 1, squares), np.uint8)
        for goal in goals:
            box_at[goal] = 1
        for turn in range(count - 1, -1, -1):
            chosen, taken, least = -1, -1, 1 << 40
            for goal in range(count):
                if not left[goal]:
                    continue
                undo(board, box_at, goals[goal], walks, steps, queue, areas)
                cost, source = FAR, -1
                for k in range(count):
                    if free[k] and board.goal_at[boxes[k]] != goal and nearest(steps, boxes[k]) < cost:
                        cost, source = nearest(steps, boxes[k]), k
                if source < 0:  # enclosed: prefer the box that can be pulled furthest
                    for square in range(squares):
                        cost += nearest(steps, square) == FAR
                if cost < least:
                    chosen, taken, least = goal, source, cost
            order[turn] = chosen
            left[chosen] = 0
            if taken >= 0:
                free[taken] = 0
            box_at[goals[chosen]] = 0
        for turn in range(count):
            for later in range(turn, count):
                undo(board, box_at, goals[order[later]], walks, steps, queue, areas)
                for square in range(squares):
                    pushes = nearest(steps, square)
                    if later == turn:
                        way[turn, square] = pushes
                    if pushes < FAR:
                        blocked[turn, square] = 0
            box_at[goals[order[turn]]] = 1
        before = np.zeros((count, count), np.uint8)
        for square in range(squares):
            box_at[square] = 0
        for turn in range(count):
            one = order[turn]
            box_at[goals[one]] = 1
            for earlier in range(turn):
                before[one, order[earlier]] = counted == IN_ORDER
            for other in range(count):
                if counted == SAFE and other != one:
                    undo(board, box_at, goals[other], walks, steps, queue, areas)
                    before[one, other] = out_of_reach(boxes, steps)
            box_at[goals[one]] = 0
        return Plan(order, way, blocked, before, boxes[:0].copy())

    return compiled(planning, "sokoban-planning", PLAN(BOARD, int16[::1], int64))


def planning(board: Board, boxes: npt.NDArray[np.int16], counted: int = IN_ORDER) -> Plan:
    """Return the packing plan of a level's board.

    Args:
        board: The board.
        boxes: int16[k]: the squares of the boxes at the start.
        counted: Which filled goals count as packed: ANY, SAFE or IN_ORDER; or LEFT.
    """
    plan: Plan = kernel(make_planning)(board, boxes, counted)
    return plan


def planning_bytes(board: Board, count: int) -> int:
    """Return the maximum size of :func:`planning` in bytes for ``count`` boxes, temporary arrays included."""
    squares = len(board.neighbours)
    plan = 2 * count + 4 * count * squares + (count + 1) * squares + count * count + 2 * count
    return plan + 2 * count + (1 + 2 * 4 * SIDES + 2 * FIELDS) * squares
