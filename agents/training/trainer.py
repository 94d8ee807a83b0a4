"""Training by Stable-Baselines3, by our own learner, or by Ray's RLlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from gridpuzzles_gym.engine.messages import quote

from ..level_sources.sampler_choice import make_sampler, read_parameters
from ..models.model_file import MODEL
from ..networks.network import Weights
from .cloning import LabelledStates, imitate
from .collector import Collector, environments
from .learner import Learner
from .level_scores import scores_for
from .monitoring.report import Callback
from .phases import PPO, Moment
from .ppo import Coefficients, improve_policy
from .provenance import device_name
from .run import TrainingRun, between, check_folder, finish
from .setting_up import check_puzzle, device_for, network_for, starting_weights, with_engine
from .settings import RLLIB, SB3, Settings
from .teachers.choosing import make_teacher

PULL_ENDS = 0.5
"""The share of PPO after which the teacher's actions have no weight."""


def train(
    settings: Settings,
    folder: Path,
    resume: bool = False,
    start: str | Path | None = None,
    ray: str = "local",
    callbacks: Sequence[Any] = (),
) -> Path:
    """Train with a progress bar; Ctrl-C stops it and saves the model.

    Writes into ``folder``: ``model.safetensors``, ``checkpoint.npz``, ``settings.json``, ``curve.csv``,
    ``learning_curve.png`` and TensorBoard's event files.

    Args:
        settings: Settings of the run.
        folder: Output folder; created if it does not exist.
        resume: Continue from the checkpoint in ``folder`` up to ``settings.total_steps`` and ``settings.minutes``.
        start: A model whose weights are the first ones: its path, or ``"pretrained"``; None: random weights.
        ray: The Ray cluster that trains if ``settings.engine`` is ``"rllib"``: ``"auto"`` finds that of this machine,
            ``"local"`` starts one; otherwise a host and port.
        callbacks: Called with a :class:`~.monitoring.report.Report` after each update; a callback
            that returns True or raises ends the run, and the model is saved. With Stable-Baselines3 as the engine,
            also its own: instances of its ``BaseCallback``.

    Returns:
        The path of the saved model.

    Raises:
        ValueError: ``folder`` contains a model and ``resume`` is False, or no checkpoint and it is True, or the
            checkpoint of another engine; or the settings do not fit the environment, its teacher, the model to start
            from or the cluster.
        ImportError: Ray is needed, and not installed.
        OSError: The cluster cannot be reached.
        KeyboardInterrupt: Ctrl-C was pressed; the model is saved.
    """
    check_folder(settings, folder, resume)
    settings = with_engine(settings, folder if resume else None)
    reporting: list[Callback] = [callback for callback in callbacks if callable(callback)]
    theirs = [callback for callback in callbacks if not callable(callback)]
    if theirs and settings.engine != SB3:
        raise ValueError(f"callbacks of Stable-Baselines3 need engine={SB3!r}, not {settings.engine!r}")
    if settings.engine == RLLIB:
        from .on_rllib.run import train_on_ray

        train_on_ray(settings, folder, resume, start, ray, reporting)
    else:
        finish(run_for(settings, folder, start, theirs), resume, reporting)
    return folder / MODEL


def run_for(
    settings: Settings, folder: Path, start: str | Path | None = None, callbacks: Sequence[Any] = ()
) -> TrainingRun:
    """Return a training run of this process.

    Args:
        settings: Settings of the run, with an engine other than RLlib.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.
        callbacks: Callbacks of Stable-Baselines3, if that is the engine.

    Raises:
        ValueError: The settings do not fit the environment, its teacher or the model to start from.
        ImportError: Stable-Baselines3 is needed, and not installed.
    """
    settings = with_engine(settings)
    if settings.engine != SB3:
        return Run(settings, folder, start)
    from .on_sb3.run import SB3Run

    return SB3Run(settings, folder, start, callbacks)


class Run(TrainingRun):
    """A training run of our own learner, by a teacher, or by rewards on a GPU.

    Args:
        settings: Settings of the run.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.

    Raises:
        ValueError: The settings do not fit the environment, its teacher or the model to start from.
    """

    def __init__(self, settings: Settings, folder: Path, start: str | Path | None = None) -> None:
        super().__init__(settings, folder, start)
        check_puzzle(settings)
        self.sampler = make_sampler(settings.sampler, settings.env_id, settings.env_kwargs)
        self.env = environments(settings, self.sampler)
        self.config, self.network = self.env.config, network_for(settings, self.env)
        weights = starting_weights(self.network, settings, start)
        device = device_for(settings.device)
        self.device = device_name(device, settings.threads)
        self.learner: Learner = Learner(self.network, weights, device, settings.seed, settings.threads)
        teacher = None
        if settings.teacher is not None:
            name, parameters = read_parameters(settings.teacher, "teacher")
            teacher = make_teacher(name, self.env, **{"seed": settings.seed} | parameters)
        self.collector = Collector(settings, self.env, self.learner, teacher)
        self.episodes = self.collector.episodes
        if settings.kept_states and self.network.learns_memory:
            raise ValueError(f"network={quote(self.network.name)} learns from whole episodes: kept_states must be 0")
        self.labelled = LabelledStates(settings.kept_states) if settings.kept_states else None
        self.scores = scores_for(self.sampler, settings.num_envs)

    def weights(self) -> Weights:
        """Return the weights, by name."""
        return self.learner.arrays()

    def close(self) -> None:
        """Close the environments."""
        self.env.close()

    def _begin_episodes(self) -> None:
        self.collector.begin(self._seed())

    def _advance(self, now: Moment) -> dict[str, float]:
        figures = self._update(now)
        self.steps += self.settings.num_envs * self.settings.n_steps
        return figures

    def _update(self, now: Moment) -> dict[str, float]:
        """Play a rollout and update once; return figures about the update."""
        settings = self.settings
        taught = self.collector.teacher is not None
        pull = settings.pull * max(1 - now.share / PULL_ENDS, 0.0) * taught
        advised = taught and (now.phase != PPO or pull > 0)
        experience = self.collector.collect(now.phase, advised)
        if self.steps == 0 and self.start is None:
            self._centre(experience.views)
        if self.scores is not None:
            self.scores.report(experience.advantages.cpu().numpy(), self.collector.ended)
        states = settings.num_envs * settings.n_steps
        if now.phase != PPO:
            rate = between(settings.cloning_rate, settings.final_learning_rate, now.share)
            size = min(settings.cloning_batch, states)
            loss = imitate(self.learner, experience, self.labelled, size, settings.cloning_epochs, rate)
            return {"train/loss": loss, "train/learning_rate": rate}
        rate = between(settings.learning_rate, settings.final_learning_rate, now.share)
        entropy = between(settings.entropy, settings.final_entropy, now.share)
        coefficients = Coefficients(rate, settings.clip_range, entropy, pull)
        size = min(settings.batch_size, states)
        improve_policy(self.learner, experience, size, settings.n_epochs, coefficients)
        return {"train/entropy_bonus": entropy, "train/learning_rate": rate, "train/pull": pull}

    def _centre(self, views: torch.Tensor) -> None:
        """Set the mean that a centred network subtracts to that of the first rollout."""
        if "centre" in self.learner.network.fixed:
            self.learner.weights["centre"].copy_(views.flatten(0, 1).float().mean(0))
