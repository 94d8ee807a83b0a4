"""Depth-first search: one loop along a single path, and the searches that bound it.

    search               bound on                     when nothing is left below the bound
    depth-first          nothing; each state once     exhausted
    depth-limited        actions                      ends at the depth limit
    iterative deepening  actions: 0, 1, 2 …           the next bound
    IDA*                 cost + estimate              the lowest cost + estimate that was cut off

The path's states and their successors are stored in arrays with one row per action. A transposition table of the
states seen in this round, with their cheapest costs, prevents the loop from searching the same states repeatedly.
Once it holds ``transpositions`` states no more are added, so memory stays bounded and the search stays complete.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel
from gridpuzzles_gym.engine.messages import quote

from . import loops
from .heuristic import DEAD_END, Heuristic
from .nodes import NODES, bytes_of, equal, find, find_or_add, grown, has_capacity, new_nodes
from .problem import Limits, Problem, Progress, Result
from .running import Run

# control, after the entries common to all loops. DEPTH: actions on the current path. BOUND: the maximum of
# cost + INFORMED * estimate. NEXT: the lowest value above it that was cut off. ONCE: 1 to visit each state only once
# a round. ROUND: number of this round. MOST: capacity of the table. LENGTH: actions of the best solution.
DEPTH, BOUND, NEXT, INFORMED, ONCE, ROUND, MOST, LENGTH = range(loops.OWN, loops.OWN + 8)

NO_BOUND = 2**62
DEFAULT_DEPTH = 30
"""The default depth limit of depth-limited search."""
TRANSPOSITIONS = 1 << 20
"""Maximum number of states in the transposition table of IDA* and similar searches."""


class Path(NamedTuple):
    """The path from the start to the current state: row d after d actions."""

    states: npt.NDArray[np.int16]
    """int16[D, S]"""
    successors: npt.NDArray[np.int16]
    """int16[D, A, S]: the successors of each state on the path."""
    flags: npt.NDArray[np.uint8]
    """uint8[D, A], as returned by ``expand``."""
    costs: npt.NDArray[np.int64]
    """int64[D]: cost from the start."""
    actions: npt.NDArray[np.int16]
    """int16[D]: the action taken from this state."""
    plan: npt.NDArray[np.int16]
    """int16[D]: the actions to the most promising state found, or to the goal."""


PATH = types.NamedTuple(
    (
        types.Array(int16, 2, "C"),
        types.Array(int16, 3, "C"),
        types.Array(uint8, 2, "C"),
        int64[::1],
        int16[::1],
        int16[::1],
    ),
    Path,
)


@rule
def note_plan(path, control):
    """Record the actions to the state that the path's last action leads to."""
    control[LENGTH] = control[DEPTH] + 1
    for d in range(control[LENGTH]):
        path.plan[d] = path.actions[d]


@rule
def seen_cheaper(nodes, rounds, state, cost, control):
    """Whether this state was seen in this round at no higher cost; if not, add it if the table has capacity."""
    if control[MOST] == 0:
        return False
    if has_capacity(nodes, 1) and nodes.used[0] < control[MOST]:
        node, fresh = find_or_add(nodes, state)
    else:
        node, fresh = find(nodes, state), False
        if node < 0:
            return False
    if not fresh and rounds[node] == control[ROUND]:
        if control[ONCE] or nodes.costs[node] <= cost:
            return True
        control[loops.REOPENED] += 1
    rounds[node] = control[ROUND]
    nodes.costs[node] = cost
    return False


def _depth_first(expand, evaluate, instance, path, nodes, rounds):
    path, nodes, rounds = borrowed(path), borrowed(nodes), borrowed(rounds)
    level, costs, tables, rng, _, rewards, _, control = borrowed(instance)
    actions = costs.shape[0]
    while control[loops.BUDGET] > 0:
        depth = control[DEPTH]
        if depth < 0:
            return loops.EMPTIED
        if depth + 1 >= path.states.shape[0]:
            return loops.FULL
        if not has_capacity(nodes, actions) and nodes.used[0] < control[MOST]:
            return loops.FULL
        action = path.actions[depth] + 1  # the next action to try; 0 if the state has not been expanded
        if action == 0:
            control[loops.BUDGET] -= 1
            control[loops.EXPANDED] += 1
            expand(level, path.states[depth], rng, path.successors[depth], rewards, path.flags[depth])
        while action < actions and not path.flags[depth, action] & LEGAL:
            action += 1
        path.actions[depth] = action
        if action == actions:
            control[DEPTH] -= 1
            continue
        control[loops.GENERATED] += 1
        child, flags = path.successors[depth, action], path.flags[depth, action]
        if depth > 0 and equal(child, path.states[depth - 1]):
            continue
        cost = path.costs[depth] + costs[action]
        estimate = evaluate(level, child, tables)
        if estimate >= DEAD_END:
            continue
        if depth + 1 > control[loops.DEEPEST]:
            control[loops.CUT] = 1
            continue
        total = cost + control[INFORMED] * estimate
        if total > control[BOUND]:
            control[NEXT] = min(control[NEXT], total)
            continue
        if flags & kernels.GOAL:
            note_plan(path, control)
            return loops.REACHED
        if flags & TERMINAL:
            continue
        if estimate < control[loops.LEAST]:
            control[loops.LEAST] = estimate
            note_plan(path, control)
        if seen_cheaper(nodes, rounds, child, cost, control):
            continue
        copy_row(child, path.states[depth + 1])
        path.costs[depth + 1] = cost
        path.actions[depth + 1] = -1
        control[DEPTH] = depth + 1
    return loops.PAUSED


