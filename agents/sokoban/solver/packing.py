"""The packing plan: which squares boxes have to be brought to, and in which order.

It is found by a search that empties the solved level: boxes are pulled from the goals and vanish at the squares where
boxes begin; see :mod:`.feature_search`. Where none can vanish, one is parked elsewhere. In reverse order, the squares
that boxes left are those to bring them to.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule

from .areas import AREA
from .board import BOARD, Board
from .deadlocks.freezing import spread
from .nodes import NODES, unpack
from .plans import chain_to
from .position import BOX_AT, QUEUE

NEVER = 32_000
"""More than the number of steps of any plan."""
MOST_SPREAD = 20_000_000
"""Boards with more squares × boxes² than this have no plan: it would take seconds."""


class Plan(NamedTuple):
    """The steps of a plan; n squares, t steps."""

    square: npt.NDArray[np.int16]
    """int16[t]: the square to which each step brings a box."""
    until: npt.NDArray[np.int16]
    """int16[t]: the step that brings this box to another square, or NEVER."""
    blocked: npt.NDArray[np.uint8]
    """uint8[t + 1, n]: 1 if a box on a square can be brought to none of the squares left once p steps are done, and the
    next whose box stays; 0 where boxes stay by then, and everywhere unless steps are ordered."""
    near: npt.NDArray[np.int32]
    """int32[n]: pushes from a square to the nearest goal."""
    before: npt.NDArray[np.uint8]
    """uint8[t, t]: 1 if the second step must come before the first, since afterwards no box could be brought to its
    square; uint8[0, 0] if each step must come before the next."""


TABLE = types.Array(uint8, 2, "C")
PLAN = types.NamedTuple((int16[::1], int16[::1], TABLE, int32[::1], TABLE), Plan)


# sinks uint8[k + 2, n]: 1 at the squares where boxes may vanish; at those where none has yet; and for each of them,
# where boxes can get from there.
SINK, FREE, REACH = range(3)
Sinks = npt.NDArray[np.uint8]
SINKS = types.Array(uint8, 2, "C")


def no_plan(board: Board) -> Plan:
    """Return a plan without steps, for a search that empties the level or has no plan."""
    none, table = np.zeros(0, np.int16), np.zeros((1, len(board.neighbours)), np.uint8)
    return Plan(none, none, table, board.distance.min(axis=1), np.zeros((0, 0), np.uint8))


def plan_bytes(board: Board, count: int) -> int:
    """Return the maximum size of a plan for ``count`` boxes in bytes, temporary arrays included."""
    squares, steps = len(board.neighbours), 2 * count
    return (4 + 4 + 4) * steps + (steps + 1 + 1 + 4 + 2) * squares + count * count


@routine
def find_sinks(board, work, count, sinks, area):
    """Mark the largest class of free goals between which a box can be moved any way.

    Only boxes that are on the board now are in the way.

    Returns:
        Whether there is one, and the player, in ``area``, can walk to all its goals.
    """
    goals, box_at, areas = board.goals, work.flags[BOX_AT], work.areas
    for square in range(sinks.shape[1]):
        sinks[SINK, square] = 0
        sinks[FREE, square] = board.goal_at[square] >= 0 and not box_at[square]
    for k in range(count, work.boxes.shape[0]):  # where boxes have vanished
        sinks[FREE, work.boxes[k]] = 0
    for k in range(goals.shape[0]):
        if sinks[FREE, goals[k]]:
            spread(board, box_at, goals[k : k + 1], board.pushed, sinks[REACH + k], work.squares[QUEUE])
    most, chosen = 0, -1
    for k in range(goals.shape[0]):
        size = 0
        for other in range(goals.shape[0]):
            size += are_linked(goals, sinks, k, other) != 0
        if size > most:
            most, chosen = size, k
    for other in range(goals.shape[0]):
        if chosen >= 0 and are_linked(goals, sinks, chosen, other):
            if areas[AREA, goals[other]] != area:
                return False
            sinks[SINK, goals[other]] = 1
    return chosen >= 0


@routine
def are_linked(goals, sinks, one, other):
    """Whether a box can be moved between two free goals, both ways."""
    here, there = goals[one], goals[other]
    if not sinks[FREE, here] or not sinks[FREE, there]:
        return False
    return sinks[REACH + one, there] and sinks[REACH + other, here]


@rule
def vanished(nodes, node):
    """Whether a box vanished on the way to this position, at the second square of its step."""
    return nodes.estimate[node] < nodes.estimate[nodes.parent[node]]


@routine
def moved_on(nodes, chain, place, square):
    """Return the last step before ``place`` in a chain that brought a box to a square where it stayed; else 0."""
    for step in range(place - 1, 0, -1):
        if nodes.push[chain[step], 1] == square and not vanished(nodes, chain[step]):
            return step
    return 0


@routine
def steps_of(nodes, chain, boxes, count):
    """Return the squares of the steps of a plan, and until which step each box stays there.

    The last position of the chain has ``count`` boxes, at the first squares of ``boxes``.
    """
    moves = chain.shape[0] - 1
    steps = count + moves
    square, until = np.empty(steps, np.int16), np.empty(steps, np.int16)
    # First the boxes that are left, those that stay before the others; then the moves, in reverse.
    step = 0
    for stays in (True, False):
        for k in range(count):
            if (moved_on(nodes, chain, moves + 1, boxes[k]) == 0) == stays:
                square[step] = boxes[k]
                step += 1
    for place in range(moves, 0, -1):
        square[step] = nodes.push[chain[place], 0]
        step += 1
    for step in range(steps):
        place = moved_on(nodes, chain, min(steps - step, moves + 1), square[step])
        until[step] = steps - place if place > 0 else NEVER
    return square, until


@routine
def mark_blocked(board, square, until, blocked):
    """Fill ``blocked`` of a plan."""
    steps, squares = square.shape[0], blocked.shape[1]
    frozen, queue = np.empty(squares, np.uint8), np.empty(squares, np.int16)
    for packed in range(steps - 1):
        last = packed  # up to the next box that stays
        while last < steps and until[last] != NEVER:
            last += 1
        if last + 1 >= steps:
            return
        for here in range(squares):
            frozen[here] = 0
        for step in range(last + 1):
            if until[step] == NEVER:
                frozen[square[step]] = 1
        spread(board, frozen, square[last + 1 :], board.pushed, blocked[packed], queue)
        for here in range(squares):
            blocked[packed, here] = not blocked[packed, here] and not frozen[here]


@routine
def mark_before(board, square, before):
    """Fill ``before`` of a plan in which all boxes stay."""
    squares = board.neighbours.shape[0]
    frozen, reached, queue = np.zeros(squares, np.uint8), np.zeros(squares, np.uint8), np.empty(squares, np.int16)
    for step in range(square.shape[0]):
        for later in range(step + 1, square.shape[0]):
            frozen[square[later]] = 1
            spread(board, frozen, square[step : step + 1], board.pushed, reached, queue)
            frozen[square[later]] = 0
            before[later, step] = 1
            for start in board.goals:
                if reached[start]:
                    before[later, step] = 0
        frozen[square[step]] = 1


def make_planning() -> Callable[..., Plan]:
    """``planning(board, nodes, node, boxes, near, ordered) -> Plan``: the plan that the search for ``node`` has found.

    ``nodes`` are those of a search that empties ``board``; ``boxes`` (int16[k]) is scratch. Unless ``ordered``, no
    box is parked, and only steps that would block each other are in order.
    """

    def planning(board, nodes, node, boxes, near, ordered):
        board, nodes, boxes = borrowed(board), borrowed(nodes), borrowed(boxes)
        squares = board.neighbours.shape[0]
        chain = chain_to(nodes, node)
        while chain.shape[0] - 1 + nodes.estimate[chain[-1]] > 2 * boxes.shape[0]:
            chain = chain[:-1].copy()  # too many steps: more boxes are left
        unpack(nodes.boxes[chain[-1]], boxes, np.zeros(squares, np.uint8))
        square, until = steps_of(nodes, chain, boxes, np.int64(nodes.estimate[chain[-1]]))
        if not ordered:
            square = square[until == NEVER]
            steps = square.shape[0]
            before = np.zeros((steps, steps), np.uint8)
            mark_before(board, square, before)
            until, blocked = np.full(steps, NEVER, np.int16), np.zeros((steps + 1, squares), np.uint8)
            return Plan(square, until, blocked, near.copy(), before)
        blocked = np.zeros((square.shape[0] + 1, squares), np.uint8)
        mark_blocked(board, square, until, blocked)
        return Plan(square, until, blocked, near.copy(), np.zeros((0, 0), np.uint8))

    signature = PLAN(BOARD, NODES, int64, int16[::1], int32[::1], int64)
    return compiled(planning, "sokoban-planning", signature, returns_arrays=True)
