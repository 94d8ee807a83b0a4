"""Breadth-first search, with the node store as its queue: from the start, from both ends, or exhaustively."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel, make_expand_back

from . import loops
from .heuristic import DEAD_END, ZERO, Heuristic
from .nodes import LAST, NODES, Nodes, bytes_of, find, find_or_add, grown, has_capacity, new_nodes, path_to
from .problem import FOUND, Limits, Problem, Progress, Result
from .running import Run

# control, after the entries common to all loops. HEAD: the next node to expand. GOALS: 0 to continue past goals.
# LAYER: the node to stop before, or NO_LAYER. MEETING: 1 to check each new state against the other search's store.
# OTHER: the node of that store where the two searches meet.
HEAD, GOALS, LAYER, MEETING, OTHER = range(loops.OWN, loops.OWN + 5)
NO_LAYER = -1

_YOUNGEST = 1 << 16
"""How many of the most recently found states are examined for the best state so far."""


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
    """Return the first node from ``first`` on with the lowest estimate, among those that do not end the episode."""
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
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Expand states in the order they were found; finds a solution with the fewest actions, whatever they cost.

    The estimate only selects the best state so far when a limit is reached.
    """
    nearest = kernel(_make_nearest)
    run, nodes, status = _flood(problem, heuristic, limits, seed, progress, goals=True)
    goal = int(run.control[loops.AT])
    if status != FOUND:
        first = max(int(nodes.used[0]) - _YOUNGEST, 0)
        goal = int(nearest(run.evaluate, run.instance, nodes, first))
    return run.result(status, path_to(nodes, goal))


def explore(problem: Problem, limits: Limits | None = None, progress: Progress = False) -> npt.NDArray[np.int64]:
    """Count the states by their distance from the start in actions: int64[D + 1].

    Continues past goals, unless the episode ends there.
    """
    _, nodes, _ = _flood(problem, ZERO, limits or Limits(), 0, progress, goals=False)
    histogram: npt.NDArray[np.int64] = np.bincount(nodes.depths[: nodes.used[0]])
    return histogram


def _flood(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int, progress: Progress, goals: bool
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
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Search breadth-first from the start and backwards from the goal, one layer at a time, until the two meet.

    The smaller of the two layers is expanded next. The solution has the fewest actions. The node and memory
    limits apply to both searches together.

    Raises:
        ValueError: The puzzle cannot be stepped backwards.
    """
    rules = problem.puzzle.rules
    backward = kernel(make_expand_back, problem.puzzle)
    if rules.goal is None:
        raise ValueError(f"{problem.puzzle.title} does not have a single goal state: it has no rule `goal`")
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
        if heads[side] == layers[side]:  # a layer is done: choose the next
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
