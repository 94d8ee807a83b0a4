"""Beam search: breadth-first search that keeps only the most promising states of each layer."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
from numba import int32, int64

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel

from . import loops
from .best_first import FRONTIER, has_space, new_frontier, pop, push, size_of, widened
from .heuristic import DEAD_END, Heuristic
from .nodes import NODES, bytes_of, find_or_add, grown, has_capacity, new_nodes, path_to
from .problem import FOUND, Limits, Problem, Progress, Result
from .running import Run

# control, after the entries common to all loops. PLACE: index of the layer's next node. SIZE: nodes in the layer.
# DROPPED: 1 once a state has been discarded.
PLACE, SIZE, DROPPED = range(loops.OWN, loops.OWN + 3)

# A key is the estimate, shifted left by this many bits, plus the node's number: ties go to the node found first.
_NODE_BITS = 32


def _beam(expand, evaluate, instance, nodes, frontier, layer):
    nodes, frontier, layer = borrowed(nodes), borrowed(frontier), borrowed(layer)
    level, _, tables, rng, successors, rewards, flags, control = borrowed(instance)
    actions = successors.shape[0]
    while control[loops.BUDGET] > 0:
        if control[PLACE] == control[SIZE]:  # the layer is done: its most promising successors become the next layer
            count = 0
            while count < layer.shape[0] and frontier.size[0] > 0:
                layer[count] = pop(frontier)
                count += 1
            if frontier.size[0] > 0:
                control[DROPPED] = 1
                frontier.size[0] = 0
            control[PLACE] = 0
            control[SIZE] = count
            if count == 0:
                return loops.STALLED if control[DROPPED] else loops.EMPTIED
        if not has_capacity(nodes, actions) or not has_space(frontier, actions):
            return loops.FULL
        node = layer[control[PLACE]]
        depth = nodes.depths[node] + 1
        if depth > control[loops.DEEPEST]:
            control[loops.CUT] = 1
            return loops.EMPTIED
        control[PLACE] += 1
        control[loops.BUDGET] -= 1
        control[loops.EXPANDED] += 1
        control[loops.GENERATED] += expand(level, nodes.states[node], rng, successors, rewards, flags)
        for action in range(actions):
            if not flags[action] & LEGAL:
                continue
            child, fresh = find_or_add(nodes, successors[action])
            if not fresh:
                continue
            nodes.parents[child] = node
            nodes.actions[child] = action
            nodes.depths[child] = depth
            if flags[action] & kernels.GOAL:
                control[loops.AT] = child
                return loops.REACHED
            if flags[action] & TERMINAL:
                continue
            estimate = evaluate(level, successors[action], tables)
            if estimate < control[loops.LEAST]:
                control[loops.LEAST] = estimate
                control[loops.BEST] = child
            if estimate < DEAD_END:
                push(frontier, (estimate << _NODE_BITS) | child, child)
    return loops.PAUSED


def _make_beam() -> Any:
    signature = int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, NODES, FRONTIER, int32[::1])
    return compiled(_beam, "search-beam", signature)


def beam(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    width: int = 100,
) -> Result:
    """Expand layer by layer; of each layer's new states, keep the ``width`` with the lowest estimates.

    A state found before, discarded or not, is never added again. The search proves that there is no solution only if
    no state was ever discarded; otherwise it ends stuck. Wider beams find shorter solutions.

    Raises:
        ValueError: ``width`` is not a positive integer.
    """
    loop = kernel(_make_beam)
    nodes, frontier = new_nodes(problem.state), new_frontier()
    frontier.size[0] = 0
    layer = np.zeros(integer("width", width, 1, 10**8), np.int32)
    run = Run(problem, heuristic, limits, seed, progress, own=3)
    run.control[SIZE] = 1

    def held() -> int:
        return bytes_of(nodes) + size_of(frontier) + layer.nbytes

    def grow(memory: float) -> int:
        nonlocal nodes, frontier
        before = held()
        if not has_space(frontier, len(problem.costs)):
            if before + 2 * size_of(frontier) > memory:
                return 0
            frontier = widened(frontier)
        else:
            larger = grown(nodes, memory - size_of(frontier) - layer.nbytes)
            if larger is None:
                return 0
            run.peak_bytes = max(run.peak_bytes, before + bytes_of(larger))
            nodes = larger
        return held()

    run.peak_bytes = held()
    status = run.drive(lambda: loop(run.expand, run.evaluate, run.instance, nodes, frontier, layer), grow)
    goal = int(run.control[loops.AT if status == FOUND else loops.BEST])
    return run.result(status, path_to(nodes, goal))
