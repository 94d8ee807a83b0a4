"""A training run: its phases, its schedules, its checkpoints."""

import contextlib
import dataclasses
import importlib.metadata
import json
import platform
import shlex
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.files import write_text
from gridpuzzles_gym.engine.messages import plural
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..level_sources.sampler_choice import make_sampler, read_parameters
from ..models.description import Description
from ..models.model_file import MODEL, Model, read_model, write_model
from ..models.pretrained import model_to_start
from ..networks.network import Network
from ..networks.table import network_of, parameters_of
from ..puzzle_agents import agents_record
from ..samplers import LevelReplay
from .checkpoints import CHECKPOINT, load_checkpoint, save_checkpoint
from .cloning import KeptStates, imitate
from .collector import Collector, Episode, environments
from .learner import Learner
from .level_scores import LevelScores
from .monitor import Monitor
from .phases import PPO, Moment, moment, read_phases
from .plain_state import from_plain, to_plain
from .ppo import Coefficients, improve_policy
from .report import Callback, Report
from .settings import Settings
from .teachers import make_teacher
from .torch_operations import first_weights

PULL_ENDS = 0.5
"""The share of PPO after which the teacher no longer pulls."""
SETTINGS = "settings.json"


def train(
    settings: Settings,
    folder: Path,
    resume: bool = False,
    start: str | Path | None = None,
    callbacks: Sequence[Callback] = (),
) -> Path:
    """Train with a progress bar; Ctrl-C stops it and saves the model.

    Writes into ``folder``: ``model.safetensors``, ``checkpoint.npz``, ``settings.json``, ``curve.csv``,
    ``learning_curve.png`` and TensorBoard's event files.

    Args:
        settings: What to train, and how.
        folder: Output folder; created if it does not exist.
        resume: Continue from the checkpoint in ``folder`` up to ``settings.total_steps`` and ``settings.minutes``.
        start: A model whose weights are the first ones: its path, or ``"pretrained"``; None: random weights.
        callbacks: Called with a :class:`~gridpuzzles_gym.agents.training.report.Report` after each update; a callback
            that returns True or raises ends the run, and what is trained is saved.

    Returns:
        The path of the saved model.

    Raises:
        ValueError: ``folder`` contains a model and ``resume`` is False, or no checkpoint and it is True; or the
            settings do not fit the environment, its teacher or the model to start from.
        KeyboardInterrupt: Ctrl-C was pressed; the model is saved.
    """
    checkpoint = folder / CHECKPOINT
    if resume and not checkpoint.is_file():
        raise ValueError(f"nothing to resume: {checkpoint} does not exist")
    for existing in (folder / MODEL, checkpoint):
        if not resume and existing.exists():
            raise ValueError(f"{existing} already exists; resume it, or choose another folder")
    run = Run(settings, folder, start)
    try:
        run.begin(resume)
        run.go_on(callbacks)
    finally:
        run.env.close()
        run.learner.close()
    return folder / MODEL


