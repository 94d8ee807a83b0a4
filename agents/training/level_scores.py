"""Reports to a sampler that replays levels how much there was to learn on each."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.callbacks import BaseCallback

from gridpuzzles_gym.engine.puzzle import Level


class Scored(Protocol):
    """A sampler that takes scores: :class:`~gridpuzzles_gym.agents.samplers.LevelReplay`."""

    def score(self, level: Level, value: float) -> None:
        """Record the mean absolute advantage of an episode on ``level``."""


class LevelScores(BaseCallback):
    """After each rollout, scores the episodes that ended in it by their mean absolute advantage (GAE).

    An episode that began in an earlier rollout is scored as a whole, its first part by the values of that time. Needs
    infos that hold the ``level`` at the end of an episode, like those of
    :class:`~gridpuzzles_gym.agents.training.sb3_vec_env.PuzzleVecEnv`.

    Args:
        sampler: The sampler to report to.
    """

    def __init__(self, sampler: Scored) -> None:
        super().__init__()
        self.sampler = sampler

    def _on_training_start(self) -> None:
        size = self.training_env.num_envs
        # Sums and steps of unfinished episodes.
        self._sums: npt.NDArray[np.float64] = np.zeros(size)
        self._steps: npt.NDArray[np.int64] = np.zeros(size, np.int64)

    def _on_rollout_start(self) -> None:
        self._step = 0
        self._ends: list[tuple[int, int, Level | None]] = []
        """(step, environment, level) of the episodes that have ended, in order."""

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for i in np.flatnonzero(self.locals["dones"]).tolist():
            self._ends.append((self._step, i, infos[i].get("level")))
        self._step += 1
        return True

    def _on_rollout_end(self) -> None:
        # [T, B]; not every algorithm has a rollout buffer, PPO does.
        advantages: npt.NDArray[Any] = self.model.rollout_buffer.advantages  # type: ignore[attr-defined]
        sums = np.zeros((len(advantages) + 1, advantages.shape[1]))
        np.cumsum(np.abs(advantages), axis=0, out=sums[1:])
        begun = np.zeros(advantages.shape[1], np.int64)
        for step, i, level in self._ends:
            total = self._sums[i] + sums[step + 1, i] - sums[begun[i], i]
            steps = self._steps[i] + step + 1 - begun[i]
            self._sums[i] = self._steps[i] = 0
            begun[i] = step + 1
            if level is not None:
                self.sampler.score(level, float(total / steps))
        self._sums += sums[-1] - np.take_along_axis(sums, begun[None], axis=0)[0]
        self._steps += len(advantages) - begun
