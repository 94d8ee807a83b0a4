"""The solver and the proof of fewest pushes for one small level, in a single compiled call.

They are the same as the searches of :mod:`.push_search`, position for position; but creating those
from Python takes far longer than solving an easy level. Levels too large for this are left to them.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np
from numba import int16, int64, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine

from ...search import loops
from ..solver.board import SIDES, survey_rows
from ..solver.meeting import make_found
from ..solver.nodes import BITS, NO_NODE, Nodes
from ..solver.plans import chain_to, write_way
from ..solver.position import make_work
from ..solver.push_search import COST_WEIGHT, END, LOWEST, OWN_END, WEIGHT, search_on
from .tracing import MEASURES, go_through

# Results other than a solution's length, which is 0 or more: see `make_grader`.
TOO_LARGE, UNSOLVED = -1, -2
# measures int64[6]: those of `tracing`; then the positions expanded by the solver, and by the proof.
NODES, PROOF, NUMBERS = range(MEASURES, MEASURES + 3)
CAPACITY, SLOTS, PLACES = 1 << 12, 1 << 13, 1 << 12
"""Capacities: positions, slots of their hash table, and queues."""
LONGEST = 1 << 10
"""Maximum number of moves in a plan."""


@routine
def empty_nodes(live):
    """Return arrays for the positions of a search; must be cleared before each."""
    words = (live + BITS - 1) // BITS
    return Nodes(
        np.empty((CAPACITY, words), np.uint64),
        np.empty(CAPACITY, np.uint64),
        np.empty(CAPACITY, np.int16),
        np.empty(CAPACITY, np.int32),
        np.empty((CAPACITY, 2), np.int16),
        np.empty(CAPACITY, np.int32),
        np.empty(CAPACITY, np.int32),
        np.empty(CAPACITY, np.int32),
        np.empty(SLOTS, np.int32),
    )


@routine
def run_search(board, nodes, work, heads, boxes, player, proving, budget, control):
    """Run one search from the start; return why it stopped."""
    control[:] = 0
    control[COST_WEIGHT], control[WEIGHT], control[END], control[LOWEST] = proving, 1, -1, PLACES
    control[loops.LEAST], control[loops.BUDGET] = loops.UNBOUNDED, budget
    nodes.table[:] = NO_NODE
    heads[:] = NO_NODE
    work.boxes[:] = boxes
    work.match[:] = 0
    none = make_found(0)
    return search_on(board, nodes, none, none, work, heads, player, control)


def make_grader() -> Callable[..., int]:
    """``grader(level, state, alone, limit, plan, measures) -> int``: the length of a solution with the fewest pushes.

    Or UNSOLVED, within ``limit`` positions each; or TOO_LARGE, if nothing is known: also if the first search expands
    more than ``alone`` positions, after which the solver would start others. Outputs are ``measures``
    (int64[NUMBERS]) and ``plan`` (uint8[2, LONGEST]): the actions, and 1 at pushes.
    """

    def grader(level, state, alone, limit, plan, measures):
        plan, measures = borrowed(plan), borrowed(measures)
        board, boxes, player = survey_rows(level, state)
        squares, count = board.neighbours.shape[0], boxes.shape[0]
        for k in range(count):
            if boxes[k] >= board.live:
                return UNSOLVED
        if SIDES * squares * count >= PLACES:  # an estimate could be beyond the last queue
            return TOO_LARGE
        nodes, heads, control = empty_nodes(board.live), np.empty(PLACES, np.int32), np.empty(OWN_END, np.int64)
        work = make_work(board, boxes, 1)
        why = run_search(board, nodes, work, heads, boxes, player, 0, min(alone, limit), control)
        if why == loops.FULL or (why == loops.PAUSED and alone < limit):
            return TOO_LARGE
        measures[NODES] = control[loops.EXPANDED]
        if why != loops.REACHED:
            return UNSOLVED
        why = run_search(board, nodes, work, heads, boxes, player, 1, limit, control)
        if why in (loops.FULL, loops.EMPTIED):
            return TOO_LARGE
        measures[PROOF] = control[loops.EXPANDED]
        if why != loops.REACHED:
            return UNSOLVED
        length = write_way(board, nodes, work, chain_to(nodes, control[loops.AT]), player, plan[0])
        if length > plan.shape[1]:
            return TOO_LARGE
        work.boxes[:] = boxes
        go_through(board, work, player, plan[0, :length], plan[1], measures)
        return length

    signature = int64(int16[::1], int16[::1], int64, int64, uint8[:, ::1], int64[::1])
    return compiled(grader, "sokoban-grader", signature)