def _make_depth_first() -> Any:
    signature = int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, PATH, NODES, int32[::1])
    return compiled(_depth_first, "search-depth-first", signature)


def bounded_depth_first(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int,
    progress: Progress,
    *,
    bound: int | None,
    informed: bool,
    once: bool = False,
    transpositions: int = TRANSPOSITIONS,
) -> Result:
    """Run the loop in rounds, each with the lowest bound that lets it search further than the last.

    Args:
        problem: The problem to solve.
        heuristic: Part of the bound if ``informed``; otherwise it only selects the best state so far.
        limits: When to give up.
        seed: Not used.
        progress: How to show progress.
        bound: The bound of the first round; None is the estimate of the start.
        informed: Does the estimate count towards the bound?
        once: Visit each state only once a round, even if a cheaper path to it is found.
        transpositions: Capacity of the transposition table in states; 0 disables it.

    Raises:
        ValueError: ``transpositions`` is negative.
    """
    if isinstance(transpositions, bool) or not isinstance(transpositions, int | np.integer) or transpositions < 0:
        raise ValueError(f"transpositions={quote(transpositions)}: must be a non-negative integer")
    loop = kernel(_make_depth_first)
    if not informed and not (problem.costs == 1).all():
        uniform = dataclasses.replace(problem, costs=np.ones(len(problem.costs), np.int64))
        result = bounded_depth_first(
            uniform, heuristic, limits, seed, progress,
            bound=bound, informed=False, once=once, transpositions=transpositions,
        )  # fmt: skip
        return dataclasses.replace(result, cost=int(problem.costs[list(result.actions)].sum()))
    start = problem.state
    nodes, path = new_nodes(start), _new_path(start, len(problem.costs), 64)
    rounds = np.full(len(nodes.parents), -1, np.int32)
    run = Run(problem, heuristic, limits, seed, progress, own=8)
    control = run.control
    first = control[loops.LEAST] if bound is None else bound
    control[[BOUND, NEXT, INFORMED, ONCE, MOST]] = first, NO_BOUND, informed, once, transpositions

    def advance() -> int:
        why: int = loop(run.expand, run.evaluate, run.instance, path, nodes, rounds)
        if why != loops.EMPTIED or control[NEXT] == NO_BOUND:
            return why
        control[[BOUND, NEXT, DEPTH]] = control[NEXT], NO_BOUND, 0
        control[ROUND] += 1
        rounds[0] = control[ROUND]
        path.actions[0] = -1
        return loops.PAUSED

    def grow(memory: float) -> int:
        nonlocal nodes, path, rounds
        if control[DEPTH] + 1 >= len(path.states):
            if 3 * _size_of(path) + bytes_of(nodes) > memory:
                return 0
            path = _longer(path)
        else:
            larger = grown(nodes, memory - _size_of(path))
            if larger is None:
                if once:
                    return 0
                control[MOST] = nodes.used[0]  # the table stops growing, the search continues
                return run.peak_bytes
            run.peak_bytes = max(run.peak_bytes, bytes_of(nodes) + bytes_of(larger) + _size_of(path))
            nodes = larger
            rounds = np.concatenate([rounds, np.full(len(nodes.parents) - len(rounds), -1, np.int32)])
        return bytes_of(nodes) + rounds.nbytes + _size_of(path)

    run.peak_bytes = bytes_of(nodes) + rounds.nbytes + _size_of(path)
    rounds[0] = 0
    return run.result(run.drive(advance, grow), path.plan[: control[LENGTH]].tolist())


def _new_path(start: npt.NDArray[np.int16], actions: int, length: int) -> Path:
    path = Path(
        np.empty((length, len(start)), np.int16),
        np.empty((length, actions, len(start)), np.int16),
        np.empty((length, actions), np.uint8),
        np.zeros(length, np.int64),
        np.full(length, -1, np.int16),
        np.empty(length, np.int16),
    )
    path.states[0] = start
    return path


def _longer(path: Path) -> Path:
    return Path(*(np.concatenate([array, np.empty_like(array)]) for array in path))


def _size_of(path: Path) -> int:
    return sum(array.nbytes for array in path)


def depth_first(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Expand the most recently found state first, each state once; finds some solution, often a very long one."""
    return bounded_depth_first(
        problem, heuristic, limits, seed, progress,
        bound=NO_BOUND - 1, informed=False, once=True, transpositions=loops.UNBOUNDED,
    )  # fmt: skip


def depth_limited(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    transpositions: int = TRANSPOSITIONS,
) -> Result:
    """Depth-first search to at most ``limits.depth`` (30) actions; finds a solution if one that short exists."""
    limits = dataclasses.replace(limits, depth=limits.depth or DEFAULT_DEPTH)
    return bounded_depth_first(
        problem, heuristic, limits, seed, progress,
        bound=NO_BOUND - 1, informed=False, transpositions=transpositions,
    )  # fmt: skip


def iterative_deepening(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    transpositions: int = TRANSPOSITIONS,
) -> Result:
    """Depth-limited search to 0, 1, 2 … actions; finds a solution with the fewest actions, whatever they cost."""
    return bounded_depth_first(
        problem, heuristic, limits, seed, progress, bound=0, informed=False, transpositions=transpositions
    )


def ida_star(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    transpositions: int = TRANSPOSITIONS,
) -> Result:
    """Iterative deepening on cost + estimate; finds a cheapest solution if the heuristic is admissible."""
    return bounded_depth_first(
        problem, heuristic, limits, seed, progress, bound=None, informed=True, transpositions=transpositions
    )
