"""Train PPO (or MaskablePPO), save it, resume it, and play it as a policy like any other agent."""

import contextlib
import dataclasses
import json
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3 import PPO
from stable_baselines3.common import logger as sb3_logger
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from gridpuzzles_gym.engine.files import replacing, write_text
from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import load_puzzle

from ..level_sources.sampler_choice import make_sampler
from ..puzzle_agents import agents_record
from ..samplers import LevelReplay
from ..thoughts import Thoughts
from .level_scores import LevelScores
from .model_files import MODEL, model_file, observation_of, open_model, read_settings, sign
from .monitor import TrainingMonitor
from .network import policy_kwargs
from .sb3_vec_env import PuzzleVecEnv
from .settings import Settings
from .turned_vec_env import TurnedVecEnv


def train(settings: Settings, folder: Path, resume: bool = False, trust_pickle: bool = False) -> Path:
    """Train with a progress bar; Ctrl-C stops it and saves the model.

    Writes into ``folder``: ``model.zip``, ``checkpoints/``, ``settings.json``, ``curve.csv``,
    ``learning_curve.png`` and TensorBoard's event files.

    Args:
        settings: What to train, and how.
        folder: Output folder; created if it does not exist.
        resume: Continue from ``model.zip`` in ``folder`` up to ``settings.total_steps``.
        trust_pickle: Resume a model trained by someone else: its file can run arbitrary code.

    Returns:
        The path of the saved model.

    Raises:
        ValueError: ``folder`` contains a model and ``resume`` is False, or contains none and it is True; or the model
            is not trusted.
        KeyboardInterrupt: Ctrl-C was pressed; the model is saved.
    """
    model_path = folder / MODEL
    if resume and not model_path.is_file():
        raise ValueError(f"nothing to resume: {model_path} does not exist")
    if not resume and model_path.exists():
        raise ValueError(f"{model_path} already exists; resume it, or choose another folder")
    _check_puzzle(settings)
    torch.set_num_threads(settings.threads)
    sampler = make_sampler(settings.sampler, settings.env_id, settings.env_kwargs)
    kwargs = settings.env_kwargs if sampler is None else {**settings.env_kwargs, "levels": sampler}
    env: VecEnv = PuzzleVecEnv(settings.env_id, settings.num_envs, settings.reward_scale, **kwargs)
    if settings.turned:
        env = TurnedVecEnv(env)
    env.seed(settings.seed)
    model = _resumed_model(model_path, trust_pickle, settings, env, sampler) if resume else _new_model(settings, env)
    described = dataclasses.asdict(settings)
    model.puzzle_settings = described  # type: ignore[attr-defined]  # saved in the zip: a model file alone can be played
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "settings.json", json.dumps(described, indent=2) + "\n")
    model.set_logger(sb3_logger.configure(str(folder), ["tensorboard"]))
    columns = (
        TextColumn("training"), BarColumn(), TextColumn("{task.fields[steps]:,} steps{task.description}"),
        TimeRemainingColumn(),
    )  # fmt: skip
    with contextlib.closing(env), Progress(*columns) as progress, _saved_at_the_end(model, model_path, sampler):
        scores = [LevelScores(sampler)] if isinstance(sampler, LevelReplay) and sampler.scores == "learner" else []
        monitor = TrainingMonitor(settings, folder, progress, lambda path: _save(model, path, sampler), sampler)
        missing = settings.total_steps - model.num_timesteps
        if missing > 0:
            callbacks = [*scores, monitor]
            model.learn(missing, callback=callbacks, reset_num_timesteps=False, tb_log_name="tensorboard")
    return model_path


def _check_puzzle(settings: Settings) -> None:
    """Raise ValueError if settings require properties that this puzzle's boards do not have."""
    symmetric = agents_record(load_puzzle(gym.spec(settings.env_id).kwargs["puzzle"])).symmetric
    for name, used in (("turned=True", settings.turned), ("network='egocentric'", settings.network == "egocentric")):
        if used and not symmetric:
            raise ValueError(f"{name} requires boards that are the same in all directions, not {settings.env_id}")


def _new_model(settings: Settings, env: VecEnv) -> PPO:
    return _algorithm(settings.algorithm)(
        "MlpPolicy",
        env,
        learning_rate=settings.learning_rate,
        n_steps=settings.n_steps,
        batch_size=min(settings.batch_size, settings.num_envs * settings.n_steps),
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        policy_kwargs=policy_kwargs(settings.network, settings.hidden, settings.centred),
        seed=settings.seed,
        device="cpu",
        stats_window_size=2000,
    )


