"""Local search: move from one state to a neighbouring one until a neighbour is the goal.

    search               the next step                            if there is none
    hill climbing        the successor with the lowest estimate   stuck
    … stochastic         a random better one, by its advantage    stuck
    … random restart     as hill climbing                         restart from the end of a random walk
    simulated annealing  a random one, sometimes a worse one      (once cold) restart from the start, hot

S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", 4th ed., §4.1. A neighbouring goal is
always taken; dead ends, and ends of the episode other than the goal, never are. These searches prove nothing. They
remember only the current path, without its loops: that is the solution. When the node store is full, all nodes off
the path are removed, so memory grows with the path and not with the number of steps.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int32, int64, types

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL, kernel
from gridpuzzles_gym.engine.random import below

from . import loops
from .heuristic import Heuristic
from .nodes import NODES, bytes_of, find, find_or_add, grown, has_capacity, keep_only, new_nodes
from .problem import Limits, Problem, Progress, Result
from .running import Run
from .steps import (
    BARRED,
    COLDEST,
    HOTTEST,
    LEVEL,
    LEVEL_MOST,
    NOWHERE,
    TEMPERATURE,
    accept,
    choose_any,
    choose_best,
    choose_better,
    count_open,
)

# control, after the entries common to all loops. NODE: the current node. FRESH: 1 once its successors are generated.
# RULE: how to choose a step. LENGTH: actions of the best path. ENDLESS: 1 to restart if there is no step; RESTARTS
# so far. WALK: the unit of length of random walks, 0 for none; WALKING: steps left of this walk.
# LEVEL and LEVEL_MOST of :mod:`.steps` come before them.
NODE, FRESH, RULE, LENGTH, ENDLESS, RESTARTS, WALK, WALKING = range(loops.OWN + 2, loops.OWN + 10)
# Values of control[RULE].
STEEPEST, STOCHASTIC, ANNEALING = range(3)


class Walk(NamedTuple):
    """The current path, and the best one."""

    way: npt.NDArray[np.int32]
    """int32[N]: the node after k actions; a node is on the path where ``way[depths[node]] == node``."""
    plan: npt.NDArray[np.int16]
    """int16[N]: the actions to the most promising state found, or to the goal."""
    scores: npt.NDArray[np.int64]
    """int64[A]: the estimates of the successors, or BARRED."""
    numbers: npt.NDArray[np.float64]


WALK_TYPE = types.NamedTuple((int32[::1], types.Array(types.int16, 1, "C"), int64[::1], float64[::1]), Walk)


@rule
def score_all(expand, evaluate, instance, nodes, walk):
    """Expand the current state and write the scores; return the action that leads to the goal, or NOWHERE."""
    level, costs, tables, rng, successors, rewards, flags, control = instance
    node = control[NODE]
    control[FRESH] = 1
    control[loops.EXPANDED] += 1
    control[loops.GENERATED] += expand(level, nodes.states[node], rng, successors, rewards, flags)
    goal = NOWHERE
    for action in range(costs.shape[0]):
        walk.scores[action] = BARRED
        if not flags[action] & LEGAL:
            continue
        if nodes.depths[node] >= control[loops.DEEPEST]:  # only steps back onto the path are allowed
            there = find(nodes, successors[action])
            if there < 0 or nodes.depths[there] > nodes.depths[node] or walk.way[nodes.depths[there]] != there:
                control[loops.CUT] = 1
                continue
        if flags[action] & kernels.GOAL:
            walk.scores[action] = 0
            goal = action
        elif not flags[action] & TERMINAL:
            walk.scores[action] = min(evaluate(level, successors[action], tables), BARRED)
    return goal


@rule
def go(nodes, walk, control, successor, action, estimate):
    """Step to a successor: remove any loop from the path, and record the path if its estimate is a new minimum."""
    node = control[NODE]
    child, fresh = find_or_add(nodes, successor)
    if fresh or nodes.depths[child] > nodes.depths[node] or walk.way[nodes.depths[child]] != child:
        depth = nodes.depths[node] + 1
        nodes.depths[child] = depth
        nodes.actions[child] = action
        nodes.estimates[child] = estimate
        walk.way[depth] = child
    control[NODE] = child
    control[FRESH] = 0
    if estimate < control[loops.LEAST]:
        control[loops.LEAST] = estimate
        keep_plan(nodes, walk, control)


@rule
def keep_plan(nodes, walk, control):
    """Record the path to the current state."""
    control[LENGTH] = nodes.depths[control[NODE]]
    for k in range(control[LENGTH]):
        walk.plan[k] = nodes.actions[walk.way[k + 1]]


def _local(expand, evaluate, instance, nodes, walk):
    instance, nodes, walk = borrowed(instance), borrowed(nodes), borrowed(walk)
    rng, successors, control = instance.rng, instance.successors, instance.control
    scores, numbers = walk.scores, walk.numbers
    while control[loops.BUDGET] > 0:
        if not has_capacity(nodes, 1):
            return loops.FULL
        control[loops.BUDGET] -= 1
        if not control[FRESH]:
            action = score_all(expand, evaluate, instance, nodes, walk)
            if action >= 0:
                go(nodes, walk, control, successors[action], action, 0)
                keep_plan(nodes, walk, control)
                return loops.REACHED
        here = nodes.estimates[control[NODE]]
        action = NOWHERE
        if control[WALKING] > 0:
            control[WALKING] -= 1
            action = choose_any(scores, rng)
        elif control[RULE] == ANNEALING:
            if numbers[TEMPERATURE] >= numbers[COLDEST]:
                action = choose_any(scores, rng)
            if action >= 0:
                action = accept(action, scores[action] - here, numbers, rng)
        else:
            if control[RULE] == STOCHASTIC:
                action = choose_better(scores, here, control, rng)
            if action == NOWHERE:
                action = choose_best(scores, here, control, rng)
        if action >= 0:
            go(nodes, walk, control, successors[action], action, scores[action])
        elif action == NOWHERE:
            if not control[ENDLESS]:
                return loops.STALLED
            if control[NODE] == 0 and count_open(scores) == 0:  # no successor at all
                return loops.STALLED
            control[RESTARTS] += 1
            control[NODE] = control[FRESH] = control[LEVEL] = 0
            numbers[TEMPERATURE] = numbers[HOTTEST]
            if control[WALK] > 0:
                bits = 0
                while control[RESTARTS] >> bits > 0:
                    bits += 1
                control[WALKING] = 1 + below(rng, control[WALK] * bits)
    return loops.PAUSED


def _make_local() -> Any:
    return compiled(_local, "search-local", int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, NODES, WALK_TYPE))


def _walk(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int,
    progress: Progress,
    *,
    choice: int,
    sideways: int = 0,
    endless: bool = False,
    unit: int = 0,
    schedule: tuple[float, float, float] = (0.0, 0.0, 1.0),
) -> Result:
    """Run the loop; ``schedule`` is HOTTEST, COLDEST, COOLING."""
    loop = kernel(_make_local)
    nodes = new_nodes(problem.state, 1 << 10)
    run = Run(problem, heuristic, limits, seed, progress, own=10)
    control = run.control
    control[[RULE, LEVEL_MOST, ENDLESS, WALK]] = choice, sideways, endless, unit
    nodes.estimates[0] = control[loops.LEAST]

    def new_walk(before: Walk | None) -> Walk:
        size = len(nodes.parents)
        walk = Walk(
            np.zeros(size, np.int32),
            np.zeros(size, np.int16),
            np.zeros(len(problem.costs), np.int64) if before is None else before.scores,
            np.array([schedule[0], *schedule]) if before is None else before.numbers,
        )
        if before is not None:
            walk.way[: len(before.way)], walk.plan[: len(before.plan)] = before.way, before.plan
        return walk

    walk = new_walk(None)

    def held() -> int:
        return bytes_of(nodes) + walk.way.nbytes + walk.plan.nbytes

    def grow(memory: float) -> int:
        nonlocal nodes, walk
        length = int(nodes.depths[control[NODE]]) + 1
        if 2 * length <= len(nodes.parents):
            keep_only(nodes, walk.way[:length])
            walk.way[:length] = np.arange(length)
            control[NODE] = length - 1
            return held()
        before = held()
        larger = grown(nodes, memory - 3 * (walk.way.nbytes + walk.plan.nbytes))
        if larger is None:
            return 0
        nodes = larger
        walk = new_walk(walk)
        run.peak_bytes = max(run.peak_bytes, before + held())
        return held()

    run.peak_bytes = held()
    status = run.drive(lambda: loop(run.expand, run.evaluate, run.instance, nodes, walk), grow)
    return run.result(status, walk.plan[: control[LENGTH]].tolist())


def hill_climbing(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    sideways: int = 100,
) -> Result:
    """Step to the successor with the lowest estimate, ties broken at random, while it is below the current estimate.

    Args:
        problem: The problem to solve.
        heuristic: The estimate to minimise.
        limits: When to give up.
        seed: Random seed for breaking ties.
        progress: How to show progress.
        sideways: Maximum number of consecutive steps that leave the estimate unchanged.

    Returns:
        A result that is solved, or stuck at a local optimum.
    """
    level = integer("sideways", sideways, 0)
    return _walk(problem, heuristic, limits, seed, progress, choice=STEEPEST, sideways=level)


def stochastic_hill_climbing(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    sideways: int = 100,
) -> Result:
    """Step to a random successor with a lower estimate, with a probability proportional to the decrease."""
    level = integer("sideways", sideways, 0)
    return _walk(problem, heuristic, limits, seed, progress, choice=STOCHASTIC, sideways=level)


def random_restart(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    sideways: int = 100,
    walk: int = 20,
) -> Result:
    """Repeat hill climbing, each time from the end of a random walk from the start.

    The length of the k-th walk is uniform from 1 to ``walk * (1 + log2 k)`` (rounded down): walks become as
    long as the puzzle needs, and short ones stay frequent. Ends when solved or at a limit.
    """
    level, unit = integer("sideways", sideways, 0), integer("walk", walk, 1, 10**6)
    return _walk(problem, heuristic, limits, seed, progress, choice=STEEPEST, sideways=level, endless=True, unit=unit)


def simulated_annealing(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    temperature: float = 2.0,
    cooling: float = 0.9999,
    coldest: float = 0.5,
) -> Result:
    """Propose a random successor; accept it if its estimate is no higher, else with probability exp(-rise / T).

    Each proposal, accepted or not, multiplies T, initially ``temperature``, by ``cooling``; once T is below
    ``coldest`` the search restarts from the start, hot. Ends when solved or at a limit.
    S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.

    Raises:
        ValueError: A number is out of range, or ``coldest`` is above ``temperature``.
    """
    hot = real("temperature", temperature, 1e-6, 1e6)
    schedule = hot, real("coldest", coldest, 1e-6, hot), real("cooling", cooling, 0.0, 1.0 - 1e-9)
    return _walk(problem, heuristic, limits, seed, progress, choice=ANNEALING, endless=True, schedule=schedule)
