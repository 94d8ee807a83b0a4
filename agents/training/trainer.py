"""Training by Stable-Baselines3, by rewards and teachers: a run, its learning curve, saving and resuming."""

import dataclasses
import importlib.metadata
import json
import platform
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import DISABLED, Logger
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.messages import plural, quote
from gridpuzzles_gym.engine.observations import ObservationFormat
from gridpuzzles_gym.engine.puzzle import Level, Outcome
from gridpuzzles_gym.engine.system.files import write_text
from gridpuzzles_gym.engine.system.process import keep_freed_memory
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..level_sources.named_samplers import make_sampler
from ..models.model_file import MODEL, Description, Model, read_model, write_model
from ..models.trained_agent import model_to_start
from ..networks.architectures import network_of, parameters_of
from ..networks.network import NUMPY, Network
from ..parameters import read_parameters
from ..puzzle_agents import agents_record, option_words
from ..samplers import LevelReplay
from ..teachers import make_teacher
from .checkpoints import CHECKPOINT, from_plain, load_checkpoint, save_checkpoint, to_plain
from .imitation import TAUGHT, LabelledStates, TeacherCallback
from .monitor import Callback, Episode, Monitor, Report
from .sb3_policy import MaskableNetworkPolicy, NetworkPolicy, first_weights
from .sb3_vec_env import PuzzleVecEnv, TurnedVecEnv
from .settings import CLONE, Settings, moment, read_phases
from .settings import PPO as REWARDS


def network_for(settings: Settings, env: PuzzleVectorEnv) -> Network:
    """Return the network that the settings describe, for the observations and actions of an environment.

    Raises:
        ValueError: The network cannot read these observations, or the puzzle's boards lack a property that is needed.
    """
    for what, used in (("turned=True", settings.turned), ("network='egocentric'", settings.network == "egocentric")):
        if used and not settings.game.agents.symmetric:
            raise ValueError(f"{what} requires boards that are the same in all directions, not {settings.env_id}")
    chosen = {
        "width": settings.hidden,
        "depth": settings.depth,
        "centred": settings.centred,
        "channels": settings.channels,
        "blocks": settings.blocks,
        "flags": env.config.seen.flags,
    }
    record, allowed = agents_record(env.puzzle), parameters_of(settings.network)
    if record.player in env.channels:
        chosen["player"] = env.channels.index(record.player)
    elif "player" in allowed:
        raise ValueError(
            f"network={quote(settings.network)} needs a plane {quote(record.player)}, not {', '.join(env.channels)}"
        )
    parameters = {key: value for key, value in chosen.items() if key in allowed}
    return network_of(settings.network, env.config.space.shape or (), len(env.config.action_names), parameters)


SETTINGS = "settings.json"
REMEMBERED = 2000
"""Episodes over which returns are averaged."""


def train(
    settings: Settings,
    folder: Path,
    resume: bool = False,
    start: str | Path | None = None,
    callbacks: Sequence[Any] = (),
) -> Path:
    """Train with a progress bar; Ctrl-C stops it and saves the model.

    Writes into ``folder``: ``model.safetensors``, ``checkpoint.pt``, ``settings.json``, ``curve.csv``,
    ``learning_curve.png`` and TensorBoard's event files.

    Args:
        settings: Settings of the run.
        folder: Output folder; created if it does not exist.
        resume: Continue from the checkpoint in ``folder`` up to ``settings.total_steps`` and ``settings.minutes``.
        start: A model whose weights are the first ones: its path, or ``"pretrained"``; None: random weights.
        callbacks: Called with a :class:`~.monitor.Report` after each update; a callback that returns True or raises
            ends the run, and the model is saved. Also callbacks of Stable-Baselines3: instances of its
            ``BaseCallback``.

    Returns:
        The path of the saved model.

    Raises:
        ValueError: ``folder`` contains a model and ``resume`` is False, or no checkpoint and it is True; or the
            settings do not fit the environment, its teacher or the model to start from.
        KeyboardInterrupt: Ctrl-C was pressed; the model is saved, if it has learned from a rollout.
    """
    model, checkpoint = folder / MODEL, folder / CHECKPOINT
    for path in (checkpoint, model):
        if resume and not path.is_file():
            raise ValueError(f"nothing to resume: {path} does not exist")
        if not resume and path.exists():
            raise ValueError(f"{path} already exists; resume it (--resume), or choose another folder")
    run = TrainingRun(settings, folder, start, [callback for callback in callbacks if not callable(callback)])
    run.finish(resume, [callback for callback in callbacks if callable(callback)])
    return model


