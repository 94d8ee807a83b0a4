"""Training on pixels by Stable-Baselines3 itself: PPO with ``CnnPolicy``, which ``gridpuzzles train`` does not have."""

import contextlib
import dataclasses
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from gridpuzzles_gym.agents.training.monitor import Episode, Monitor
from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.trainer import REMEMBERED, between, versions
from gridpuzzles_gym.engine.messages import plural
from gridpuzzles_gym.engine.pictures.pixels import PIXELS
from gridpuzzles_gym.engine.system.files import replacing

from .results import Result

MODEL = "model.zip"
"""The file in a run's folder: a model of Stable-Baselines3, from which a stopped run goes on."""


def train_on_pixels(settings: Settings, tile: int, folder: Path, about: dict[str, Any]) -> Result:
    """Train to the end; continue a stopped run, and do nothing if it has ended.

    Args:
        settings: Those of the run; of those of networks, ``hidden`` and ``channels`` have an effect.
        tile: The width of a square in pixels.
        folder: The folder of the run, with its learning curve and its model.
        about: ``run``, ``experiment``, ``seed`` and ``command`` of the result.
    """
    torch.set_num_threads(settings.threads)
    folder.mkdir(parents=True, exist_ok=True)
    file, kwargs = folder / MODEL, settings.env_kwargs | {"observation": PIXELS, "tile": tile}
    envs = PuzzleVecEnv(settings.env_id, settings.num_envs, settings.reward_scale, **kwargs)
    with contextlib.closing(envs):
        model = PPO.load(file, envs, device="cpu") if file.is_file() else _new(settings, envs, tile)
        if model.num_timesteps < settings.total_steps:
            with Monitor(folder, f"{settings.env_id}, pixels", None, model.num_timesteps) as monitor:
                left = settings.total_steps - model.num_timesteps
                try:
                    model.learn(left, _Course(settings, monitor, file), reset_num_timesteps=False)
                finally:
                    _save(model, file)
    return Result(
        **about,
        env_id=settings.env_id,
        steps=model.num_timesteps,
        minutes=round(model.seconds / 60, 2),
        device=f"CPU, {plural(settings.threads, 'thread')}",
        versions=versions(),
        settings=dataclasses.asdict(settings) | {"env_kwargs": kwargs},
    )


def _new(settings: Settings, envs: PuzzleVecEnv, tile: int) -> Any:
    model: Any = PPO(
        "CnnPolicy",
        envs,
        learning_rate=LinearSchedule(settings.learning_rate, settings.final_learning_rate, 1.0),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        ent_coef=settings.entropy,
        policy_kwargs={
            "features_extractor_class": Squares,
            "features_extractor_kwargs": {"features_dim": settings.hidden, "channels": settings.channels, "tile": tile},
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        stats_window_size=REMEMBERED,
        seed=settings.seed,
        device="cpu",
    )
    model.seconds = 0.0  # of training, saved with the model
    return model


class Squares(BaseFeaturesExtractor):
    """A network for ``CnnPolicy`` that sees each square of the board by itself, then all of them.

    Most pixels never change, so the mean of the first pictures is subtracted.

    Args:
        space: That of the pictures, their colours first.
        features_dim: The number of features.
        channels: The number of features of a square.
        tile: Its width in pixels.
    """

    mean: torch.Tensor

    def __init__(self, space: gym.Space[Any], features_dim: int, channels: int, tile: int) -> None:
        super().__init__(space, features_dim)
        colours, height, width = space.shape or ()
        self.register_buffer("mean", torch.full((colours, height, width), torch.nan))
        squares = (height // tile) * (width // tile)
        self.layers = nn.Sequential(
            nn.Conv2d(colours, channels, tile, tile),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * squares, features_dim),
            nn.ReLU(),
        )

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return the features, [B, features_dim], of pictures, float32[B, C, H, W] from 0 to 1."""
        if self.mean[0, 0, 0].isnan():
            self.mean.copy_(pictures.mean(0))
        features: torch.Tensor = self.layers(pictures - self.mean)
        return features


class _Course(BaseCallback):
    """Writes the learning curve, lowers the entropy bonus, and saves the model every few minutes."""

    model: Any

    def __init__(self, settings: Settings, monitor: Monitor, file: Path) -> None:
        super().__init__()
        self._settings, self._monitor, self._file = settings, monitor, file
        self._before = self._saved = time.monotonic()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        model, settings, now = self.model, self._settings, time.monotonic()
        model.seconds, self._before = model.seconds + now - self._before, now
        share = self.num_timesteps / settings.total_steps
        model.ent_coef = between(settings.entropy, settings.final_entropy, share)
        episodes = [Episode(info["r"], info["l"], info["outcome"]) for info in model.ep_info_buffer]
        self._monitor.show(share, self.num_timesteps, "ppo")
        self._monitor.record("ppo", self.num_timesteps, model.seconds, episodes)
        if now - self._saved >= 60 * settings.checkpoint_minutes:
            self._saved = now
            _save(model, self._file)


def _save(model: Any, file: Path) -> None:
    with replacing(file) as unfinished:
        model.save(unfinished)
