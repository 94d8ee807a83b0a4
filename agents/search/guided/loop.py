"""The loop of best-first searches that a network guides: paths are expanded, and states evaluated, in batches.

A node of the node store is a state, evaluated once. A path is a sequence of actions from the start; except in PHS*, a
state can be expanded again when a better path to it is found. So several paths can lead to one node:

    array       dtype    shape     holds
    policies    float32  [N, A]    of node n: the logarithm of each action's probability
    distances   float32  [N]       the network's estimate of the number of actions to the goal
    best        float64  [N]       the highest merit of a path by which the state was expanded; -inf for none
    ends        int32    [P]       of path p: the node it leads to
    parents     int32    [P]       the path without its last action, NO_PARENT for the empty path
    actions     int16    [P]       its last action
    depths      int32    [P]       its number of actions
    costs       int64    [P]       the sum of their costs
    chances     float64  [P]       the logarithm of the product of their probabilities
    asked       int32    [B·A]     nodes to be evaluated before the next call
    used        int64    [1]       the number of paths

A call of the loop first inserts the paths that the last call has generated into the frontier, since what they lead to
is evaluated by now, and then expands the first BUDGET paths of the frontier.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float32, float64, int16, int32, int64, types

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL

from .. import loops
from ..frontier import FRONTIER, has_space, pop, push
from ..heuristic import DEAD_END
from ..nodes import GOAL, NO_PARENT, NODES, find_or_add, has_capacity

# Bits of marks, in addition to those of the node store.
ASKED = 8
# Orders of expansion.
LEVIN, PHS_STAR, VALUE_ASTAR = range(3)

# control, after the entries common to all loops. ORDER: one of those above. WEIGHT: that of the estimate in A*, in
# thousandths. PENDING: the first path that is not in the frontier yet. QUESTIONS: the number of nodes asked about.
ORDER, WEIGHT, PENDING, QUESTIONS = range(loops.OWN, loops.OWN + 4)
OWN_NUMBERS = 4
WEIGHT_PARTS = 1000

# A priority is stored in the frontier as a fixed-point number.
_UNIT, _HIGHEST = float(1 << 30), float(1 << 32)


class Paths(NamedTuple):
    """The arrays in the table at the top of this file."""

    policies: npt.NDArray[np.float32]
    distances: npt.NDArray[np.float32]
    best: npt.NDArray[np.float64]
    ends: npt.NDArray[np.int32]
    parents: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int16]
    depths: npt.NDArray[np.int32]
    costs: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]
    asked: npt.NDArray[np.int32]
    used: npt.NDArray[np.int64]


PATHS = types.NamedTuple(
    (
        types.Array(float32, 2, "C"),
        float32[::1],
        float64[::1],
        int32[::1],
        int32[::1],
        int16[::1],
        int32[::1],
        int64[::1],
        float64[::1],
        int32[::1],
        int64[::1],
    ),
    Paths,
)
_PER_NODE, _PER_PATH = slice(0, 3), slice(3, 9)


def new_paths(capacity: int, actions: int, batch: int) -> Paths:
    """Return arrays with the empty path, for the nodes of a store with this capacity."""
    ends, parents, depths = np.zeros((3, capacity), np.int32)
    paths = Paths(
        np.zeros((capacity, actions), np.float32),
        np.zeros(capacity, np.float32),
        np.full(capacity, -np.inf),
        ends,
        parents,
        np.zeros(capacity, np.int16),
        depths,
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(batch * actions, np.int32),
        np.ones(1, np.int64),
    )
    paths.parents[0], paths.actions[0] = NO_PARENT, -1
    return paths


def with_capacity(paths: Paths, nodes: int, count: int) -> Paths:
    """Return the same paths in arrays for this many nodes and paths."""
    held: Any = paths
    larger = [_extended(array, nodes) for array in held[_PER_NODE]]
    larger[-1][len(paths.best) :] = -np.inf
    return Paths(*larger, *(_extended(array, count) for array in held[_PER_PATH]), *held[_PER_PATH.stop :])


def _extended(array: npt.NDArray[Any], capacity: int) -> npt.NDArray[Any]:
    if len(array) == capacity:
        return array
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def bytes_of(paths: Paths) -> int:
    """Return the size of the arrays in bytes."""
    return sum(array.nbytes for array in paths)


def actions_of(paths: Paths, path: int) -> tuple[int, ...]:
    """Return the actions of a path."""
    actions = []
    while paths.parents[path] != NO_PARENT:
        actions.append(int(paths.actions[path]))
        path = int(paths.parents[path])
    return tuple(reversed(actions))


@rule
def has_paths(paths, needed):
    """Whether there is capacity for ``needed`` more paths."""
    return paths.used[0] + needed <= paths.ends.shape[0]


@rule
def merit(paths, control, path):
    """Return by how much a path is to be preferred to others with the same end: its probability, in A* its cost."""
    return -float(paths.costs[path]) if control[ORDER] == VALUE_ASTAR else paths.chances[path]


@rule
def is_redundant(paths, control, path):
    """Whether a path is left out: its end was expanded, by a path at least as good; in PHS*, by any path."""
    best = paths.best[paths.ends[path]]
    return best > -math.inf if control[ORDER] == PHS_STAR else merit(paths, control, path) <= best


@rule
def priority(paths, control, path):
    """Return what the search expands in increasing order; of the first two orders, the logarithm."""
    order = control[ORDER]
    distance = float(paths.distances[paths.ends[path]])
    if order == VALUE_ASTAR:
        return paths.costs[path] + distance * control[WEIGHT] / WEIGHT_PARTS
    length, chance = paths.depths[path] + 1.0, paths.chances[path]
    if order == LEVIN:
        return math.log(length) - chance
    return math.log(length + distance) - (1.0 + distance / length) * chance


@rule
def ask(nodes, paths, control, node):
    """Have a node evaluated, unless it is already."""
    if not nodes.marks[node] & ASKED:
        nodes.marks[node] |= ASKED
        paths.asked[control[QUESTIONS]] = node
        control[QUESTIONS] += 1


@rule
def insert_pending(paths, control, frontier):
    """Insert the paths of the last batch into the frontier."""
    for path in range(control[PENDING], paths.used[0]):
        before = paths.parents[path]
        paths.chances[path] = paths.chances[before] + paths.policies[paths.ends[before], paths.actions[path]]
        if not is_redundant(paths, control, path):
            push(frontier, int(min(priority(paths, control, path), _HIGHEST) * _UNIT), path)
    control[PENDING] = paths.used[0]


@rule
def add_path(paths, before, action, cost, node):
    """Add a path: another one and an action."""
    path = paths.used[0]
    paths.used[0] = path + 1
    paths.ends[path], paths.parents[path], paths.actions[path] = node, before, action
    paths.depths[path], paths.costs[path] = paths.depths[before] + 1, paths.costs[before] + cost
    return path


def _guided(expand, evaluate, instance, nodes, frontier, paths):
    nodes, frontier, paths = borrowed(nodes), borrowed(frontier), borrowed(paths)
    level, costs, tables, rng, successors, rewards, flags, control = borrowed(instance)
    actions = successors.shape[0]
    needed = control[loops.BUDGET] * actions
    control[QUESTIONS] = 0
    pending = paths.used[0] - control[PENDING]
    if not has_capacity(nodes, needed) or not has_space(frontier, pending) or not has_paths(paths, needed):
        return loops.FULL
    insert_pending(paths, control, frontier)
    while control[loops.BUDGET] > 0:
        if frontier.size[0] == 0:
            return loops.PAUSED if control[PENDING] < paths.used[0] else loops.EMPTIED
        path = pop(frontier)
        node = paths.ends[path]
        if nodes.marks[node] & GOAL:
            control[loops.AT] = path
            return loops.REACHED
        if is_redundant(paths, control, path):
            continue
        if paths.depths[path] >= control[loops.DEEPEST]:
            control[loops.CUT] = 1
            continue
        control[loops.REOPENED] += paths.best[node] > -math.inf
        paths.best[node] = merit(paths, control, path)
        if control[ORDER] == LEVIN:
            ask(nodes, paths, control, node)
        control[loops.BUDGET] -= 1
        control[loops.EXPANDED] += 1
        expand(level, nodes.states[node], rng, successors, rewards, flags)
        for action in range(actions):
            if not flags[action] & LEGAL:
                continue
            control[loops.GENERATED] += 1
            child, fresh = find_or_add(nodes, successors[action])
            if fresh:
                nodes.marks[child] = 0
                nodes.estimates[child] = evaluate(level, successors[action], tables)
                if flags[action] & TERMINAL and not flags[action] & kernels.GOAL:
                    nodes.estimates[child] = DEAD_END
            if nodes.estimates[child] >= DEAD_END:
                continue
            reached = add_path(paths, path, action, costs[action], child)
            if nodes.estimates[child] < control[loops.LEAST]:
                control[loops.LEAST] = nodes.estimates[child]
                control[loops.BEST] = reached
            if flags[action] & kernels.GOAL:
                nodes.marks[child] |= GOAL | ASKED
                if control[ORDER] != VALUE_ASTAR:
                    control[loops.AT] = reached
                    return loops.REACHED
            elif control[ORDER] != LEVIN:
                ask(nodes, paths, control, child)
    return loops.PAUSED


def make_guided() -> Any:
    """Return the loop as a kernel; its arguments are those of all search loops (:mod:`..loops`) and :class:`Paths`."""
    signature = int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, NODES, FRONTIER, PATHS)
    return compiled(_guided, "search-guided", signature)
