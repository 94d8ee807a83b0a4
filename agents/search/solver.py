"""Best-first search as one kernel, which searches to the end: for many small searches, in several threads.

It runs the loop of :mod:`.best_first`, and finds the same plans; a kernel that cannot be interrupted must be given a
limit.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from . import loops
from .best_first import REOPEN, WEIGHT_COST, WEIGHT_ESTIMATE, search_on
from .frontier import has_space, new_frontier, widened
from .nodes import NO_PARENT, allocate, copy_nodes, enter_all, find_or_add, has_capacity

loop = routine(search_on)

FIRST_CAPACITY, GROWTH = 1 << 9, 4
"""The capacity of the first node store, and the factor by which it grows."""


@routine
def enlarged(nodes):
    """Return the same nodes in a store with a larger capacity: :func:`.nodes.grown`."""
    larger = allocate(nodes.states.shape[1], nodes.parents.shape[0] * GROWTH)
    copy_nodes(nodes, larger)
    enter_all(larger, nodes.table)
    return larger


@rule
def write_path(nodes, node, plan):
    """Write the actions from the start to a node, as far as they fit; return their number."""
    length = 0
    here = node
    while nodes.parents[here] != NO_PARENT:
        length += 1
        here = nodes.parents[here]
    for place in range(length - 1, -1, -1):
        if place < plan.shape[0]:
            plan[place] = nodes.actions[node]
        node = nodes.parents[node]
    return length


@routine
def search_to_end(expand, evaluate, actions, level, state, tables, settings, most, plan):
    """Search for a plan from one state.

    Args:
        expand: The puzzle's, see :func:`~gridpuzzles_gym.engine.kernels.make_expand`.
        evaluate: The heuristic's.
        actions: The number of actions.
        level: The level.
        state: The state to start from.
        tables: The heuristic's tables.
        settings: int64[3], the order of expansion: see :data:`.best_first.ORDERS`.
        most: The maximum number of states to expand.
        plan: uint8[P], output: the actions, as far as they fit.

    Returns:
        Why the search stopped (:mod:`.loops`), and the number of actions.
    """
    nodes, frontier = allocate(state.shape[0], FIRST_CAPACITY), new_frontier(FIRST_CAPACITY)
    find_or_add(nodes, state)
    nodes.parents[0], nodes.actions[0] = NO_PARENT, -1
    nodes.costs[0] = nodes.depths[0] = nodes.marks[0] = 0
    nodes.estimates[0] = evaluate(level, state, tables)
    control = np.zeros(REOPEN + 1, np.int64)
    control[WEIGHT_COST], control[WEIGHT_ESTIMATE], control[REOPEN] = settings[0], settings[1], settings[2]
    control[loops.DEEPEST] = control[loops.LEAST] = loops.UNBOUNDED
    control[loops.BUDGET] = most
    costs, rng = np.ones(actions, np.int64), np.ones(1, np.uint64)
    successors = np.empty((actions, state.shape[0]), np.int16)
    rewards, flags = np.empty(actions), np.empty(actions, np.uint8)
    instance = loops.Instance(level, costs, tables, rng, successors, rewards, flags, control)
    why = loop(expand, evaluate, instance, nodes, frontier)
    while why == loops.FULL:
        if not has_space(frontier, actions):
            frontier = widened(frontier)
        if not has_capacity(nodes, actions):
            nodes = enlarged(nodes)
        why = loop(expand, evaluate, instance, nodes, frontier)
    return why, write_path(nodes, control[loops.AT], plan) if why == loops.REACHED else 0
