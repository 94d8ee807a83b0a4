"""Planners: search for plans of many states at once, in several threads where the search is a kernel."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.compilation import compiled, plain, routine
from gridpuzzles_gym.engine.kernels import LEVEL, kernel
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.setup import Setup

from ..agent_kernels import LENGTH
from ..puzzle_agents import agents_record
from ..search import loops
from ..search.best_first import ORDERS, WEIGHT_PARTS
from ..search.heuristic import Heuristic
from ..search.parameters import real
from ..search.problem import Limits, Problem
from ..search.solver import make_solve
from ..search_tables import heuristic_named, search_named
from .plan_memory import LOST

LONGEST = 1000
"""Maximum number of actions of a plan; longer ones are given up."""
NODES = 20_000
"""Default limit of the states that are expanded for one plan."""

Plans = npt.NDArray[np.uint8]
"""uint8[n, LONGEST]: actions."""
Numbers = npt.NDArray[np.int64]


class Planner(Protocol):
    """Finds plans."""

    def plan(self, batch: Batch, which: Numbers) -> tuple[Plans, Numbers]:
        """Return plans for the states of some environments, int64[n], and their lengths: LOST if none was found."""
        ...


def make_planner(
    setup: Setup, search: str, heuristic: str | None, nodes: int, threads: int | None, parameters: Mapping[str, Any]
) -> Planner:
    """Return a planner for an environment.

    Args:
        setup: The environment's configuration.
        search: The name of a search.
        heuristic: The name of its heuristic; None is the puzzle's default.
        nodes: The maximum number of states to expand for one plan.
        threads: The number of threads; None is the number of processors.
        parameters: Parameters of the search.

    Raises:
        ValueError: There is no such search or heuristic, or a parameter is invalid.
    """
    puzzle, actions = setup.puzzle, len(setup.action_names)
    found, estimate = search_named(search, puzzle), heuristic_named(heuristic, puzzle)
    solvers, rest = agents_record(puzzle).solvers(), dict(parameters)
    workers = _positive("threads", os.cpu_count() or 1 if threads is None else threads)
    nodes = _positive("nodes", nodes)
    if search in solvers:
        make: Any = functools.partial(_make_own_batch, puzzle, search)
        order = solvers[search].settings
    elif search in ORDERS:
        make = functools.partial(_make_plan_batch, puzzle, estimate, actions)
        order = ORDERS[search]
        if search == "weighted-astar" and "weight" in rest:
            order = (order[0], round(WEIGHT_PARTS * real("weight", rest.pop("weight"), 1, 1000)), order[2])
    else:
        return SearchPlanner(setup, found.solve, estimate, nodes, rest)
    if rest:
        raise ValueError(f"teacher {search!r} has no parameter {next(iter(rest))!r}")
    return KernelPlanner(kernel(make), estimate, order, nodes, workers)


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r}: must be a positive integer")
    return int(value)


class SearchPlanner:
    """Plans by any search, one state after the other."""

    def __init__(
        self, setup: Setup, solve: Callable[..., Any], heuristic: Heuristic, nodes: int, parameters: Mapping[str, Any]
    ) -> None:
        self.setup, self.solve, self.heuristic = setup, solve, heuristic
        self.limits, self.parameters = Limits(nodes=nodes, depth=LONGEST), parameters

    def plan(self, batch: Batch, which: Numbers) -> tuple[Plans, Numbers]:
        """Return plans: :meth:`Planner.plan`."""
        plans, lengths = np.zeros((len(which), LONGEST), np.uint8), np.full(len(which), LOST)
        for k, i in enumerate(which.tolist()):
            level = batch.levels[batch.counters[i, LEVEL]]
            problem = Problem(self.setup.puzzle, level, batch.states[i], self.setup.options)
            result = self.solve(problem, self.heuristic, self.limits, **self.parameters)
            if result.solved and len(result.actions) <= LONGEST:
                lengths[k] = len(result.actions)
                plans[k, : lengths[k]] = result.actions
        return plans, lengths


class KernelPlanner:
    """Plans by a kernel, in several threads.

    Args:
        kernel: ``plan_batch(levels, counters, states, which, tables, settings, most, plans, lengths)``.
        heuristic: The heuristic whose tables it takes.
        settings: What distinguishes it from others with the same kernel.
        nodes: The maximum number of states to expand for one plan.
        threads: The number of threads.
    """

    def __init__(
        self, kernel: Callable[..., None], heuristic: Heuristic, settings: tuple[int, ...], nodes: int, threads: int
    ) -> None:
        self.kernel, self.heuristic, self.nodes, self.threads = kernel, heuristic, nodes, threads
        self.settings = np.array(settings, np.int64)
        self._tables: npt.NDArray[np.uint8] | None = None
        self._pool: ThreadPoolExecutor | None = None

    def plan(self, batch: Batch, which: Numbers) -> tuple[Plans, Numbers]:
        """Return plans: :meth:`Planner.plan`."""
        if self._tables is None:
            shared = self.heuristic.table_kernels is None
            tables = self.heuristic.prepare(batch.levels[batch.counters[0, LEVEL]]) if shared else np.zeros(1, np.uint8)
            self._tables = np.require(tables, requirements="W")
        plans, lengths = np.zeros((len(which), LONGEST), np.uint8), np.full(len(which), LOST)

        def run(part: Numbers) -> None:
            chosen, found = which[part], lengths[part]
            rows = plans[part]
            self.kernel(
                batch.levels, batch.counters, batch.states, chosen, self._tables, self.settings, self.nodes, rows, found
            )
            plans[part], lengths[part] = rows, found

        parts = np.array_split(np.arange(len(which)), min(4 * self.threads, len(which)))
        if self.threads == 1 or len(parts) == 1:
            for part in parts:
                run(part)
            return plans, lengths
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        list(self._pool.map(run, parts))
        return plans, lengths


def _make_plan_batch(puzzle: Puzzle, heuristic: Heuristic, actions: int) -> Callable[..., None]:
    solve = make_solve(puzzle, heuristic, actions)
    return _batch_of(solve, f"{puzzle.name}-{heuristic.name}-plans")


def _make_own_batch(puzzle: Puzzle, search: str) -> Callable[..., None]:
    own = routine(plain(agents_record(puzzle).solvers()[search].kernel))

    @routine
    def solve(level, state, tables, settings, most, plan):
        counts = np.empty(3, np.int64)
        why = own(level, state, settings, most, plan, counts)
        return why, counts[LENGTH]

    return _batch_of(solve, f"{puzzle.name}-own-plans")


def _batch_of(solve: Callable[..., tuple[int, int]], name: str) -> Callable[..., None]:
    def plan_batch(levels, counters, states, which, tables, settings, most, plans, lengths):
        for k in range(which.shape[0]):
            i = which[k]
            why, length = solve(levels[counters[i, LEVEL]], states[i], tables, settings, most, plans[k])
            lengths[k] = length if why == loops.REACHED and length <= plans.shape[1] else LOST

    return compiled(plan_batch, name, nogil=True)