class TrainingRun:
    """A training run of Stable-Baselines3 in this process.

    Args:
        settings: Settings of the run.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.
        callbacks: Callbacks of Stable-Baselines3.

    Raises:
        ValueError: The settings do not fit the environment, its sampler or teacher, or the first model.

    Attributes:
        model: PPO or MaskablePPO.
        network: The network that its policy computes.
        sampler: The source of levels, if any.
        steps: Steps taken in all.
        seconds: Seconds of training in all, including those before it was resumed.
    """

    def __init__(
        self, settings: Settings, folder: Path, start: str | Path | None = None, callbacks: Sequence[BaseCallback] = ()
    ) -> None:
        for i, callback in enumerate(callbacks):
            if not isinstance(callback, BaseCallback):
                raise ValueError(
                    f"callbacks[{i}]={quote(callback)}: must be callable or Stable-Baselines3's BaseCallback"
                )
        self.settings, self.folder = settings, folder
        self.phases = read_phases(settings.phases, settings.teacher is not None)
        self.start = None if start is None else str(start)
        self.sampler = make_sampler(settings.sampler, settings.game)
        self.steps, self.seconds = 0, 0.0
        kwargs = settings.env_kwargs if self.sampler is None else {**settings.env_kwargs, "levels": self.sampler}
        env: Any = PuzzleVecEnv(settings.env_id, settings.num_envs, settings.reward_scale, **kwargs)
        if env.env.observation_format != ObservationFormat():
            raise ValueError("flat and dtype cannot be set here: training reads the puzzle's own observations")
        self.config, self.network = env.env.config, network_for(settings, env.env)
        weights = self._first_weights()
        self._callbacks, self._callback = list(callbacks), None
        self._teaching: TeacherCallback | None = None
        if settings.teacher is not None:
            name, parameters = read_parameters(settings.teacher, "teacher")
            seeded: dict[str, Any] = {"seed": settings.seed} | parameters
            teacher = make_teacher(name, env.env, **seeded)
            self._teaching = TeacherCallback(teacher, settings.teacher_weight)
            self._callbacks.insert(0, self._teaching)
        self._kept = LabelledStates(settings.kept_states) if settings.kept_states else None
        if isinstance(self.sampler, LevelReplay) and self.sampler.scores == "learner":
            self._callbacks.insert(0, LevelScores(self.sampler, settings.num_envs))
        if settings.turned:
            env = TurnedVecEnv(env)
        self._callbacks.append(BatchedBootstrap())
        keep_freed_memory()  # Sokoban's preset is a sixth faster
        torch.set_num_threads(settings.threads)
        torch.set_float32_matmul_precision("medium")  # in bfloat16 where the processor can: up to twice as fast
        self.model: Any = _algorithm(settings, self.network, env)
        logger = Logger(None, [])
        logger.set_level(DISABLED)  # the callbacks' dump() keeps what is recorded
        self.model.set_logger(logger)
        self.model.policy.set_weights(weights)
        self._env = env

    def _first_weights(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return random weights, or those of the model to start from, which must be one of this network."""
        if self.start is None:
            return first_weights(self.network, self.settings.seed)
        weights = read_model(model_to_start(self.start, self.settings.env_id)).weights
        needed = {name: sizes for name, (sizes, _) in self.network.shapes().items()}
        for name in sorted(needed.keys() | weights.keys()):
            found = weights[name].shape if name in weights else None
            if found != needed.get(name):
                what = f"{name} is {found or 'missing'}, must be {needed.get(name, 'left out')}"
                raise ValueError(f"{self.start} is a model of another network ({what})")
        return weights

    def finish(self, resume: bool, callbacks: Sequence[Callback] = ()) -> None:
        """Train to the end of the run, or until a callback returns True, and close it."""
        try:
            self.begin(resume)
            self.go_on(callbacks)
        finally:
            self.close()

    def close(self) -> None:
        """End the callbacks, and close the environments."""
        try:
            if self._callback is not None:
                self._callback.on_training_end()
        finally:
            self._env.close()

    def begin(self, resume: bool) -> None:
        """Begin the first episodes of a new run, or others after a checkpoint."""
        episodes = self._restore(self.folder / CHECKPOINT) if resume else []
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / SETTINGS, json.dumps(dataclasses.asdict(self.settings), indent=2) + "\n")
        model, total = self.model, self.settings.total_steps
        words = np.random.SeedSequence([self.settings.seed, self.steps])
        model.set_random_seed(int(words.generate_state(1)[0]) if self.steps else self.settings.seed)
        model.num_timesteps = self.steps
        _, callback = model._setup_learn(total - self.steps, self._callbacks, reset_num_timesteps=False)
        model.ep_info_buffer.extend({"r": e.score, "l": e.length, "outcome": e.outcome} for e in episodes)
        callback.on_training_start({"self": model, "total_timesteps": total}, {})
        self._callback = callback

    def _restore(self, checkpoint: Path) -> list[Episode]:
        """Return the latest episodes before a checkpoint, and restore everything else."""
        saved = load_checkpoint(checkpoint, self.model.policy)
        try:
            self.steps, self.seconds, self.start = int(saved["steps"]), float(saved["seconds"]), saved["start"]
            episodes = [
                Episode(float(score), int(length), Outcome(number)) for score, length, number in saved["episodes"]
            ]
            state = from_plain(saved["sampler"], self.config.puzzle) if saved["of"] == self.settings.sampler else None
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{checkpoint} is damaged ({type(error).__name__}: {error})") from None
        if self.sampler is not None and state is not None:
            self.sampler.set_state(state)
        return episodes

    @property
    def episodes(self) -> list[Episode]:
        """The latest episodes that the learner played."""
        return [Episode(info["r"], info["l"], Outcome(info["outcome"])) for info in self.model.ep_info_buffer]

    def _advance(self, phase: str, share: float) -> dict[str, float] | None:
        """Play a rollout and learn from it, as one iteration of ``OnPolicyAlgorithm.learn()`` does.

        Returns:
            Figures about the update; None if a callback ended the run.
        """
        model, settings, teaching = self.model, self.settings, self._teaching
        model._current_progress_remaining = 1 - share
        model.ent_coef = between(settings.entropy, settings.final_entropy, share)
        if teaching is not None:
            teaching.imitating, teaching.taught = phase != REWARDS, TAUGHT * (phase == CLONE)
        if not model.collect_rollouts(self._env, self._callback, model.rollout_buffer, settings.n_steps):
            return None
        self._centre(model.rollout_buffer.observations)
        if teaching is not None and phase != REWARDS:
            rate = between(settings.cloning_rate, settings.final_learning_rate, share)
            size = min(settings.cloning_batch, settings.num_envs * settings.n_steps)
            figures = {"train/loss": teaching.imitate(size, settings.cloning_epochs, rate, self._kept)}
            figures["train/learning_rate"] = rate
        else:
            model.train()
            figures = {"train/entropy_bonus": model.ent_coef}
            if teaching is not None:
                figures["train/teacher_weight"] = teaching.current_weight
        self.steps += settings.num_envs * settings.n_steps
        recorded = model.logger.name_to_value.items()
        figures |= {name: float(value) for name, value in recorded if isinstance(value, int | float | np.number)}
        for records in (model.logger.name_to_value, model.logger.name_to_count, model.logger.name_to_excluded):
            records.clear()
        return figures

    def _centre(self, seen: npt.NDArray[Any]) -> None:
        """After the first rollout, set the mean that a centred network subtracts from the input of its first layer."""
        if self.steps == 0 and self.start is None and "centre" in self.network.fixed:
            views = self.network.view(NUMPY, seen.reshape(-1, *self.network.shape))
            self.model.policy.set_weights({"centre": views.mean(0, dtype=np.float32)})

    def share(self) -> float:
        """Return the completed share of the run, by steps or by the clock, 0 to 1."""
        share = self.steps / self.settings.total_steps
        if self.settings.minutes is not None:
            share = max(share, self.seconds / (60 * self.settings.minutes))
        return min(share, 1.0)

    def go_on(self, callbacks: Sequence[Callback] = ()) -> None:
        """Train to the end of the run, or until a callback returns True; save at the end whatever was learned."""
        settings, saved, before, ended = self.settings, self.seconds, time.monotonic(), False
        with Monitor(self.folder, f"{settings.env_id}, {settings.network}", self.sampler, self.steps) as monitor:
            try:
                while (share := self.share()) < 1 and not ended:
                    phase, part = moment(self.phases, share)
                    monitor.show(share, self.steps, phase)
                    figures = self._advance(phase, part)
                    if figures is None:
                        return
                    self.seconds, before = self.seconds + time.monotonic() - before, time.monotonic()
                    row = monitor.record(phase, self.steps, self.seconds, self.episodes, **figures)
                    if self.seconds - saved >= 60 * settings.checkpoint_minutes:
                        saved = self.seconds
                        self.save()
                    if row is not None:
                        paused = time.monotonic()
                        report = Report(self.steps, self.seconds, self.share(), row["return"], row)
                        ended = bool(sum(bool(callback(report)) for callback in callbacks))  # each gets every report
                        before += time.monotonic() - paused
                if not ended:
                    monitor.show(1.0, self.steps, "training")
            except KeyboardInterrupt:
                progress = f"after {self.steps:,} steps; saved in {self.folder}, resume it to continue (--resume)"
                when = progress if self.steps else "before the first update; nothing is saved"
                raise KeyboardInterrupt(f"stopped {when}") from None
            finally:
                if self.steps:  # otherwise nothing is learned, and the folder stays free for another attempt
                    self.save()

    def save(self) -> None:
        """Write the model, and the checkpoint from which the run can be resumed."""
        state = None if self.sampler is None else self.sampler.get_state()
        run = {"steps": self.steps, "seconds": self.seconds, "of": self.settings.sampler, "start": self.start}
        run["sampler"] = to_plain(state, self.config.puzzle, self.config.options)
        run["episodes"] = [(e.score, e.length, int(e.outcome)) for e in self.episodes]
        # First the model, since that refuses numbers that are not finite.
        write_model(self.folder / MODEL, Model(self._described(), self.model.policy.arrays()))
        save_checkpoint(self.folder / CHECKPOINT, self.model.policy, run)

    def _described(self) -> Description:
        """Return the description of the model as it is now."""
        settings, network = self.settings, self.network
        command = ["gridpuzzles", "train", settings.env_id, *([] if self.start is None else ["--from", self.start])]
        return Description(
            env_id=settings.env_id,
            observation=self.config.observation,
            shape=network.shape,
            actions=network.actions,
            network={"name": network.name, **network.parameters()},
            masks=settings.masked,
            env_kwargs=settings.env_kwargs,
            settings=dataclasses.asdict(settings),
            seed=settings.seed,
            steps=self.steps,
            minutes=round(self.seconds / 60, 2),
            device=f"CPU, {plural(settings.threads, 'thread')}",
            versions=versions(),
            command=shlex.join([*command, *option_words(settings.env_kwargs, settings.changed())]),
        )


def versions() -> dict[str, str]:
    """Return the versions of what trains a model, by package."""
    packages = ("gymnasium", "numpy", "torch", "stable-baselines3", "sb3-contrib")
    found = {name: importlib.metadata.version(name) for name in packages}
    return {"gridpuzzles_gym": __version__, "python": platform.python_version(), **found}


def between(first: float, last: float, share: float) -> float:
    """Return a scheduled value after a share of the run, 0 to 1."""
    return first + share * (last - first)


def _algorithm(settings: Settings, network: Network, env: VecEnv) -> Any:
    """Return PPO or MaskablePPO with a policy that computes a network, and the settings of a run."""
    made: Any = (MaskablePPO, MaskableNetworkPolicy) if settings.masked else (PPO, NetworkPolicy)
    algorithm, policy = made
    return algorithm(
        policy,
        env,
        learning_rate=LinearSchedule(settings.learning_rate, settings.final_learning_rate, 1.0),
        n_steps=settings.n_steps,
        batch_size=max(2, min(settings.batch_size, settings.num_envs * settings.n_steps)),
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,  # constant in these algorithms: the run sets it before each update
        stats_window_size=REMEMBERED,
        policy_kwargs={
            "network": {"name": network.name, **network.parameters()},
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        seed=settings.seed,
        device="cpu",
    )


class BatchedBootstrap(BaseCallback):
    """Adds the values of the last observations of truncated episodes to their rewards, in one call of the policy.

    Stable-Baselines3 would call it for each such episode. It must be the last callback, for it sets
    ``TimeLimit.truncated`` to False.
    """

    def _on_step(self) -> bool:
        model: Any = self.model
        infos = {i: info for i, info in enumerate(self.locals["infos"]) if info.get("TimeLimit.truncated")}
        if infos:
            last = np.stack([info["terminal_observation"] for info in infos.values()])
            with torch.no_grad():
                values = model.policy.predict_values(torch.from_numpy(last).to(model.device))
            self.locals["rewards"][list(infos)] += model.gamma * values.cpu().numpy().flatten()
            for info in infos.values():
                info["TimeLimit.truncated"] = False
        return True


class LevelScores(BaseCallback):
    """After each rollout, scores the episodes that ended in it by their mean absolute advantage, for a sampler.

    An episode that began in an earlier rollout is scored as a whole, its first part by the values of that time.

    Args:
        sampler: The sampler to report to.
        num_envs: B, the number of environments.
    """

    def __init__(self, sampler: LevelReplay, num_envs: int) -> None:
        super().__init__()
        self.sampler = sampler
        # Sums and steps of unfinished episodes.
        self._sums: npt.NDArray[np.float64] = np.zeros(num_envs)
        self._steps: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._ended: list[tuple[int, int, Level | None]] = []

    def _on_rollout_start(self) -> None:
        self._ended = []

    def _on_step(self) -> bool:
        step, infos = self.locals["n_steps"], self.locals["infos"]
        ends = np.flatnonzero(self.locals["dones"]).tolist()
        self._ended.extend((step, i, infos[i].get("level")) for i in ends)
        return True

    def _on_rollout_end(self) -> None:
        algorithm: Any = self.model
        self.report(algorithm.rollout_buffer.advantages, self._ended)

    def report(self, advantages: npt.NDArray[Any], ended: Sequence[tuple[int, int, Level | None]]) -> None:
        """Score the episodes that ended in a rollout.

        Args:
            advantages: float32[T, B]
            ended: The episodes, in order: the step of the rollout, from 0, in which one ended, its environment, and its
                level, None if it was generated by the rules.
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
