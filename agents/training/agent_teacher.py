"""A teacher that is an agent: it labels with the agent's choice or, if the agent knows them, by the actions' values.

A tutor's action -1 stands for no advice.
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.setup import Setup, setup_of

from ..policy import Policy, Recollecting, Valuing
from ..puzzle_agents import AgentEntry, agents_record
from ..registry import agent_entry
from ..search.parameters import real
from .teachers import Labels

TOLERANCE = 1e-4
"""Actions whose expected returns differ by no more are equally good, unless a parameter says otherwise."""


class AgentTeacher:
    """Asks an agent; see the module's docstring.

    Args:
        name: The name of an agent or tutor of the puzzle.
        env: One of the suite's environments, single or vector, wrapped or not.
        seed: Random seed of the agent.
        tolerance: By how much the expected return of an action may fall short of the best, for it to be as probable;
            for agents that know values.
        temperature: If it is given, probabilities are the softmax of values divided by it instead.

    Raises:
        ValueError: The agent cannot play this environment, or a number is out of range.
    """

    parameters: ClassVar[tuple[str, ...]] = ("tolerance", "temperature")
    """The names of the parameters that people choose."""

    def __init__(
        self, name: str, env: Any, seed: int = 0, tolerance: float = TOLERANCE, temperature: float | None = None
    ) -> None:
        self.tolerance = real("tolerance", tolerance, 0, 1e9)
        self.temperature = None if temperature is None else real("temperature", temperature, 1e-9, 1e9)
        setup = setup_of(env)
        entry = _entry(name, setup)
        self.observation = entry.observation or setup.observation
        self.actions = len(setup.action_names)
        self.policy: Policy = entry.make(_Stand(dataclasses.replace(setup, observation=self.observation)), seed)
        self._memory: Any = None

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return what the agent would do now: :meth:`~.teachers.Teacher.label`."""
        same = batch.observation == self.observation
        views = batch.observations if same else batch.observed_as(self.observation)
        actions, self._memory = self.policy.predict(views, self._memory, starting)
        if isinstance(self.policy, Valuing):
            return self._labels(self.policy.values(views, self._memory))
        chosen = np.asarray(actions, np.int64)
        known: npt.NDArray[np.bool_] = chosen >= 0
        probabilities = np.zeros((batch.size, self.actions), np.float32)
        probabilities[known, chosen[known]] = 1
        return Labels(probabilities, known, np.maximum(chosen, 0))

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Correct the agent's memory of what it did: :meth:`~.teachers.Teacher.acted`."""
        if isinstance(self.policy, Recollecting) and self._memory is not None:
            self._memory = self.policy.acted(self._memory, actions)

    def _labels(self, values: npt.NDArray[np.float64]) -> Labels:
        known: npt.NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
        below = np.where(known[:, None], values, 0.0)
        below = below - below.max(axis=1, keepdims=True)
        if self.temperature is None:
            weights = (below >= -self.tolerance).astype(np.float32)
        else:
            weights = np.exp(below / self.temperature).astype(np.float32)
        weights *= known[:, None] / weights.sum(axis=1, keepdims=True)
        return Labels(weights, known, weights.argmax(axis=1))


@dataclasses.dataclass(frozen=True)
class _Stand:
    """Stands for an environment with another observation, for making an agent."""

    setup: Setup
    spec: None = None

    @property
    def unwrapped(self) -> "_Stand":
        return self


def _entry(name: str, setup: Setup) -> AgentEntry:
    tutors = {entry.name: entry for entry in agents_record(setup.puzzle).tutors}
    return tutors[name] if name in tutors else agent_entry(name, setup.puzzle)
