"""Teachers: agents, and searches that plan from any state; they label the states of environments with actions to take.

A teacher is asked at every step, also after mistakes of the learner (S. Ross, G. Gordon, D. Bagnell, "A reduction
of imitation learning and structured prediction to no-regret online learning", AISTATS 2011). It may see more than the
learner: the environments' states, as any observation of the puzzle. An agent's labels are its choices or, if it knows
them, follow from the actions' values; a tutor's action -1 means no advice.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numba.core import types

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.config import EnvConfig, config_of
from gridpuzzles_gym.engine.kernels import kernel, make_expand, make_generate
from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.system.process import usable_cores

from ..agent_kernels import LENGTH
from ..policy import Policy, Recollecting, Valuing
from ..puzzle_agents import Advisor, AgentEntry, agents_record
from ..registry import agent_entries, agent_entry
from ..search import loops
from ..search.best_first import ORDERS, WEIGHT_PARTS, search_to_end
from ..search.heuristic import Heuristic
from ..search.problem import EXHAUSTED, Limits, Problem
from ..search_tables import default_search, heuristic_named, search_named, searches_of
from .plan_memory import LOST, PlanMemory

AUTO = "auto"
"""The name of the first of a puzzle's best teachers that can play an environment."""
TOLERANCE = 1e-4
"""Actions whose expected returns differ by no more are equally good, unless a parameter says otherwise."""
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


class Labels(NamedTuple):
    """A teacher's actions in B states."""

    probabilities: npt.NDArray[np.float32]
    """float32[B, A]: the probability of each action; the sum is 1 where it is known, otherwise 0."""
    known: npt.NDArray[np.bool_]
    """bool[B]: False where the teacher has no advice: the position is lost, or its search has not found a plan."""
    actions: npt.NDArray[np.int64]
    """int64[B]: a most probable action, for playing; any action where it is unknown."""


class Teacher(Protocol):
    """Labels the current states of a batch of environments with actions."""

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return the actions to take now.

        Args:
            batch: The environments.
            starting: bool[B]: True in the first state of an episode.
        """
        ...

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Record the actions, int64[B], that have been chosen since the last call of :meth:`label`."""
        ...


