"""Best-first search: one loop, in which only the order of expansion varies.

A node's priority is ``WEIGHT_COST * cost so far + WEIGHT_ESTIMATE * estimate``; ties go to the lower
estimate. Weights (1, 0) give uniform-cost search, (0, 1) greedy search, (1, 1) A*, and a larger weight on the
estimate weighted A*. A node is expanded again if a cheaper path to it is found, except in greedy search.

:func:`search_to_end` is the same as one kernel, which finds the same plans: for many small searches, in several
threads. It cannot be interrupted, so it must be given a limit.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.arguments import real
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel

from . import loops
from .heuristic import DEAD_END, Heuristic
from .nodes import (
    CLOSED,
    GOAL,
    LAST,
    NO_PARENT,
    NODES,
    allocate,
    bytes_of,
    copy_nodes,
    enter_all,
    find_or_add,
    grown,
    has_capacity,
    new_nodes,
    path_to,
)
from .problem import FOUND, Limits, Problem, Progress, Result
from .running import Run


class Frontier(NamedTuple):
    """Nodes waiting to be expanded; entry 0, the root of the heap, has the lowest key."""

    keys: npt.NDArray[np.int64]
    """int64[F]: priorities."""
    items: npt.NDArray[np.int32]
    """int32[F]: their nodes; a node may have several entries, with older and higher keys."""
    size: npt.NDArray[np.int64]
    """int64[1]: entries in use."""


FRONTIER = types.NamedTuple((int64[::1], int32[::1], int64[::1]), Frontier)
"""The type of :class:`Frontier` in a kernel's signature."""


@rule
def push(frontier, key, node):
    """Add a node to the heap, which must have space for it."""
    keys, items = frontier.keys, frontier.items
    place = frontier.size[0]
    frontier.size[0] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] <= key:
            break
        keys[place] = keys[above]
        items[place] = items[above]
        place = above
    keys[place] = key
    items[place] = node


@rule
def pop(frontier):
    """Remove and return the node with the lowest key; the heap must not be empty."""
    keys, items = frontier.keys, frontier.items
    least = items[0]
    size = frontier.size[0] - 1
    frontier.size[0] = size
    key, item = keys[size], items[size]
    place, below = 0, 1
    while below < size:
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[place] = keys[below]
        items[place] = items[below]
        place = below
        below = 2 * place + 1
    keys[place] = key
    items[place] = item
    return least


@rule
def has_space(frontier, needed):
    """Whether there is capacity for ``needed`` more entries."""
    return frontier.size[0] + needed <= frontier.items.shape[0]


@routine
def new_frontier(capacity: int = 1 << 12) -> Frontier:
    """Return a frontier that holds only node 0."""
    frontier = Frontier(np.empty(capacity, np.int64), np.empty(capacity, np.int32), np.ones(1, np.int64))
    frontier.keys[0] = frontier.items[0] = 0
    return frontier


@routine
def widened(frontier: Frontier) -> Frontier:
    """Return a copy with twice the capacity."""
    capacity = len(frontier.items)
    keys, items = np.empty(2 * capacity, np.int64), np.empty(2 * capacity, np.int32)
    keys[:capacity], items[:capacity] = frontier.keys, frontier.items
    return Frontier(keys, items, frontier.size)


def size_of(frontier: Frontier) -> int:
    """Its size in bytes."""
    return frontier.keys.nbytes + frontier.items.nbytes


# control, after the entries common to all loops: the order of expansion. REOPEN: 1 if a cheaper path reopens a node.
WEIGHT_COST, WEIGHT_ESTIMATE, REOPEN = loops.OWN, loops.OWN + 1, loops.OWN + 2

# A priority is shifted left by this many bits; the low bits hold the estimate, which breaks ties.
TIE_BITS = 20
_TIE_MOST = (1 << TIE_BITS) - 1
WEIGHT_PARTS = 1000
"""The weight of weighted A* is stored in thousandths."""


ORDERS: dict[str, tuple[int, int, int]] = {
    "astar": (1, 1, 1),
    "weighted-astar": (WEIGHT_PARTS, 2 * WEIGHT_PARTS, 1),
    "greedy": (0, 1, 0),
    "uniform-cost": (1, 0, 1),
}
"""WEIGHT_COST, WEIGHT_ESTIMATE and REOPEN of the searches that differ in nothing else, by name."""