class Run:
    """One training run.

    Args:
        settings: What to train, and how.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.

    Raises:
        ValueError: The settings do not fit the environment, its teacher or the model to start from.
    """

    def __init__(self, settings: Settings, folder: Path, start: str | Path | None = None) -> None:
        self.settings, self.folder = settings, folder
        self.phases = read_phases(settings.phases, settings.teacher is not None)
        _check_puzzle(settings)
        self.sampler = make_sampler(settings.sampler, settings.env_id, settings.env_kwargs)
        self.env = environments(settings, self.sampler)
        network = network_for(settings, self.env)
        weights = first_weights(network, settings.seed) if start is None else _weights_of(start, network, settings)
        self.learner = Learner(network, weights, device_for(settings.device), settings.seed, settings.threads)
        teacher = None
        if settings.teacher is not None:
            name, parameters = read_parameters(settings.teacher, "teacher")
            teacher = make_teacher(name, self.env, **{"seed": settings.seed} | parameters)
        self.collector = Collector(settings, self.env, self.learner, teacher)
        if settings.kept_states and network.learns_memory:
            raise ValueError(f"network={network.name!r} learns from whole episodes: kept_states must be 0")
        self.kept = KeptStates(settings.kept_states) if settings.kept_states else None
        replays = isinstance(self.sampler, LevelReplay) and self.sampler.scores == "learner"
        self.scores = LevelScores(self.sampler, settings.num_envs) if replays else None  # type: ignore[arg-type]
        self.start = None if start is None else str(start)
        self.steps = 0
        self.seconds = 0.0
        """Seconds of training in all, those before this run was resumed included."""

    def begin(self, resume: bool) -> None:
        """Prepare the first episodes, of a new run or after a checkpoint."""
        settings = self.settings
        if resume:
            self._go_back_to(self.folder / CHECKPOINT)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / SETTINGS, json.dumps(dataclasses.asdict(settings), indent=2) + "\n")
        words = np.random.SeedSequence([settings.seed, self.steps])  # a resumed run plays other episodes
        self.collector.begin(int(words.generate_state(1)[0]) if self.steps else settings.seed)

    def _go_back_to(self, checkpoint: Path) -> None:
        saved = load_checkpoint(checkpoint, self.learner)
        try:
            self.steps, self.seconds, self.start = int(saved["steps"]), float(saved["seconds"]), saved["start"]
            episodes = [Episode(float(score), int(length), outcome) for score, length, outcome in saved["episodes"]]
            state = from_plain(saved["sampler"], self.env.puzzle) if saved["of"] == self.settings.sampler else None
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{checkpoint} is damaged ({type(error).__name__}: {error})") from None
        self.collector.episodes.extend(episodes)
        if self.sampler is not None and state is not None:
            self.sampler.set_state(state)

    def share(self) -> float:
        """The completed share of the run, by steps or by the clock, 0 to 1."""
        share = self.steps / self.settings.total_steps
        if self.settings.minutes is not None:
            share = max(share, self.seconds / (60 * self.settings.minutes))
        return min(share, 1.0)

    def go_on(self, callbacks: Sequence[Callback] = ()) -> None:
        """Train to the end of the run, or until a callback returns True; save, however it ends."""
        try:
            with contextlib.closing(self.reports()) as reports:
                for report in reports:
                    results = [callback(report) for callback in callbacks]  # each gets every report
                    if any(results):
                        break
        except KeyboardInterrupt:
            message = f"stopped after {self.steps:,} steps; saved in {self.folder}, use resume to continue"
            raise KeyboardInterrupt(message) from None

    def reports(self) -> Generator[Report, None, None]:
        """Train to the end of the run, and yield a report after each update; save, however it ends.

        Closing the generator ends the run.
        """
        settings = self.settings
        saved = self.seconds
        with Monitor(self.folder, f"{settings.env_id}, {settings.network}", self.sampler, self.steps) as monitor:
            before = time.monotonic()
            try:
                while (share := self.share()) < 1:
                    now = moment(self.phases, share)
                    monitor.show(share, self.steps, now.phase)
                    figures = self._advance(now)
                    self.steps += settings.num_envs * settings.n_steps
                    self.seconds, before = self.seconds + time.monotonic() - before, time.monotonic()
                    row = monitor.record(now.phase, self.steps, self.seconds, self.collector.episodes, **figures)
                    if self.seconds - saved >= 60 * settings.checkpoint_minutes:
                        saved = self.seconds
                        self.save()
                    if row is not None:
                        paused = time.monotonic()
                        yield Report(self.steps, self.seconds, self.share(), row["return"], row)
                        before += time.monotonic() - paused
                monitor.show(1.0, self.steps, "training")
            finally:
                self.save()

    def _advance(self, now: Moment) -> dict[str, float]:
        """One rollout, and one update; returns figures about the update."""
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
            rate = _between(settings.cloning_rate, settings.final_learning_rate, now.share)
            size = min(settings.cloning_batch, states)
            loss = imitate(self.learner, experience, self.kept, size, settings.cloning_epochs, rate)
            return {"train/loss": loss, "train/learning_rate": rate}
        rate = _between(settings.learning_rate, settings.final_learning_rate, now.share)
        entropy = _between(settings.entropy, settings.final_entropy, now.share)
        coefficients = Coefficients(rate, settings.clip_range, entropy, pull)
        size = min(settings.batch_size, states)
        improve_policy(self.learner, experience, size, settings.n_epochs, coefficients)
        return {"train/entropy_bonus": entropy, "train/learning_rate": rate, "train/pull": pull}

    def _centre(self, views: torch.Tensor) -> None:
        """Let a centred network subtract the mean of the first rollout."""
        if "centre" in self.learner.network.fixed:
            self.learner.weights["centre"].copy_(views.flatten(0, 1).float().mean(0))

    def save(self) -> None:
        """Write the model, and the checkpoint from which the run goes on."""
        settings, setup = self.settings, self.env.setup
        state = None if self.sampler is None else self.sampler.get_state()
        network = self.learner.network
        about = Description(
            env_id=settings.env_id,
            observation=setup.observation,
            shape=network.shape,
            actions=network.actions,
            network={"name": network.name, **network.parameters()},
            masks=settings.masked,
            env_kwargs=settings.env_kwargs,
            settings=dataclasses.asdict(settings),
            seed=settings.seed,
            steps=self.steps,
            minutes=round(self.seconds / 60, 2),
            device=device_name(self.learner.device, settings.threads),
            versions=_versions(),
            command=command_of(settings, self.start),
        )
        run = {"steps": self.steps, "seconds": self.seconds, "of": settings.sampler, "start": self.start}
        run["sampler"] = to_plain(state, self.env.puzzle, self.env.options)
        run["episodes"] = list(self.collector.episodes)
        write_model(self.folder / MODEL, Model(about, self.learner.arrays()))  # first: it refuses what is not finite
        save_checkpoint(self.folder / CHECKPOINT, self.learner, run)


