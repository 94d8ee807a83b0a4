"""Agents that plan: one follows the plan of any search, one plans every action with a trained network."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.config import EnvConfig, config_of
from gridpuzzles_gym.engine.puzzle import UNFINISHED
from gridpuzzles_gym.engine.scene import Row

from .policy import BatchAgent, State, as_batch, seed_bits, starts_of
from .search.gumbel import VALUE_SCALE, Branch, plan
from .search.heuristic import Evaluator, Heuristic
from .search.problem import Limits, Problem, Result
from .search.search import Search
from .search_tables import heuristic_named, search_named
from .thoughts import Thoughts

LONGEST = 1000
"""Maximum number of actions remembered of a plan; then the agent plans again."""
DEFAULT_LIMITS = Limits(nodes=200_000)
"""Default limits of one plan. A limit on nodes is reproducible, one on seconds is not."""

GUIDED_LIMITS = Limits(nodes=5_000)
"""The same for searches that a network guides, which expands far fewer states a second."""


class Memory(NamedTuple):
    """The memory of :class:`SearchAgent`, the ``state`` of its ``predict()``."""

    plans: npt.NDArray[np.int16]
    """[B, LONGEST], the planned actions."""
    lengths: npt.NDArray[np.int64]
    """[B], number of actions in each plan."""
    played: npt.NDArray[np.int64]
    """[B], number of actions played so far."""
    searches: npt.NDArray[np.int64]
    """[B], number of plans made: each uses a different random seed."""
    seeds: npt.NDArray[np.int64]
    """[B], the random seed of the first plan."""


class SearchAgent(BatchAgent):
    """Plans once an episode, or every ``every`` moves; if a plan ends before the goal, it plans again.

    Args:
        config: The configuration of the environment, whose observation must show the full state.
        search: The search to plan with.
        heuristic: The heuristic of the search.
        limits: Limits of one plan.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.
        every: Number of moves after which it plans again; None plays each plan to its end.
        **parameters: Parameters of the search.

    Raises:
        ValueError: The observation does not show the full state, or ``every`` is not positive.
    """

    remembers = Memory._make

    def __init__(
        self,
        config: EnvConfig,
        search: Search,
        heuristic: Heuristic,
        limits: Limits = DEFAULT_LIMITS,
        seed: int = 0,
        every: int | None = None,
        **parameters: Any,
    ) -> None:
        config.require_full_state()
        if every is not None:
            integer("every", every, 1)
        self.config, self.search, self.heuristic, self.limits = config, search, heuristic, limits
        self.seed, self.every, self.parameters = seed, every or LONGEST, parameters
        self.shape = config.space.shape or ()
        self._results: dict[int, Result] = {}  # of the last plan of each environment, for thoughts()

    @classmethod
    def for_env(
        cls,
        env: Any,
        search: str,
        heuristic: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        seed: int = 0,
        **more: Any,
    ) -> Self:
        """Return the agent for one of the suite's environments.

        Args:
            env: Single or vector, wrapped or not.
            search: Name of the search.
            heuristic: Name of the heuristic; None is the puzzle's default.
            limits: Limits of one plan.
            seed: Random seed.
            **more: ``every``, and parameters of the search.

        Raises:
            ValueError: There is no such search or heuristic for this puzzle, or its observation is not the full state.
        """
        config = config_of(env)
        found = search_named(search, config.puzzle), heuristic_named(heuristic, config.puzzle)
        return cls(config, *found, limits, seed, **more)

    def fresh_memory(self, count: int) -> Memory:
        """Return the memory before the first search."""
        lengths, played, searches = np.zeros((3, count), np.int64)
        return Memory(np.zeros((count, LONGEST), np.int16), lengths, played, searches, self.seed + np.arange(count))

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: Memory) -> npt.NDArray[np.int64]:
        """Follow plans, and search for new ones; raises ValueError if a view shows no valid state of the puzzle."""
        for i in np.flatnonzero(starting | (memory.played >= np.minimum(memory.lengths, self.every))).tolist():
            plan, self._results[i] = self._plan(views[i], int(memory.seeds[i]) + 1_000_003 * int(memory.searches[i]))
            memory.plans[i, : len(plan)] = plan
            memory.lengths[i], memory.played[i] = len(plan), 0
            memory.searches[i] += 1
        actions: npt.NDArray[np.int64] = memory.plans[np.arange(len(views)), memory.played].astype(np.int64)
        memory.played[:] += 1
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the rest of the plan and the effort of its search: :meth:`~.thoughts.Explaining.thoughts`.

        The search's figures are those of the last call of :meth:`predict`, whatever the state.
        """
        if state is None or i not in self._results:
            return Thoughts()
        memory, result = Memory(*state), self._results[i]
        plan = memory.plans[i, max(int(memory.played[i]) - 1, 0) : memory.lengths[i]]
        figures = {
            "search": self.search.name,
            "plan": f"{len(result.actions)} moves, {result.status}",
            "expanded": f"{result.expanded:,} states",
            "time": f"{result.seconds:.2f} s",
        }
        return Thoughts(plan=tuple(plan.tolist()), figures=figures)

    def _plan(self, view: npt.NDArray[Any], seed: int) -> tuple[list[int], Result]:
        """Return the first actions of a plan for one observation; if the plan is empty, the first legal action."""
        puzzle, options = self.config.puzzle, self.config.options
        level, state = puzzle.decode(self.config.observation, view, self.config.extent, options)
        problem = Problem(puzzle, level, state, options)
        result = self.search.solve(problem, self.heuristic, self.limits, seed, **self.parameters)
        if result.actions:
            return list(result.actions[:LONGEST]), result
        legal = [a for a in range(len(problem.costs)) if puzzle.rules.legal(level, state, a)]
        return legal[:1] or [0], result


