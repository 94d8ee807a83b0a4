"""Breadth-first search: the node store is its own queue. From one end, from both, or through everything."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compilation import borrowed, compiled
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel, make_expand_back

from . import loops
from .heuristic import DEAD_END, ZERO, Heuristic
from .nodes import LAST, NODES, Nodes, bytes_of, find, find_or_add, grown, has_capacity, new_nodes, path_to
from .problem import FOUND, Limits, Problem, Result
from .running import Run

# control, behind what every loop has. HEAD: the next node to expand. GOALS: 0 to search on beyond goals.
# LAYER: the node to stop before, or NO_LAYER. MEETING: 1 to look in the other store whether the two searches
# meet. OTHER: the node they meet in.
HEAD, GOALS, LAYER, MEETING, OTHER = range(loops.OWN, loops.OWN + 5)
NO_LAYER = -1

_YOUNGEST = 1 << 16
"""How many of the states met last are looked through for the best plan so far."""


def _breadth_first(expand, instance, nodes, others):
    nodes, others = borrowed(nodes), borrowed(others)
    level, _, _, rng, successors, rewards, flags, control = borrowed(instance)
    actions = successors.shape[0]
    while control[loops.BUDGET] > 0:
        node = control[HEAD]
        if node == control[LAYER]:
            return loops.PAUSED
        if node == nodes.used[0]:
            return loops.EMPTIED
        if not has_capacity(nodes, actions):
            return loops.FULL
        if nodes.marks[node] & LAST:
            control[HEAD] += 1
            continue
        depth = nodes.depths[node] + 1
        if depth > control[loops.DEEPEST]:
            control[loops.CUT] = 1
            return loops.EMPTIED
        control[HEAD] += 1
        control[loops.BUDGET] -= 1
        control[loops.EXPANDED] += 1
        expand(level, nodes.states[node], rng, successors, rewards, flags)
        for action in range(actions):
            if not flags[action] & LEGAL:
                continue
            control[loops.GENERATED] += 1
            child, fresh = find_or_add(nodes, successors[action])
            if not fresh:
                continue
            nodes.parents[child] = node
            nodes.actions[child] = action
            nodes.depths[child] = depth
            nodes.costs[child] = depth
            nodes.marks[child] = LAST if flags[action] & TERMINAL else 0
            if control[GOALS] and flags[action] & kernels.GOAL:
                control[loops.AT] = child
                return loops.REACHED
            if control[MEETING]:
                meeting = find(others, successors[action])
                if meeting >= 0:
                    control[loops.AT] = child
                    control[OTHER] = meeting
                    return loops.REACHED
    return loops.PAUSED


def _nearest(evaluate, instance, nodes, first):
    """The node from ``first`` on with the least estimate where the game goes on; of several, the one met first."""
    nodes = borrowed(nodes)
    least, best = DEAD_END, 0
    for node in range(first, nodes.used[0]):
        estimate = evaluate(instance.level, nodes.states[node], instance.tables)
        if estimate < least and not nodes.marks[node] & LAST:
            least, best = estimate, node
    return best


def _make_breadth_first() -> Any:
    return compiled(_breadth_first, "search-breadth-first", int64(loops.EXPAND, loops.INSTANCE, NODES, NODES))


def _make_nearest() -> Any:
    return compiled(_nearest, "search-nearest", int64(loops.EVALUATE, loops.INSTANCE, NODES, int64))


def breadth_first(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: bool = False
) -> Result:
    """The oldest state first; finds a plan with the fewest actions, whatever they cost.

    The estimate only tells the best of what was met, under a limit.
    """
    nearest = kernel(_make_nearest)
    run, nodes, status = _flood(problem, heuristic, limits, seed, progress, goals=True)
    goal = int(run.control[loops.AT])
    if status != FOUND:
        first = max(int(nodes.used[0]) - _YOUNGEST, 0)
        goal = int(nearest(run.evaluate, run.instance, nodes, first))
    return run.result(status, path_to(nodes, goal))


def explore(problem: Problem, limits: Limits | None = None, progress: bool = False) -> npt.NDArray[np.int64]:
    """How many states can be reached in how many actions, and not in fewer: int64[D + 1].

    Goes on beyond goals, unless the episode ends there.
    """
    _, nodes, _ = _flood(problem, ZERO, limits or Limits(), 0, progress, goals=False)
    histogram: npt.NDArray[np.int64] = np.bincount(nodes.depths[: nodes.used[0]])
    return histogram


def _flood(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int, progress: bool, goals: bool
) -> tuple[Run, Nodes, str]:
    loop = kernel(_make_breadth_first)
    nodes = new_nodes(problem.state)
    run = Run(problem, heuristic, limits, seed, progress, own=5)
    run.control[[HEAD, GOALS, LAYER]] = 0, goals, NO_LAYER

    def grow(memory: float) -> int:
        nonlocal nodes
        larger = grown(nodes, memory)
        if larger is None:
            return 0
        run.peak_bytes = bytes_of(nodes) + bytes_of(larger)
        nodes = larger
        return bytes_of(nodes)

    run.peak_bytes = bytes_of(nodes)
    status = run.drive(lambda: loop(run.expand, run.instance, nodes, nodes), grow)
    return run, nodes, status


def bidirectional(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: bool = False
) -> Result:
    """Breadth-first from the start and, backwards, from the goal, a layer at a time, until the two meet.

    Of the two layers the smaller is expanded. The plan has the fewest actions. The node and memory
    limits hold for both together.

    Raises:
        ValueError: The puzzle cannot be played backwards.
    """
    rules = problem.puzzle.rules
    backward = kernel(make_expand_back, problem.puzzle)
    if rules.goal is None:
        raise ValueError(f"{problem.puzzle.title} has not just one goal: it has no rule `goal`")
    loop, look = kernel(_make_breadth_first), kernel(_make_nearest)
    end = problem.state.copy()
    rules.goal(problem.level, end)
    stores = [new_nodes(problem.state), new_nodes(end)]
    run = Run(problem, heuristic, limits, seed, progress, own=5)
    heads, layers, side = [0, 0], [0, 0], 0
    run.control[MEETING] = 1
    expands = (run.expand, backward)

    def advance() -> int:
        nonlocal side
        if heads[side] == layers[side]:  # a layer is done: which one is next?
            layers[:] = [int(store.used[0]) for store in stores]
            widths = [layer - head for layer, head in zip(layers, heads, strict=True)]
            if 0 in widths:
                return loops.EMPTIED
            if (
                sum(int(store.depths[head]) for store, head in zip(stores, heads, strict=True))
                >= run.control[loops.DEEPEST]
            ):
                run.control[loops.CUT] = 1
                return loops.EMPTIED
            side = int(widths[1] < widths[0])
        run.control[[HEAD, LAYER]] = heads[side], layers[side]
        why: int = loop(expands[side], run.instance, stores[side], stores[1 - side])
        heads[side] = int(run.control[HEAD])
        return why

    def grow(memory: float) -> int:
        other = bytes_of(stores[1 - side])
        larger = grown(stores[side], memory - other)
        if larger is None:
            return 0
        run.peak_bytes = max(run.peak_bytes, other + bytes_of(stores[side]) + bytes_of(larger))
        stores[side] = larger
        return other + bytes_of(larger)

    run.peak_bytes = sum(map(bytes_of, stores))
    status = run.drive(advance, grow)
    if status != FOUND:
        first = max(int(stores[0].used[0]) - _YOUNGEST, 0)
        return run.result(status, path_to(stores[0], int(look(run.evaluate, run.instance, stores[0], first))))
    ends = [int(run.control[loops.AT]), int(run.control[OTHER])]
    if side:
        ends.reverse()
    forth, back = (path_to(store, node) for store, node in zip(stores, ends, strict=True))
    return run.result(status, forth + back[::-1])