def network_for(settings: Settings, env: PuzzleVectorEnv) -> Network:
    """Return the network that the settings describe, for the observations and actions of an environment.

    Raises:
        ValueError: The network cannot read these observations.
    """
    chosen = {
        "width": settings.hidden,
        "depth": settings.depth,
        "centred": settings.centred,
        "channels": settings.channels,
        "blocks": settings.blocks,
        "flags": env.puzzle.observations[env.setup.observation].flags,
    }
    record, allowed = agents_record(env.puzzle), parameters_of(settings.network)
    name, motion = record.player, record.motion
    if name in env.channels:
        chosen["player"] = env.channels.index(name)
    elif "player" in allowed:
        raise ValueError(f"network={settings.network!r} needs a plane {name!r}, not {', '.join(env.channels)}")
    if motion is not None and motion.blocked in env.channels:
        for key in ("ahead", "turn_left", "turn_right"):
            chosen[key] = env.setup.action_names.index(getattr(motion, key))
        chosen["blocked"] = env.channels.index(motion.blocked)
    elif "blocked" in allowed:
        needed = "an agent that moves and turns" if motion is None else f"a percept {motion.blocked!r}"
        raise ValueError(f"network={settings.network!r} needs {needed}, which {settings.env_id} does not have here")
    parameters = {key: value for key, value in chosen.items() if key in allowed}
    shape = env.single_observation_space.shape or ()
    return network_of(settings.network, shape, len(env.setup.action_names), parameters)


def device_for(name: str) -> torch.device:
    """Return the device of that name; ``"auto"`` is the first GPU, if there is one.

    Raises:
        ValueError: PyTorch cannot use it here.
    """
    able = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next((kind for kind in ("cuda", "mps") if able[kind]), "cpu")
    if not able[name]:
        raise ValueError(f"device={name!r} is not available to PyTorch {torch.__version__} on this machine")
    return torch.device(name)


def device_name(device: torch.device, threads: int) -> str:
    """Return the name of a GPU, or how many threads train on the CPU."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return device.type if device.type != "cpu" else f"CPU, {plural(threads, 'thread')}"


def command_of(settings: Settings, start: str | None = None) -> str:
    """Return the command line that trains with these settings again, beginning with the model ``start``, if any."""
    default = Settings()
    pairs = [("--set", name, value) for name, value in settings.env_kwargs.items()]
    for field in dataclasses.fields(Settings):
        value = getattr(settings, field.name)
        if field.name not in ("env_id", "env_kwargs") and value != getattr(default, field.name):
            pairs.append(("--hyper", field.name, value))
    words = ["gridpuzzles", "train", settings.env_id, *([] if start is None else ["--from", start])]
    for flag, name, value in pairs:
        words += [flag, f"{name}={value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))}"]
    return shlex.join(words)


def _versions() -> dict[str, str]:
    names = ("gymnasium", "numpy", "torch")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"gridpuzzles_gym": __version__, "python": platform.python_version(), **found}


def _between(first: float, last: float, share: float) -> float:
    return first + share * (last - first)


def _weights_of(start: str | Path, network: Network, settings: Settings) -> Mapping[str, np.ndarray[Any, Any]]:
    """The weights of a model to start from, if they are those of such a network."""
    weights = read_model(model_to_start(str(start), settings.env_id)).weights
    needed = {name: sizes for name, (sizes, _) in network.shapes().items()}
    for name in sorted(needed.keys() | weights.keys()):
        found = weights[name].shape if name in weights else None
        if found != needed.get(name):
            what = f"{name} is {found or 'missing'}, must be {needed.get(name, 'left out')}"
            raise ValueError(f"{start} is a model of another network ({what})")
    return weights


def _check_puzzle(settings: Settings) -> None:
    """Raise ValueError if settings require properties that this puzzle's boards do not have."""
    symmetric = agents_record(load_puzzle(gym.spec(settings.env_id).kwargs["puzzle"])).symmetric
    for name, used in (("turned=True", settings.turned), ("network='egocentric'", settings.network == "egocentric")):
        if used and not symmetric:
            raise ValueError(f"{name} requires boards that are the same in all directions, not {settings.env_id}")