def _resumed_model(path: Path, trust_pickle: bool, settings: Settings, env: VecEnv, sampler: Sampler | None) -> PPO:
    """The saved model; a sampler of the same kind continues with its saved levels."""
    model, before = _load(path, trust_pickle, env=env)
    state = getattr(model, "sampler_state", None)
    if sampler is not None and state is not None and before.sampler == settings.sampler:
        sampler.set_state(state)
    return model


def _algorithm(name: str) -> type[PPO]:
    if name == "ppo":
        return PPO
    from sb3_contrib import MaskablePPO

    return MaskablePPO  # type: ignore[return-value]  # not a subclass, but constructed and used the same way


@contextlib.contextmanager
def _saved_at_the_end(model: PPO, path: Path, sampler: Sampler | None) -> Iterator[None]:
    """Save the model however training ends; the exception that ended it is raised again after the save."""
    try:
        yield
    except KeyboardInterrupt:
        message = f"stopped after {model.num_timesteps:,} steps; saved in {path}, use resume to continue"
        raise KeyboardInterrupt(message) from None
    finally:
        _save(model, path, sampler)


def _save(model: PPO, path: Path, sampler: Sampler | None) -> None:
    """Save a model with the state of its sampler; if killed meanwhile, the previous file is kept."""
    model.sampler_state = None if sampler is None else sampler.get_state()  # type: ignore[attr-defined]
    with replacing(path) as unfinished:
        model.save(unfinished)
        sign(unfinished)


def _load(path: Path, trust_pickle: bool, **kwargs: Any) -> tuple[PPO, Settings]:
    """The model and its settings; ValueError if the file is not one of ours, or not trusted."""
    settings = read_settings(path)
    content = open_model(path, trust_pickle)
    return _algorithm(settings.algorithm).load(content, device="cpu", **kwargs), settings


class TrainedPolicy:
    """A saved model as an agent: ``predict()`` like other agents, with masks from the environment if required.

    Args:
        model: The loaded algorithm.
        env: The environment to play, for its action masks.
        maskable: Does the model use masks?
    """

    def __init__(self, model: PPO, env: Any, maskable: bool) -> None:
        self.model, self._env, self._maskable = model, env.unwrapped, maskable

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: Any = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[np.int64], Any]:
        """Actions for one observation or a batch; sampled unless ``deterministic``."""
        more = {"action_masks": self._env.action_masks()} if self._maskable else {}
        actions, state = self.model.predict(observation, state, episode_start, deterministic, **more)
        return actions, state

    def thoughts(self, observation: npt.NDArray[Any], state: Any, i: int = 0) -> Thoughts:
        """The probability of each action: :meth:`gridpuzzles_gym.agents.thoughts.Explaining.thoughts`."""
        more = {"action_masks": np.atleast_2d(self._env.action_masks())[i]} if self._maskable else {}
        batch, _ = self.model.policy.obs_to_tensor(observation)
        with torch.no_grad():
            distribution: Any = self.model.policy.get_distribution(batch, **more).distribution
        return Thoughts(probabilities=tuple(distribution.probs[0].tolist()))


def load_policy(path: str | Path, env: Any, seed: int = 0, trust_pickle: bool = False) -> TrainedPolicy:
    """Load a saved model to play ``env``.

    Args:
        path: ``model.zip``, or the folder it is in.
        env: The environment, single or vector, made with the observation the model was trained on.
        seed: Seed for sampling actions.
        trust_pickle: Load a model trained by someone else: its file can run arbitrary code.

    Raises:
        ValueError: The file is missing, not a model, or not trusted; or the environment is of another puzzle, or
            has other spaces, than the one it was trained on.
    """
    path = model_file(path)
    observation_of(path, env.unwrapped.puzzle, env.spec and env.spec.id)
    model, settings = _load(path, trust_pickle)
    for kind in ("observation_space", "action_space"):
        here = getattr(env, f"single_{kind}", None) or getattr(env, kind)
        trained = getattr(model, kind)
        if trained != here:
            how = ", ".join(f"{name}={reprlib.repr(value)}" for name, value in settings.env_kwargs.items())
            how = f"{how}, sampler={settings.sampler!r}".removeprefix(", ")
            raise ValueError(
                f"{path} was trained on {settings.env_id} with {kind} {trained} ({how}), this environment has {here}"
            )
    model.set_random_seed(seed)
    return TrainedPolicy(model, env, settings.algorithm == "maskable-ppo")
