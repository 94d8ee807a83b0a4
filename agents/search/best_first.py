"""Best-first search: one loop, in which only the order of expansion varies.

A node's priority is ``WEIGHT_COST * cost so far + WEIGHT_ESTIMATE * estimate``; ties go to the lower
estimate. Weights (1, 0) give uniform-cost search, (0, 1) greedy search, (1, 1) A*, and a larger weight on the
estimate weighted A*. A node is expanded again if a cheaper path to it is found, except in greedy search.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

from numba import int64

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.arguments import real
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel

from . import loops
from .frontier import FRONTIER, has_space, new_frontier, pop, push, size_of, widened
from .heuristic import DEAD_END, Heuristic
from .nodes import CLOSED, GOAL, LAST, NODES, bytes_of, find_or_add, grown, has_capacity, new_nodes, path_to
from .problem import FOUND, Limits, Problem, Result
from .progress import Progress
from .running import Run

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
