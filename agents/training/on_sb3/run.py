"""A training run of Stable-Baselines3."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import DISABLED, Logger

from gridpuzzles_gym.engine.messages import quote

from ...networks.operations import NUMPY
from ..collector import Ended, Episode, sampled_kwargs
from ..level_scores import LevelScores, scores_for
from ..phases import Moment
from ..provenance import device_name
from ..run import TrainingRun, between
from ..sb3_vec_env import PuzzleVecEnv
from ..settings import Settings
from .algorithm import algorithm_for
from .views import RememberingVecEnv, TurnedVecEnv


class SB3Run(TrainingRun):
    """A training run of Stable-Baselines3 in this process, by rewards alone.

    Args:
        settings: Settings of the run.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.
        callbacks: Callbacks of Stable-Baselines3.

    Attributes:
        model: PPO, MaskablePPO or RecurrentPPO.
    """

    def __init__(
        self, settings: Settings, folder: Path, start: str | Path | None = None, callbacks: Sequence[BaseCallback] = ()
    ) -> None:
        super().__init__(settings, folder, start)
        for i, callback in enumerate(callbacks):
            if not isinstance(callback, BaseCallback):
                raise ValueError(
                    f"callbacks[{i}]={quote(callback)}: must be callable or Stable-Baselines3's BaseCallback"
                )
        kwargs = sampled_kwargs(settings, self.sampler)
        env: Any = PuzzleVecEnv(settings.env_id, settings.num_envs, settings.reward_scale, **kwargs)
        weights = self._prepare(env.env)
        if settings.turned:
            env = TurnedVecEnv(env)
        if self.network.memory and not self.network.learns_memory:
            env = RememberingVecEnv(env, self.network)
        torch.set_num_threads(settings.threads)
        self.device = device_name(torch.device("cpu"), settings.threads)
        self.model: Any = algorithm_for(settings, self.network, env, self.network.learns_memory)
        logger = Logger(None, [])
        logger.set_level(DISABLED)  # the callbacks' dump() keeps what is recorded
        self.model.set_logger(logger)
        self.learner: Any = self.model.policy
        self.learner.set_weights(weights)
        self._env, self._callbacks = env, list(callbacks)
        self._callback: BaseCallback | None = None
        scores = scores_for(self.sampler, settings.num_envs)
        if scores is not None:
            self._callbacks.insert(0, _LevelScoring(scores))

    def close(self) -> None:
        """End the callbacks, and close the environments."""
        try:
            if self._callback is not None:
                self._callback.on_training_end()
        finally:
            self._env.close()

    def _begin_episodes(self) -> None:
        model, steps = self.model, self.settings.total_steps
        model.set_random_seed(self._seed())
        model.num_timesteps = self.steps
        _, callback = model._setup_learn(steps - self.steps, self._callbacks, reset_num_timesteps=False)
        model.ep_info_buffer.extend(map(_info, self.episodes))
        callback.on_training_start({"self": model, "total_timesteps": steps}, {})
        self._callback = callback

    def _advance(self, now: Moment) -> dict[str, float] | None:
        """One iteration of the loop in ``OnPolicyAlgorithm.learn()``."""
        model, settings = self.model, self.settings
        model._current_progress_remaining = 1 - now.share
        model.ent_coef = between(settings.entropy, settings.final_entropy, now.share)
        if not model.collect_rollouts(self._env, self._callback, model.rollout_buffer, settings.n_steps):
            return None
        seen = model.rollout_buffer.observations
        self._centre(lambda: self.network.view(NUMPY, seen.reshape(-1, *self.network.shape)))
        model.train()
        self.steps += settings.num_envs * settings.n_steps
        self.episodes.clear()
        self.episodes.extend(Episode(info["r"], info["l"], info["outcome"]) for info in model.ep_info_buffer)
        model.logger.record("train/entropy_bonus", model.ent_coef)
        recorded = model.logger.name_to_value.items()
        figures = {name: float(value) for name, value in recorded if isinstance(value, int | float | np.number)}
        for records in (model.logger.name_to_value, model.logger.name_to_count, model.logger.name_to_excluded):
            records.clear()
        return figures


class _LevelScoring(BaseCallback):
    """Scores levels after each rollout."""

    def __init__(self, scores: LevelScores) -> None:
        super().__init__()
        self._scores = scores
        self._ended: list[Ended] = []

    def _on_rollout_start(self) -> None:
        self._ended = []

    def _on_step(self) -> bool:
        step, infos = self.locals["n_steps"], self.locals["infos"]
        ends = np.flatnonzero(self.locals["dones"]).tolist()
        self._ended.extend(Ended(step, i, infos[i].get("level")) for i in ends)
        return True

    def _on_rollout_end(self) -> None:
        algorithm: Any = self.model
        self._scores.report(algorithm.rollout_buffer.advantages, self._ended)


def _info(episode: Episode) -> dict[str, Any]:
    """Return an episode as Stable-Baselines3's Monitor describes it, and the suite's ``VecEnv``."""
    return {"r": episode.score, "l": episode.length, "outcome": episode.outcome}
