"""Teachers, which label the states of the environments that a learner plays with the actions to take.

A teacher is asked at every step, also after mistakes of the learner (S. Ross, G. Gordon, D. Bagnell, "A reduction
of imitation learning and structured prediction to no-regret online learning", AISTATS 2011). It may see more than the
learner: the environments' states, as any observation of the puzzle. An agent's labels are its choices or, if it knows
them, follow from the actions' values; a tutor's action -1 means no advice.
"""

import dataclasses
import math
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import real
from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.config import EnvConfig, config_of
from gridpuzzles_gym.engine.messages import quote

from ...policy import Policy, Recollecting, Valuing
from ...puzzle_agents import AgentEntry, agents_record
from ...registry import agent_entry

TOLERANCE = 1e-4
"""Actions whose expected returns differ by no more are equally good, unless a parameter says otherwise."""


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
