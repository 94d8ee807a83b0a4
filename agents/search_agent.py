"""Any search as an agent: reads the instance out of the observation, plans, and plays the plan."""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.puzzle import Extent, Puzzle
from gridpuzzles_gym.engine.setup import setup_of

from .policy import State, as_batch, starts_of
from .search.heuristic import Heuristic
from .search.problem import Limits, Problem
from .search.search import Search
from .search_tables import heuristic_named, search_named

LONGEST = 1000
"""Actions of a plan that are remembered; who gets that far plans again."""
DEFAULT_LIMITS = Limits(nodes=200_000)
"""Of one plan. A limit on nodes is reproducible, one on seconds is not."""


class Memory(NamedTuple):
    """What :class:`SearchAgent` remembers, the ``state`` of its ``predict()``."""

    plans: npt.NDArray[np.int16]
    """[B, LONGEST], the actions planned."""
    lengths: npt.NDArray[np.int64]
    """[B], how many of them there are."""
    played: npt.NDArray[np.int64]
    """[B], how many of them were played."""
    searches: npt.NDArray[np.int64]
    """[B], how many plans were made: each has a seed of its own."""


class SearchAgent:
    """Plans once an episode, or every so many moves; where a plan ends before the goal, it plans again.

    Args:
        puzzle: Whose observations it sees.
        observation: Which of them, a key of ``puzzle.observations``; everything must be seen in it.
        extent: Of the environment's boards.
        options: Of the environment.
        search: How it plans.
        heuristic: With which estimate.
        limits: Of one plan.
        seed: Of its random choices; environment ``i`` of a batch has ``seed + i``.
        every: Moves after which it plans again; None plays a plan to its end.
        **parameters: Of the search.

    Raises:
        ValueError: The observation hides something, or ``every`` is not positive.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        observation: str,
        extent: Extent,
        options: Any,
        search: Search,
        heuristic: Heuristic,
        limits: Limits = DEFAULT_LIMITS,
        seed: int = 0,
        every: int | None = None,
        **parameters: Any,
    ) -> None:
        if puzzle.observations[observation].decode is None:
            raise ValueError(f"observation={observation!r} of {puzzle.title} hides something a plan must know")
        if every is not None and every < 1:
            raise ValueError(f"every={every!r}: a positive integer is needed, or None")
        self.puzzle, self.observation, self.extent, self.options = puzzle, observation, extent, options
        self.search, self.heuristic, self.limits = search, heuristic, limits
        self.seed, self.every, self.parameters = seed, every or LONGEST, parameters
        self.shape = puzzle.observations[observation].space(extent).shape or ()

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
        """The agent for one of the suite's environments.

        Args:
            env: Single or vector, wrapped or not.
            search: Its name.
            heuristic: Its name; None is the puzzle's default.
            limits: Of one plan.
            seed: Of its random choices.
            **more: ``every``, and parameters of the search.

        Raises:
            ValueError: There is no such search or heuristic for this puzzle, or its observation hides something.
        """
        setup = setup_of(env)
        found = search_named(search, setup.puzzle), heuristic_named(heuristic, setup.puzzle)
        return cls(setup.puzzle, setup.observation, setup.extent, setup.options, *found, limits, seed, **more)

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, Memory]:
        """Choose actions: :meth:`gridpuzzles_gym.agents.policy.Policy.predict`.

        Raises:
            ValueError: The observation has another shape, or shows no state of the puzzle.
        """
        views, single = as_batch(observation, self.shape)
        count = len(views)
        starting = starts_of(episode_start, count)
        if state is None:
            memory = Memory(np.zeros((count, LONGEST), np.int16), *np.zeros((3, count), np.int64))
        else:
            memory = Memory(*(array.copy() for array in state))
            if len(memory.plans) != count:
                raise ValueError(f"the state is of {len(memory.plans)} environments, the observation of {count}")
        for i in np.flatnonzero(starting | (memory.played >= np.minimum(memory.lengths, self.every))).tolist():
            plan = self.plan(views[i], self.seed + i + 1_000_003 * int(memory.searches[i]))
            memory.plans[i, : len(plan)] = plan
            memory.lengths[i], memory.played[i] = len(plan), 0
            memory.searches[i] += 1
        actions = memory.plans[np.arange(count), memory.played].astype(np.int64)
        memory.played[:] += 1
        return actions[0] if single else actions, memory

    def plan(self, view: npt.NDArray[Any], seed: int) -> list[int]:
        """The first actions of a plan for what one observation shows; where nothing helps, the first legal action."""
        level, state = self.puzzle.decode(self.observation, view, self.extent, self.options)
        problem = Problem(self.puzzle, level, state, self.options)
        result = self.search.solve(problem, self.heuristic, self.limits, seed, **self.parameters)
        if result.actions:
            return list(result.actions[:LONGEST])
        legal = [a for a in range(len(problem.costs)) if self.puzzle.rules.legal(level, state, a)]
        return legal[:1] or [0]