def search_on(expand, evaluate, instance, nodes, frontier):
    """Search until the budget is used up or the search ends; see :func:`make_best_first`."""
    nodes, frontier = borrowed(nodes), borrowed(frontier)
    level, costs, tables, rng, successors, rewards, flags, control = borrowed(instance)
    actions = successors.shape[0]
    while control[loops.BUDGET] > 0:
        if frontier.size[0] == 0:
            return loops.EMPTIED
        if not has_capacity(nodes, actions) or not has_space(frontier, actions):
            return loops.FULL
        node = pop(frontier)
        if nodes.marks[node] & CLOSED:
            continue
        nodes.marks[node] |= CLOSED
        if nodes.marks[node] & GOAL:
            control[loops.AT] = node
            return loops.REACHED
        if nodes.marks[node] & LAST:
            continue
        depth = nodes.depths[node] + 1
        if depth > control[loops.DEEPEST]:
            control[loops.CUT] = 1
            continue
        control[loops.BUDGET] -= 1
        control[loops.EXPANDED] += 1
        expand(level, nodes.states[node], rng, successors, rewards, flags)
        for action in range(actions):
            if not flags[action] & LEGAL:
                continue
            control[loops.GENERATED] += 1
            cost = nodes.costs[node] + costs[action]
            child, fresh = find_or_add(nodes, successors[action])
            if fresh:
                estimate = evaluate(level, successors[action], tables)
                nodes.estimates[child] = estimate
                nodes.marks[child] = (GOAL if flags[action] & kernels.GOAL else 0) | (
                    LAST if flags[action] & TERMINAL else 0
                )
                if estimate < control[loops.LEAST] and not flags[action] & TERMINAL:
                    control[loops.LEAST] = estimate
                    control[loops.BEST] = child
            elif cost >= nodes.costs[child]:
                continue
            elif nodes.marks[child] & CLOSED:
                if not control[REOPEN]:
                    continue
                control[loops.REOPENED] += 1
                nodes.marks[child] ^= CLOSED
            nodes.parents[child] = node
            nodes.actions[child] = action
            nodes.costs[child] = cost
            nodes.depths[child] = depth
            estimate = nodes.estimates[child]
            if estimate < DEAD_END:
                key = control[WEIGHT_COST] * cost + control[WEIGHT_ESTIMATE] * estimate
                push(frontier, (key << TIE_BITS) | min(estimate, _TIE_MOST), child)
    return loops.PAUSED


def make_best_first() -> Any:
    """Return the loop as a kernel; its arguments are those of all search loops (:mod:`.loops`)."""
    return compiled(
        search_on, "search-best-first", int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, NODES, FRONTIER)
    )


def best_first(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    weight_cost: int = 1,
    weight_estimate: int = 1,
    reopen: bool = True,
) -> Result:
    """Expand nodes in the order of ``weight_cost * cost + weight_estimate * estimate``."""
    loop = kernel(make_best_first)
    nodes, frontier = new_nodes(problem.state), new_frontier()
    run = Run(problem, heuristic, limits, seed, progress, own=3)
    run.control[[WEIGHT_COST, WEIGHT_ESTIMATE, REOPEN]] = weight_cost, weight_estimate, reopen
    nodes.estimates[0] = run.control[loops.LEAST]

    def grow(memory: float) -> int:
        nonlocal nodes, frontier
        if not has_space(frontier, len(problem.costs)):
            if bytes_of(nodes) + 3 * size_of(frontier) > memory:
                return 0
            frontier = widened(frontier)
        else:
            larger = grown(nodes, memory - size_of(frontier))
            if larger is None:
                return 0
            run.peak_bytes = max(run.peak_bytes, bytes_of(nodes) + bytes_of(larger) + size_of(frontier))
            nodes = larger
        return bytes_of(nodes) + size_of(frontier)

    run.peak_bytes = bytes_of(nodes) + size_of(frontier)
    status = run.drive(lambda: loop(run.expand, run.evaluate, run.instance, nodes, frontier), grow)
    goal = int(run.control[loops.AT if status == FOUND else loops.BEST])
    return run.result(status, path_to(nodes, goal))


def uniform_cost(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Expand the cheapest node first; finds a cheapest solution. The estimate only selects the best state so far."""
    return best_first(problem, heuristic, limits, seed, progress, weight_estimate=0)


def greedy(problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False) -> Result:
    """Expand the node with the lowest estimate first; finds some solution quickly."""
    return best_first(problem, heuristic, limits, seed, progress, weight_cost=0, reopen=False)


def astar(problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False) -> Result:
    """Expand the node with the lowest cost + estimate first; finds a cheapest solution with an admissible heuristic."""
    return best_first(problem, heuristic, limits, seed, progress)


def weighted_astar(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    weight: float = 2.0,
) -> Result:
    """A* with the estimate multiplied by ``weight``: the solution costs at most ``weight`` times the minimum.

    Raises:
        ValueError: The weight is below 1 or above 1000.
    """
    weight = real("weight", weight, 1, 1000)
    return best_first(
        problem,
        heuristic,
        limits,
        seed,
        progress,
        weight_cost=WEIGHT_PARTS,
        weight_estimate=round(WEIGHT_PARTS * weight),
    )


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
