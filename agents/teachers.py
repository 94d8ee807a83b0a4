"""Teachers: agents, and searches that plan from any state; they label the states of environments with actions to take.

A teacher is asked at every step, also after mistakes of the learner (S. Ross, G. Gordon, D. Bagnell, "A reduction
of imitation learning and structured prediction to no-regret online learning", AISTATS 2011). It may see more than the
learner: the environments' states, as any observation of the puzzle. An agent's labels are its choices or, if it knows
them, follow from the actions' values; a tutor's action -1 means no advice.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
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
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.engine.system.process import usable_cores

from .agent_kernels import LENGTH
from .policy import Policy, Recollecting, Valuing
from .puzzle_agents import Advisor, AgentEntry, agents_record
from .registry import agent_entries, agent_entry
from .search import loops
from .search.best_first import ORDERS, WEIGHT_PARTS, search_to_end
from .search.heuristic import Heuristic
from .search.problem import EXHAUSTED, Limits, Problem
from .search_tables import default_search, heuristic_named, search_named, searches_of

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
LOST, UNDECIDED = -1, -2
"""Lengths: there is no plan; none was found within the limit."""
REMEMBERED = 1 << 20
"""Maximum number of states whose next action is remembered; then all are forgotten."""

Plans = npt.NDArray[np.uint8]
"""uint8[n, LONGEST]: actions."""
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Labels(NamedTuple):
    """A teacher's actions in B states."""

    probabilities: npt.NDArray[np.float32]
    """float32[B, A]: the probability of each action; the sum is 1 where it is known, otherwise 0."""
    known: Flags
    """bool[B]: False where the teacher has no advice: the position is lost, or its search has not found a plan."""
    actions: Numbers
    """int64[B]: a most probable action, for playing; any action where it is unknown."""


class Teacher(Protocol):
    """Labels the current states of a batch of environments with actions."""

    def label(self, batch: Batch, starting: Flags) -> Labels:
        """Return the actions to take now.

        Args:
            batch: The environments.
            starting: bool[B]: True in the first state of an episode.
        """
        ...

    def acted(self, actions: Numbers) -> None:
        """Record the actions, int64[B], that have been chosen since the last call of :meth:`label`."""
        ...


def _certain(actions: Numbers, count: int) -> Labels:
    """Return labels of one of ``count`` actions in each state; -1: no advice."""
    known: Flags = actions >= 0
    probabilities = np.zeros((len(actions), count), np.float32)
    probabilities[known, actions[known]] = 1
    return Labels(probabilities, known, np.maximum(actions, 0))


class AgentTeacher:
    """A teacher that asks an agent.

    Args:
        name: The name of an agent or tutor of the puzzle.
        env: One of the suite's environments, single or vector, wrapped or not.
        seed: Random seed of the agent.
        tolerance: Maximum difference between the expected returns of the best action and of one that is as probable,
            if the agent knows the values of actions.

    Raises:
        ValueError: The agent cannot play this environment, or a number is out of range.
    """

    def __init__(self, name: str, env: Any, seed: int = 0, tolerance: float = TOLERANCE) -> None:
        self.tolerance = real("tolerance", tolerance, 0, 1e9)
        config = config_of(env)
        tutors = {entry.name: entry for entry in agents_record(config.puzzle).tutors}
        entry: AgentEntry = tutors[name] if name in tutors else agent_entry(name, config.puzzle)
        self.observation = entry.observation or config.observation
        self.actions = len(config.action_names)
        self.policy: Policy = entry.make(_EnvView(dataclasses.replace(config, observation=self.observation)), seed)
        self._memory: Any = None
        self._chosen: Numbers = np.zeros(0, np.int64)
        self._deviated: Flags = np.zeros(0, np.bool_)

    def label(self, batch: Batch, starting: Flags) -> Labels:
        """Return the agent's labels: :meth:`Teacher.label`."""
        same = batch.observation == self.observation
        views = batch.observations if same else batch.observed_as(self.observation)
        begins_again = starting | self._deviated if len(self._deviated) else starting
        actions, self._memory = self.policy.predict(views, self._memory, begins_again)
        if not isinstance(self.policy, Valuing):
            self._chosen = np.asarray(actions, np.int64)
            return _certain(self._chosen, self.actions)
        values = self.policy.values(views, self._memory)
        known: Flags = np.asarray(~np.isnan(values).any(axis=1))
        below = np.where(known[:, None], values, 0.0)
        below = below - below.max(axis=1, keepdims=True)
        weights = (below >= -self.tolerance).astype(np.float32)
        weights *= known[:, None] / weights.sum(axis=1, keepdims=True)
        return Labels(weights, known, weights.argmax(axis=1))

    def acted(self, actions: Numbers) -> None:
        """Correct the agent's memory of its actions: :meth:`Teacher.acted`.

        An agent that cannot correct its memory starts again where another action was taken.
        """
        if isinstance(self.policy, Recollecting):
            if self._memory is not None:
                self._memory = self.policy.acted(self._memory, actions)
        elif not isinstance(self.policy, Valuing):
            self._deviated = actions != self._chosen


