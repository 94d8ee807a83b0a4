"""Best-first searches that a network guides: paths are expanded, and states evaluated, in batches.

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

The probability of a path, π, is the product of the policy's probabilities of its actions; d is its number of actions,
plus 1 for the start. States are expanded in increasing order of

- ``d / π`` in Levin tree search (L. Orseau, L. Lelis, T. Lattimore and T. Weber, "Single-agent policy tree search with
  guarantees", NeurIPS 2018). Theorem 3: it expands at most ``d / π`` states before it reaches a solution, whichever
  solution one takes. This holds if states are expanded one by one, with ``batch=1``;
- ``(d + h) / π^(1 + h/d)`` in PHS* (L. Orseau and L. Lelis, "Policy-guided heuristic search with guarantees", AAAI
  2021), with the network's estimate h of the number of actions to the goal: d / π for the whole path from the start to
  the goal, as if the rest of it was as probable, per action, as the path so far.

Levin tree search leaves out a path to a state that was expanded by one at least as probable, as in Algorithm 1 of the
first paper, so a state may be expanded again, but is evaluated once. PHS* expands a state once: so it solves as many
levels of Sokoban, with fewer states. Both look for a solution with little effort, not for a short one, and ignore the
costs of actions. They end when they generate the goal.

A* with the estimate of a network is by F. Agostinelli, S. McAleer, A. Shmakov and P. Baldi, "Solving the Rubik's cube
with deep reinforcement learning and search", Nature Machine Intelligence 2019 (DeepCubeA). Their order is ``λ · cost +
estimate``; here it is ``cost + weight · estimate``, as in weighted A*, which is the same for ``weight = 1 / λ``; for
the 15-puzzle they choose λ = 0.8. It ends when the goal is the first state of the frontier. A network's estimate is
not admissible, so that nothing is proven about its solutions. A network that has learned from its own play estimates
how many actions it would itself take, which is more than necessary: a weight below 1 then leads to shorter solutions,
by way of more states.

When half of a limit of states are used, ``late_weight`` counts instead. With a low weight first and a higher one then,
the search finds short solutions where these need few states, and longer ones elsewhere.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float32, float64, int16, int32, int64, types

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel

from . import loops
from . import nodes as store
from .best_first import FRONTIER, has_space, new_frontier, pop, push, size_of, widened
from .heuristic import DEAD_END, Evaluator, Heuristic, of_one_level
from .nodes import GOAL, NO_PARENT, NODES, find_or_add, has_capacity, new_nodes
from .problem import FOUND, Limits, Problem, Progress, Result
from .running import Run

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


MOST_STATES = 4096
"""The maximum of ``batch``."""
SHARE = 100
"""A batch is at most this fraction of the states expanded before."""


class GuidedRun(Run):
    """A guided search in progress.

    Args:
        problem: The problem to solve.
        heuristic: The estimate that selects the best state so far.
        limits: When to give up.
        progress: How to show progress.
        model: The network.
        batch: The maximum number of states that are expanded at once.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """

    def __init__(
        self,
        problem: Problem,
        heuristic: Heuristic,
        limits: Limits,
        progress: Progress,
        model: Evaluator,
        batch: int,
    ) -> None:
        super().__init__(problem, heuristic, limits, 0, progress, own=OWN_NUMBERS)
        self.model, self.batch, self.loop = model, integer("batch", batch, 1, MOST_STATES), kernel(make_guided)
        self.nodes, self.frontier = new_nodes(problem.state), new_frontier()
        self.nodes.estimates[0], self.nodes.marks[0] = self.control[loops.LEAST], ASKED
        self.paths = new_paths(len(self.nodes.parents), len(problem.costs), self.batch)
        self.peak_bytes = self._held()

    def search(self, order: int, weight: float = 1.0, late_weight: float = 1.0) -> Result:
        """Search in one of the orders of this module, with A*'s weight of the estimate.

        Args:
            order: The order.
            weight: The weight until half of the limit of states are expanded.
            late_weight: The weight from then on.
        """
        self.control[[ORDER, WEIGHT, PENDING]] = order, round(WEIGHT_PARTS * weight), 1
        self.late_weight = round(WEIGHT_PARTS * late_weight)
        self._evaluate(np.zeros(1, np.int32))
        status = self.drive(self._advance, self._grow)
        path = int(self.control[loops.AT if status == FOUND else loops.BEST])
        return self.result(status, actions_of(self.paths, path))

    def _advance(self) -> int:
        """Expand whole batches, at least as many states as the budget says; only the limit of states cuts one short."""
        control = self.control
        until = control[loops.EXPANDED] + control[loops.BUDGET]
        while True:
            if self._is_late() and control[WEIGHT] != self.late_weight:
                control[WEIGHT], control[PENDING] = self.late_weight, 1
                self.frontier.size[0] = 0  # all paths are inserted again, except those that have been expanded
            control[loops.BUDGET] = self._next_batch() if control[loops.EXPANDED] < until else 0
            why: int = self.loop(self.expand, self.evaluate, self.instance, self.nodes, self.frontier, self.paths)
            if why == loops.PAUSED:
                self._evaluate(self.paths.asked[: control[QUESTIONS]])
            if why != loops.PAUSED or control[loops.EXPANDED] >= until:
                control[loops.BUDGET] = 0
                return why

    def _is_late(self) -> bool:
        """Whether half of the states are used."""
        return self.limits.nodes is not None and 2 * self.control[loops.EXPANDED] >= self.limits.nodes

    def _next_batch(self) -> int:
        """Return how many states to expand at once: few at first, where each may be the last."""
        expanded = int(self.control[loops.EXPANDED])
        size = min(self.batch, max(expanded // SHARE, 1))
        return size if self.limits.nodes is None else min(size, self.limits.nodes - expanded)

    def _evaluate(self, asked: np.ndarray) -> None:
        """Ask the network about nodes."""
        if len(asked):
            policies, _, distances = of_one_level(self.model, self.problem.level, self.nodes.states[asked])
            self.paths.policies[asked], self.paths.distances[asked] = policies, distances

    def _held(self) -> int:
        return store.bytes_of(self.nodes) + size_of(self.frontier) + bytes_of(self.paths)

    def _grow(self, memory: float) -> int:
        """Enlarge whichever arrays are full; return the bytes in use, or 0 if there is no memory for that."""
        needed, nodes, paths = self.batch * len(self.problem.costs), self.nodes, self.paths
        free = memory - self._held() - bytes_of(paths)  # both copies of the paths exist for a moment
        count = len(paths.ends) * (1 if has_paths(paths, needed) else 2)
        if not has_capacity(nodes, needed):
            larger = store.grown(nodes, free + store.bytes_of(nodes) - bytes_of(paths))
        else:
            larger = nodes if free > 2 * size_of(self.frontier) else None
        if larger is None:
            return 0
        self.peak_bytes = max(self.peak_bytes, self._held() + store.bytes_of(larger))
        self.nodes, self.paths = larger, with_capacity(paths, len(larger.parents), count)
        if larger is nodes and count == len(paths.ends):
            self.frontier = widened(self.frontier)
        return self._held()


BATCH = 32
"""Default maximum of states that are expanded at once."""


def levin_tree_search(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = BATCH,
) -> Result:
    """Expand paths in increasing order of their length divided by their probability.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(LEVIN)


def phs_star(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = BATCH,
) -> Result:
    """Expand paths in increasing order of what Levin tree search would pay for a solution through them.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(PHS_STAR)


def value_astar(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = 100,
    weight: float = 1.0,
    late_weight: float | None = None,
) -> Result:
    """Expand paths in increasing order of cost + weight × the network's estimate.

    Args:
        problem: The problem.
        heuristic: The estimate that selects the best state so far.
        limits: When to give up.
        seed: Ignored.
        progress: How to show progress.
        model: The network.
        batch: The maximum number of states that are expanded at once.
        weight: Weight of the estimate.
        late_weight: Its weight when half of ``limits.nodes`` are used; by default ``weight``.

    Raises:
        ValueError: ``batch`` is not a positive integer, or a weight is below 0 or above 1000.
    """
    weights = [real("weight", weight, 0, 1000)]
    weights.append(weights[0] if late_weight is None else real("late_weight", late_weight, 0, 1000))
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(VALUE_ASTAR, *weights)