class AgentTeacher:
    """A teacher that asks an agent.

    Args:
        name: The name of an agent or tutor of the puzzle.
        env: One of the suite's environments, single or vector, wrapped or not.
        seed: Random seed of the agent.

    Raises:
        ValueError: The agent cannot play this environment.
    """

    def __init__(self, name: str, env: Any, seed: int = 0) -> None:
        self.name, self.tolerance, self.temperature = name, TOLERANCE, math.nan
        config = config_of(env)
        entry = _entry(name, config)
        self.observation = entry.observation or config.observation
        self.actions = len(config.action_names)
        self.policy: Policy = entry.make(_EnvView(dataclasses.replace(config, observation=self.observation)), seed)
        self._memory: Any = None
        self._chosen: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._deviated: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def configure(self, **parameters: Any) -> None:
        """Choose how the values of actions become probabilities, if the agent knows values.

        Args:
            **parameters: ``tolerance``: maximum difference between the expected returns of the best action and of one
                that is as probable. ``temperature``: probabilities are the softmax of values divided by it instead.

        Raises:
            ValueError: There is no such parameter, or a number is out of range.
        """
        least = {"tolerance": 0.0, "temperature": 1e-9}
        for name, value in parameters.items():
            if name not in least:
                has = ", ".join(least)
                raise ValueError(f"teacher {quote(self.name)} has no parameter {quote(name)}; it has {has}")
            setattr(self, name, real(name, value, least[name], 1e9))

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return the agent's labels: :meth:`Teacher.label`."""
        same = batch.observation == self.observation
        views = batch.observations if same else batch.observed_as(self.observation)
        begins_again = starting | self._deviated if len(self._deviated) else starting
        actions, self._memory = self.policy.predict(views, self._memory, begins_again)
        if isinstance(self.policy, Valuing):
            return self._labels(self.policy.values(views, self._memory))
        self._chosen = chosen = np.asarray(actions, np.int64)
        known: npt.NDArray[np.bool_] = chosen >= 0
        probabilities = np.zeros((batch.size, self.actions), np.float32)
        probabilities[known, chosen[known]] = 1
        return Labels(probabilities, known, np.maximum(chosen, 0))

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Correct the agent's memory of its actions: :meth:`Teacher.acted`.

        An agent that cannot correct its memory starts again where another action was taken.
        """
        if isinstance(self.policy, Recollecting):
            if self._memory is not None:
                self._memory = self.policy.acted(self._memory, actions)
        elif not isinstance(self.policy, Valuing):
            self._deviated = actions != self._chosen

    def _labels(self, values: npt.NDArray[np.float64]) -> Labels:
        known: npt.NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
        below = np.where(known[:, None], values, 0.0)
        below = below - below.max(axis=1, keepdims=True)
        if math.isnan(self.temperature):  # not chosen
            weights = (below >= -self.tolerance).astype(np.float32)
        else:
            weights = np.exp(below / self.temperature).astype(np.float32)
        weights *= known[:, None] / weights.sum(axis=1, keepdims=True)
        return Labels(weights, known, weights.argmax(axis=1))


@dataclasses.dataclass(frozen=True)
class _EnvView:
    """A substitute for an environment with another observation, for making an agent."""

    config: EnvConfig
    spec: None = None

    @property
    def unwrapped(self) -> "_EnvView":
        return self


def _entry(name: str, config: EnvConfig) -> AgentEntry:
    tutors = {entry.name: entry for entry in agents_record(config.puzzle).tutors}
    return tutors[name] if name in tutors else agent_entry(name, config.puzzle)


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
        """Return the labels of its plans: :meth:`Teacher.label`."""
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
    workers = integer("threads", usable_cores() if threads is None else threads, 1, 1024)
    nodes, solver = integer("nodes", nodes, 1, 10**12), agents_record(puzzle).solvers().get(search)
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


def teachers_of(env: Any) -> tuple[str, ...]:
    """Return the names of all teachers for the puzzle of an environment, its best ones first."""
    puzzle = config_of(env).puzzle
    best = [advisor.name for advisor in _best(puzzle)]
    tutors = [entry.name for entry in agents_record(puzzle).tutors]
    return tuple(dict.fromkeys((*best, *tutors, *agent_entries(puzzle))))


def make_teacher(name: str, env: Any, /, seed: int = 0, **parameters: Any) -> Teacher:
    """Return a teacher for the states of an environment.

    Args:
        name: The name of an agent, tutor or search of the puzzle, or AUTO.
        env: One of the suite's environments, single or vector, wrapped or not. Its observation can be any.
        seed: Random seed of the teacher.
        **parameters: Of :func:`make_planner` for a search, else of
            :meth:`AgentTeacher.configure`.

    Raises:
        ValueError: There is no such teacher, it cannot play this environment, or a parameter is invalid.
    """
    config, allowed = config_of(env), teachers_of(env)
    puzzle = config.puzzle
    if name not in (AUTO, *allowed):
        raise ValueError(
            f"teacher {quote(name)} is not known for {puzzle.title}; {did_you_mean(name, (AUTO, *allowed))}"
        )
    advisors, planners, problem = (_best(puzzle) if name == AUTO else (Advisor(name),)), [], None
    for advisor in advisors:
        given = {**advisor.parameters, **parameters}
        try:
            if advisor.name in searches_of(puzzle):
                planners.append(make_planner(config, advisor.name, **{"heuristic": advisor.heuristic, **given}))
                continue
            teacher = AgentTeacher(advisor.name, env, seed)
        except ValueError as error:  # the next one may be able to play this environment
            problem = error
        else:
            teacher.configure(**given)
            return teacher
    if not planners and problem is not None:
        raise problem
    return PlanningTeacher(config, planners)


def _best(puzzle: Puzzle) -> Sequence[Advisor]:
    return agents_record(puzzle).teachers or (Advisor(default_search(puzzle).name),)