@dataclasses.dataclass(frozen=True)
class _EnvView:
    """A substitute for an environment with another observation, for making an agent."""

    config: EnvConfig
    spec: None = None

    @property
    def unwrapped(self) -> "_EnvView":
        return self


Planner = Callable[[Batch, Numbers, Flags], tuple[Plans, Numbers]]
"""``plan(batch, which, starting)`` for some environments of a batch, int64[n]; bool[n] is True in the first state of an
episode. It returns plans and int64[n], their lengths: LOST if there is none, UNDECIDED if none was found."""


class PlanningTeacher:
    """Plans from states that no earlier plan leads through, and otherwise follows the shortest of these.

    If no plan is found, the position counts as lost until the end of the episode, or until a plan of another
    environment leads through it.

    Args:
        config: The configuration of the environments.
        planners: The planners; each is used where those before it reached their limits.
    """

    def __init__(self, config: EnvConfig, planners: Sequence[Planner]) -> None:
        self.planners, self.actions = planners, len(config.action_names)
        self._expand = kernel(make_expand, config.puzzle)
        self._known: dict[int, tuple[int, int]] = {}
        """By state: the number of actions left, and the next one, or LOST."""
        self._lost = np.zeros(0, np.bool_)

    def label(self, batch: Batch, starting: Flags) -> Labels:
        """Return the labels of its plans: :meth:`Teacher.label`."""
        if len(self._lost) != batch.size:
            self._lost = np.zeros(batch.size, np.bool_)
        self._lost &= ~starting
        keys = [_key(batch.levels[i], batch.states[i]) for i in range(batch.size)]
        missing = {key: i for i, key in enumerate(keys) if key not in self._known and not self._lost[i]}
        if missing:
            self._plan(batch, np.array(list(missing.values())), starting)
        actions = np.array([self._known.get(key, (0, LOST))[1] for key in keys], np.int64)
        self._lost |= actions == LOST
        return _certain(actions, self.actions)

    def acted(self, actions: Numbers) -> None:
        """Do nothing: plans depend on states only."""

    def _plan(self, batch: Batch, which: Numbers, starting: Flags) -> None:
        for planner in self.planners:
            plans, lengths = planner(batch, which, starting[which])
            undecided = (lengths == UNDECIDED) & (planner is not self.planners[-1])
            for k in np.flatnonzero(~undecided).tolist():
                plan = plans[k, : lengths[k]].tolist() if lengths[k] >= 0 else [LOST]
                self._remember(batch.levels[which[k]], batch.states[which[k]], plan)
            which = which[undecided]
            if not len(which):
                return

    def _remember(self, level: Row, state: Row, plan: list[int]) -> None:
        """Store the actions of a plan, unless fewer are known to be left in a state that it leads through."""
        if len(self._known) + len(plan) > REMEMBERED:
            self._known.clear()
        successors = np.empty((self.actions, len(state)), np.int16)
        others = np.ones(1, np.uint64), successors, np.empty(self.actions), np.empty(self.actions, np.uint8)
        for turn, action in enumerate(plan):
            key, left = _key(level, state), len(plan) - turn
            if key not in self._known or self._known[key][1] == LOST or left < self._known[key][0]:
                self._known[key] = left, action
            if left > 1:
                self._expand(level, state, *others)
                state = successors[action].copy()


def _key(level: Row, state: Row) -> int:
    return hash((level.tobytes(), state.tobytes()))


