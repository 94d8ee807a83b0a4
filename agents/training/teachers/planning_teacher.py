"""A teacher that searches: it plans in states that no earlier plan leads through.

Many states are planned for at once, in several threads where the search is a kernel.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numba.core import types

from gridpuzzles_gym.engine.arguments import real
from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.kernels import kernel, make_expand
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.rule_kernels import make_generate
from gridpuzzles_gym.engine.system.processors import usable_cores

from ...agent_kernels import LENGTH
from ...puzzle_agents import agents_record
from ...search import loops
from ...search.best_first import ORDERS, WEIGHT_PARTS
from ...search.heuristic import Heuristic
from ...search.problem import EXHAUSTED, Limits, Problem
from ...search.solver import search_to_end
from ...search_tables import heuristic_named, search_named
from .plan_memory import LOST, PlanMemory
from .teacher import Labels

LONGEST = 1000
"""Maximum number of actions of a plan; longer ones are rejected."""
NODES = 20_000
"""Default limit of the states that are expanded for one plan."""
START_FACTOR = 100
"""Factor on this limit at the start of an episode, since all later plans depend on the first one."""
MAX_WEIGHT = 1000
PARTS = 4
"""Number of parts of the work per thread: some take longer than others."""
UNDECIDED = LOST - 1
"""The length of a plan that was not found within the limit."""

Plans = npt.NDArray[np.uint8]
"""uint8[n, LONGEST]: actions."""
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class PlanningTeacher:
    """Looks up actions in a memory of all its plans, and plans where there are none.

    If no plan is found, the position counts as lost until the end of the episode, or until a plan of another
    environment leads through it.

    Args:
        config: The configuration of the environments.
        planners: The planners; each is used where those before it reached their limits.
    """

    def __init__(self, config: EnvConfig, planners: "Sequence[Planner]") -> None:
        self.planners = planners
        self.actions = len(config.action_names)
        width, squares = config.puzzle.sizes(config.extent)[1], config.extent[0] * config.extent[1]
        walker = agents_record(config.puzzle).walker
        self.memory = PlanMemory(config.puzzle, self.actions, squares, width, walker)
        self._lost = np.zeros(0, np.bool_)

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return the labels of its plans: :meth:`~.teacher.Teacher.label`."""
        if len(self._lost) != batch.size:
            self._lost = np.zeros(batch.size, np.bool_)
        self._lost &= ~starting
        bits = np.zeros(batch.size, np.int64)
        keys = self.memory.look_up(batch, np.arange(batch.size), bits)
        missing = np.flatnonzero((bits == 0) & ~self._lost)
        if len(missing):
            _, firsts = np.unique(keys[missing], return_index=True)
            self._plan(batch, missing[firsts], starting)
            self.memory.look_up(batch, missing, bits)
        known = bits > 0
        self._lost |= bits == LOST
        probabilities = (np.where(known, bits, 0)[:, None] >> np.arange(self.actions) & 1).astype(np.float32)
        probabilities /= np.maximum(probabilities.sum(axis=1, keepdims=True), 1)
        return Labels(probabilities, known, probabilities.argmax(axis=1))

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Do nothing: plans depend on states only."""

    def _plan(self, batch: Batch, which: npt.NDArray[np.int64], starting: npt.NDArray[np.bool_]) -> None:
        for planner in self.planners:
            plans, lengths = planner.plan(batch, which, starting[which])
            undecided = (lengths == UNDECIDED) & (planner is not self.planners[-1])
            lengths = np.maximum(lengths, LOST)
            self.memory.store(batch, which[~undecided], plans[~undecided], lengths[~undecided])
            which = which[undecided]
            if not len(which):
                return


class Planner(Protocol):
    """Finds plans."""

    def plan(self, batch: Batch, which: Numbers, starting: Flags) -> tuple[Plans, Numbers]:
        """Return plans for the states of some environments.

        Args:
            batch: The environments.
            which: int64[n]: some of them.
            starting: bool[n]: True in the first state of an episode.

        Returns:
            The plans, and int64[n], their lengths: LOST if there is none, UNDECIDED if none was found.
        """
        ...


def make_planner(
    config: EnvConfig,
    search: str,
    /,
    heuristic: str | None = None,
    nodes: int = NODES,
    threads: int | None = None,
    **parameters: Any,
) -> Planner:
    """Return a planner for an environment.

    Args:
        config: The environment's configuration.
        search: The name of a search.
        heuristic: The name of its heuristic; None is the puzzle's default.
        nodes: The maximum number of states to expand for one plan.
        threads: The number of threads; None is one for each core that may be used.
        **parameters: Parameters of the search.

    Raises:
        ValueError: There is no such search or heuristic, it does not fit the board, or a parameter is invalid.
    """
    puzzle = config.puzzle
    found, estimate = search_named(search, puzzle), heuristic_named(heuristic, puzzle)
    workers = _positive("threads", usable_cores() if threads is None else threads)
    nodes, solver = _positive("nodes", nodes), agents_record(puzzle).solvers().get(search)
    for name in parameters:
        if name not in found.parameters:
            allowed = ", ".join(("heuristic", "nodes", "threads", *found.parameters))
            raise ValueError(f"teacher {quote(search)} has no parameter {quote(name)}; it has {allowed}")
    if solver is None and (search not in ORDERS or estimate.table_kernels is not None):
        return SearchPlanner(config, found.solve, estimate, nodes, parameters)
    order = list(ORDERS[search] if solver is None else solver.settings)
    if "weight" in parameters:
        weight = real("weight", parameters["weight"], 1, MAX_WEIGHT)
        order[1 if solver is None else solver.weight or 0] = round(weight * (WEIGHT_PARTS if solver is None else 1))
    if solver is not None:
        return KernelPlanner(kernel(_make_own_batch, puzzle, search), order, nodes, workers)
    functions = kernel(make_expand, puzzle), estimate.function(), len(config.action_names)
    planning = functools.partial(kernel(_make_plan_batch), *functions)
    return KernelPlanner(planning, order, nodes, workers, _tables_of(estimate, config))


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={quote(value)}: must be a positive integer")
    return int(value)


class SearchPlanner:
    """Plans by any search, one state after the other."""

    def __init__(
        self,
        config: EnvConfig,
        solve: Callable[..., Any],
        heuristic: Heuristic,
        nodes: int,
        parameters: Mapping[str, Any],
    ) -> None:
        self.config, self.solve, self.heuristic = config, solve, heuristic
        self.nodes, self.parameters = nodes, parameters

    def plan(self, batch: Batch, which: Numbers, starting: Flags) -> tuple[Plans, Numbers]:
        """Return plans: :meth:`Planner.plan`."""
        plans, lengths = np.zeros((len(which), LONGEST), np.uint8), np.full(len(which), UNDECIDED)
        for k, i in enumerate(which.tolist()):
            level = batch.levels[i]
            problem = Problem(self.config.puzzle, level, batch.states[i], self.config.options)
            limits = Limits(nodes=self.nodes * (START_FACTOR if starting[k] else 1), depth=LONGEST)
            result = self.solve(problem, self.heuristic, limits, **self.parameters)
            if result.status == EXHAUSTED:
                lengths[k] = LOST
            elif result.solved and len(result.actions) <= LONGEST:
                lengths[k] = len(result.actions)
                plans[k, : lengths[k]] = result.actions
        return plans, lengths


class KernelPlanner:
    """Plans by a kernel, in several threads.

    Args:
        kernel: ``plan_batch(levels, states, which, tables, settings, most, plans, lengths)``.
        settings: The kernel's settings of this search.
        nodes: The maximum number of states to expand for one plan.
        threads: The number of threads.
        tables: The tables of its heuristic, uint8[T].
    """

    def __init__(
        self,
        kernel: Callable[..., None],
        settings: Sequence[int],
        nodes: int,
        threads: int,
        tables: npt.NDArray[np.uint8] | None = None,
    ) -> None:
        self.kernel, self.nodes, self.threads = kernel, nodes, threads
        self.settings = np.array(settings, np.int64)
        self.tables = np.zeros(1, np.uint8) if tables is None else tables
        self._pool: ThreadPoolExecutor | None = None

    def plan(self, batch: Batch, which: Numbers, starting: Flags) -> tuple[Plans, Numbers]:
        """Return plans: :meth:`Planner.plan`."""
        plans, lengths = np.zeros((len(which), LONGEST), np.uint8), np.full(len(which), UNDECIDED)
        most = self.nodes * np.where(starting, START_FACTOR, 1)

        def run(part: slice) -> None:
            rows = which[part], self.tables, self.settings, most[part], plans[part], lengths[part]
            self.kernel(batch.levels, batch.states, *rows)

        size = max(len(which) // (PARTS * self.threads), 1)
        parts = [slice(first, first + size) for first in range(0, len(which), size)]
        if self.threads > 1 and len(parts) > 1:
            self._pool = self._pool or ThreadPoolExecutor(self.threads)
            list(self._pool.map(run, parts))
        else:
            run(slice(None))
        return plans, lengths


def _tables_of(heuristic: Heuristic, config: EnvConfig) -> npt.NDArray[np.uint8]:
    """Return the tables of a heuristic that are the same for all levels of an environment."""
    if heuristic.tables is None:
        return np.zeros(1, np.uint8)
    puzzle, extent = config.puzzle, config.extent
    if config.generated and puzzle.generation is not None:
        level, state = (np.zeros(size, np.int16) for size in puzzle.sizes(extent))
        settings = puzzle.generation.settings(config.options)
        kernel(make_generate, puzzle)(settings, np.ones(1, np.uint64), level, state)
    else:
        some = config.levels[0] if config.sampler is None else config.sampler.sample(1)
        level, _ = puzzle.encode(some, extent, config.options)
    return np.require(heuristic.prepare(level), requirements="W")


def _make_plan_batch() -> Callable[..., None]:
    """``plan_batch(expand, evaluate, actions, …)``; the rest are the arguments of a planner's kernel."""

    def plan_batch(expand, evaluate, actions, levels, states, which, tables, settings, most, plans, lengths):
        for k in range(which.shape[0]):
            level, state = levels[which[k]], states[which[k]]
            why, length = search_to_end(expand, evaluate, actions, level, state, tables, settings, most[k], plans[k])
            note(why, length, k, plans, lengths)

    rows, numbers = types.Array(types.int16, 2, "C"), types.int64[::1]
    signature = types.void(
        loops.EXPAND, loops.EVALUATE, types.int64,
        rows, rows, numbers,
        types.uint8[::1], numbers, numbers, types.Array(types.uint8, 2, "C"), numbers,
    )  # fmt: skip
    return compiled(plan_batch, "search-plans", signature, nogil=True)


def _make_own_batch(puzzle: Puzzle, search: str) -> Callable[..., None]:
    solve = agents_record(puzzle).solvers()[search].routine

    def plan_batch(levels, states, which, tables, settings, most, plans, lengths):
        counts = np.empty(3, np.int64)
        for k in range(which.shape[0]):
            level, state = levels[which[k]], states[which[k]]
            why = solve(level, state, settings, most[k], plans[k], counts)
            note(why, counts[LENGTH], k, plans, lengths)

    return compiled(plan_batch, f"{puzzle.name}-own-plans", nogil=True)


@rule
def note(why, length, k, plans, lengths):
    """Write the result of a search."""
    if why == loops.EMPTIED:
        lengths[k] = LOST
    elif why == loops.REACHED and length <= plans.shape[1]:
        lengths[k] = length
