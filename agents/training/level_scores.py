"""Scores levels by how much there was to learn on them, for a sampler that replays levels."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.puzzle import Level

from ..samplers import LevelReplay
from .collector import Ended


class Scored(Protocol):
    """A sampler that takes scores: :class:`~gridpuzzles_gym.agents.samplers.LevelReplay`."""

    def score(self, level: Level, value: float) -> None:
        """Record the mean absolute advantage of an episode on ``level``."""


class LevelScores:
    """After each rollout, scores the episodes that ended in it by their mean absolute advantage (GAE).

    An episode that began in an earlier rollout is scored as a whole, its first part by the values of that time.

    Args:
        sampler: The sampler to report to.
        num_envs: B, the number of environments.
    """

    def __init__(self, sampler: Scored, num_envs: int) -> None:
        self.sampler = sampler
        # Sums and steps of unfinished episodes.
        self._sums: npt.NDArray[np.float64] = np.zeros(num_envs)
        self._steps: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)

    def report(self, advantages: npt.NDArray[Any], ended: Sequence[Ended]) -> None:
        """Score the episodes that ended in a rollout.

        Args:
            advantages: float32[T, B]
            ended: The episodes, in order.
        """
        sums = np.zeros((len(advantages) + 1, advantages.shape[1]))
        np.cumsum(np.abs(advantages), axis=0, out=sums[1:])
        begun = np.zeros(advantages.shape[1], np.int64)
        for step, i, level in ended:
            total = self._sums[i] + sums[step + 1, i] - sums[begun[i], i]
            steps = self._steps[i] + step + 1 - begun[i]
            self._sums[i] = self._steps[i] = 0
            begun[i] = step + 1
            if level is not None:
                self.sampler.score(level, float(total / steps))
        self._sums += sums[-1] - np.take_along_axis(sums, begun[None], axis=0)[0]
        self._steps += len(advantages) - begun


def scores_for(sampler: Sampler | None, num_envs: int) -> LevelScores | None:
    """Return what scores levels for a sampler that replays those the learner can learn from; None for others."""
    replays = isinstance(sampler, LevelReplay) and sampler.scores == "learner"
    return LevelScores(sampler, num_envs) if replays else None  # type: ignore[arg-type]