SIMULATIONS = 32
"""Default number of simulations for each action."""


class PlanningAgent:
    """Searches before every action, in all environments of a batch at the same time; see :mod:`.search.gumbel`.

    It knows the rules and what the observation shows, but not what chance will decide. It maximises the discounted
    return in the rewards that the network was trained with.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not; its observation shows the full state.
        model: The network.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.
        simulations: The number of simulations for each action.
        value_scale: How strongly the network's values count against its policy. Less is better where the policy is
            nearly certain of the right action, and the values are not as good.

    Raises:
        ValueError: The observation does not show the full state, ``simulations`` is not a positive integer, or
            ``value_scale`` is not a number from 0 to 100.
    """

    def __init__(
        self,
        env: Any,
        model: Evaluator,
        seed: int = 0,
        simulations: int = SIMULATIONS,
        value_scale: float = VALUE_SCALE,
    ) -> None:
        config = config_of(env)
        config.require_full_state()
        self.config, self.model, self.seed = config, model, seed
        self.simulations = integer("simulations", simulations, 1, 100_000)
        self.value_scale = real("value_scale", value_scale, 0, 100)
        self.shape = config.space.shape or ()

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Choose actions: those it thinks best, or with Gumbel noise unless ``deterministic``.

        In a deterministic puzzle it does not return to a state of the episode while the network sees another way.

        The state holds, for each environment: the number of actions chosen int64[B], and what led to the last one: the
        improved policy float64[B, A] and the expected return float64[B]; the states seen in its episode, object[B]; and
        what the search found below that action, object[B], with which the next one begins.

        Raises:
            ValueError: The observation has another shape, or shows no valid state of the puzzle.
        """
        views, single = as_batch(observation, self.shape)
        count, config = len(views), self.config
        starts = starts_of(episode_start, count)
        played = np.zeros(count, np.int64) if state is None else state[0] + 1
        seen = np.full(count, frozenset(), np.object_) if state is None else state[3].copy()
        branches = np.full(count, None, np.object_) if state is None else state[4].copy()
        branches[starts] = None
        bits = seed_bits(self.seed, count)
        shape = (count, len(config.action_names))
        gumbels = np.zeros(shape)
        for i in range(count):
            random = np.random.default_rng((int(bits[i]), int(played[i])))
            bits[i] = random.integers(1, 2**64, dtype=np.uint64)
            if not deterministic:
                gumbels[i] = random.gumbel(size=shape[1])
        puzzle, options = config.puzzle, self.model.options  # it maximises what its values are of
        rows = [puzzle.decode(config.observation, view, config.extent, options) for view in views]
        going = [i for i, row in enumerate(rows) if puzzle.rules.outcome(*row) == UNFINISHED]
        actions, policies, values = np.zeros(count, np.int64), np.full(shape, 1 / shape[1]), np.zeros(count)
        if going:
            levels, states = (np.stack([rows[i][part] for i in going]) for part in (0, 1))
            refused = np.zeros((len(going), shape[1]), np.bool_)
            if puzzle.deterministic:
                for k, i in enumerate(going):
                    seen[i] = frozenset({states[k].tobytes()}) if starts[i] else seen[i] | {states[k].tobytes()}
                    refused[k] = [after in seen[i] for after in self._following(levels[k], states[k])]
            found = plan(
                puzzle, levels, states, self.model, self.simulations, bits[going], gumbels[going], refused,
                branches[going].tolist(), self.value_scale,
            )  # fmt: skip
            actions[going], policies[going], values[going], tree = found
            for k, i in enumerate(going):
                branches[i] = Branch(tree, k, int(actions[i]))
        return actions[0] if single else actions, (played, policies, values, seen, branches)

    def _following(self, level: Row, state: Row) -> Iterator[bytes]:
        """Yield the bytes of the state after each action, in a deterministic puzzle."""
        for action in range(len(self.config.action_names)):
            after = state.copy()
            self.config.puzzle.rules.step(level, after, action, np.ones(1, np.uint64))
            yield after.tobytes()

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the improved policy and the expected return: :meth:`~.thoughts.Explaining.thoughts`."""
        if state is None:
            _, state = self.predict(observation)
        _, policies, values, *_ = state
        figures = {"simulations": f"{self.simulations:,}", "expected return": f"{values[i]:+.4g}"}
        return Thoughts(probabilities=tuple(policies[i].tolist()), figures=figures)
