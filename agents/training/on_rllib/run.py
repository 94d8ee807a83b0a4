"""A training run of RLlib."""

import dataclasses
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import gymnasium as gym
import numpy as np
import ray
from ray.rllib.core.columns import Columns
from ray.rllib.env.env_runner_group import EnvRunnerGroup

from gridpuzzles_gym.engine.messages import plural

from ...parallel import WorkError
from ...parallel.executor import failure
from ...parallel.on_ray import connection
from ..collector import environments
from ..monitoring.report import Callback
from ..phases import Moment
from ..run import TrainingRun, between, finish
from ..settings import Settings
from ..torch_networks.fixed_memory import FixedMemory
from .configuration import configured
from .env_runner import BatchEnvRunner, Rollout
from .learners import Learners

_ATTEMPTS = 600
"""Maximum number of waits, about a second each, for env runners when all are lost."""


def train_on_ray(
    settings: Settings,
    folder: Path,
    resume: bool,
    start: str | Path | None,
    address: str,
    callbacks: Sequence[Callback] = (),
) -> None:
    """Train on a cluster; see :func:`gridpuzzles_gym.agents.training.trainer.train`."""
    logging.getLogger("ray.rllib.utils.actor_manager").setLevel(logging.CRITICAL)  # lost processes are replaced
    with connection(address):
        finish(RayRun(settings, folder, start), resume, callbacks)


class RayRun(TrainingRun):
    """A training run of RLlib on the cluster that this process is connected to.

    Arguments are those of the base.
    """

    def __init__(self, settings: Settings, folder: Path, start: str | Path | None = None) -> None:
        super().__init__(settings, folder, start)
        env = environments(dataclasses.replace(settings, num_envs=2, env_runners=None), None)
        weights = self._prepare(env)
        view = FixedMemory(self.network, 2).seen(env.reset()[0])
        env.close()
        space = gym.spaces.Box(0, 255, view.shape[1:], view.dtype.type)
        self._config = configured(settings, self.network, space)
        runners, learners = self._config.num_env_runners, self._config.num_learners
        kind = "GPU" if self._config.num_gpus_per_learner else "CPU"
        where = plural(learners, "learner") if learners else plural(settings.threads, "thread")
        self.device = f"RLlib: {kind}, {where}, {plural(runners, 'env runner')}"
        self.learner: Learners = Learners(self._config, weights)
        with _quiet():  # Ray warns that arguments could be lost, but the group stores these
            self._players = EnvRunnerGroup(config=self._config, local_env_runner=not runners)

    def close(self) -> None:
        """End the processes."""
        self._players.stop()
        self.learner.close()

    def _begin_episodes(self) -> None:
        """Runners begin when they first play."""

    def _advance(self, now: Moment) -> dict[str, float]:
        settings = self.settings
        rollouts = self._play()
        self._centre(lambda: np.concatenate([rollout.table[Columns.OBS] for rollout in rollouts]))
        self.learner.update(rollouts, settings.batch_size, round(now.share * settings.total_steps))
        for rollout in rollouts:
            self.steps += len(rollout.table[Columns.ACTIONS])
            self.episodes.extend(rollout.episodes)
        rate = between(settings.learning_rate, settings.final_learning_rate, now.share)
        return {
            "train/entropy_bonus": between(settings.entropy, settings.final_entropy, now.share),
            "train/learning_rate": rate,
        }

    def _play(self) -> list[Rollout]:
        """Return a rollout of each runner, in their order; those of processes that were lost are missing."""
        weights, steps = ray.put(self.learner.arrays()), self.steps

        def sample(runner: BatchEnvRunner) -> Rollout | Exception:
            try:
                return runner.sample(weights=ray.get(weights), steps=steps)
            except Exception as error:
                return failure(error, f"env runner {runner.worker_index}")

        for _ in range(_ATTEMPTS):
            self._players.probe_unhealthy_env_runners()
            rollouts: list[Rollout] = []
            for result in self._players.foreach_env_runner(sample):
                if isinstance(result, Exception):
                    raise result
                rollouts.append(result)
            if rollouts:
                return sorted(rollouts, key=lambda rollout: rollout.runner)
        raise WorkError("all env runners were lost")


@contextmanager
def _quiet() -> Iterator[None]:
    """Drop what this process writes to its standard error, compiled code too."""
    before, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(nowhere)