def _planner(run: Callable[..., None], nodes: int, threads: int) -> Planner:
    """Return a planner that calls ``run(batch, which, most, plans, lengths)`` in several threads."""
    pool = ThreadPoolExecutor(threads)

    def plan(batch: Batch, which: Numbers, starting: Flags) -> tuple[Plans, Numbers]:
        plans, lengths = np.zeros((len(which), LONGEST), np.uint8), np.full(len(which), UNDECIDED)
        most = nodes * np.where(starting, START_FACTOR, 1)
        size = max(len(which) // (PARTS * threads), 1)
        parts = [slice(first, first + size) for first in range(0, len(which), size)]
        list(pool.map(lambda part: run(batch, which[part], most[part], plans[part], lengths[part]), parts))
        return plans, lengths

    return plan


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
    _check(search, parameters, ("heuristic", "nodes", "threads"), tuple(found.parameters))
    if solver is None and (search not in ORDERS or estimate.table_kernels is not None):

        def one_by_one(batch: Batch, which: Numbers, most: Numbers, plans: Plans, lengths: Numbers) -> None:
            for k, i in enumerate(which.tolist()):
                problem = Problem(puzzle, batch.levels[i], batch.states[i], config.options)
                result = found.solve(problem, estimate, Limits(nodes=int(most[k]), depth=LONGEST), **parameters)
                if result.status == EXHAUSTED:
                    lengths[k] = LOST
                elif result.solved and len(result.actions) <= LONGEST:
                    lengths[k] = len(result.actions)
                    plans[k, : lengths[k]] = result.actions

        return _planner(one_by_one, nodes, 1)
    order = np.array(ORDERS[search] if solver is None else solver.settings, np.int64)
    if "weight" in parameters:
        weight = real("weight", parameters["weight"], 1, MAX_WEIGHT)
        order[1 if solver is None else solver.weight or 0] = round(weight * (WEIGHT_PARTS if solver is None else 1))
    if solver is not None:
        planning, tables = kernel(_make_own_batch, puzzle, search), np.zeros(1, np.uint8)
    else:
        functions = kernel(make_expand, puzzle), estimate.function(), len(config.action_names)
        planning, tables = functools.partial(kernel(_make_plan_batch), *functions), _tables_of(estimate, config)

    def by_kernel(batch: Batch, which: Numbers, most: Numbers, plans: Plans, lengths: Numbers) -> None:
        planning(batch.levels, batch.states, which, tables, order, most, plans, lengths)

    return _planner(by_kernel, nodes, workers)


def _check(name: str, parameters: Mapping[str, Any], *allowed: Sequence[str]) -> None:
    """Raise ValueError if a teacher has no such parameters."""
    known = [parameter for some in allowed for parameter in some]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"teacher {quote(name)} has no parameter {quote(parameter)}; it has {', '.join(known)}")


def _tables_of(heuristic: Heuristic, config: EnvConfig) -> npt.NDArray[np.uint8]:
    """Return the tables of a heuristic that are the same for all levels of an environment."""
    if heuristic.tables is None:
        return np.zeros(1, np.uint8)
    puzzle, extent = config.puzzle, config.extent
    if config.generated and puzzle.generation is not None:
        level, state = (np.zeros(size, np.int16) for size in puzzle.row_lengths(extent))
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


def make_teacher(name: str, env: Any, /, seed: int = 0, **parameters: Any) -> Teacher:
    """Return a teacher for the states of an environment.

    Args:
        name: The name of an agent, tutor or search of the puzzle, or AUTO.
        env: One of the suite's environments, single or vector, wrapped or not. Its observation can be any.
        seed: Random seed of the teacher.
        **parameters: Of :func:`make_planner` for a search, else of :class:`AgentTeacher`.

    Raises:
        ValueError: There is no such teacher, it cannot play this environment, or a parameter is invalid.
    """
    config = config_of(env)
    puzzle = config.puzzle
    best = agents_record(puzzle).teachers or (Advisor(default_search(puzzle).name),)
    tutors = (entry.name for entry in agents_record(puzzle).tutors)
    allowed = tuple(dict.fromkeys((AUTO, *(advisor.name for advisor in best), *tutors, *agent_entries(puzzle))))
    if name not in allowed:
        raise ValueError(f"teacher {quote(name)} is not known for {puzzle.title}; {did_you_mean(name, allowed)}")
    advisors, planners, problem = (best if name == AUTO else (Advisor(name),)), [], None
    for advisor in advisors:
        given = {**advisor.parameters, **parameters}
        try:
            if advisor.name in searches_of(puzzle):
                planners.append(make_planner(config, advisor.name, **{"heuristic": advisor.heuristic, **given}))
                continue
            _check(advisor.name, given, ("tolerance",))
            return AgentTeacher(advisor.name, env, seed, **given)
        except ValueError as error:  # the next one may be able to play this environment
            problem = error
    if not planners and problem is not None:
        raise problem
    return PlanningTeacher(config, planners)
