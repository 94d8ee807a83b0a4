"""What a training run begins with, by its settings: the network, its first weights; and its model's description."""

import dataclasses
import importlib.metadata
import platform
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.messages import plural, quote
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..models.model_file import Description, read_model
from ..models.trained_agent import model_to_start
from ..networks.architectures import network_of, parameters_of
from ..networks.network import Network
from ..puzzle_agents import agents_record, option_words
from .settings import Settings
from .torch_networks import first_weights


def check_puzzle(settings: Settings) -> None:
    """Raise ValueError if settings require properties that this puzzle's boards do not have."""
    symmetric = settings.game.agents.symmetric
    for name, used in (("turned=True", settings.turned), ("network='egocentric'", settings.network == "egocentric")):
        if used and not symmetric:
            raise ValueError(f"{name} requires boards that are the same in all directions, not {settings.env_id}")


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
        "flags": env.config.seen.flags,
    }
    record, allowed = agents_record(env.puzzle), parameters_of(settings.network)
    name, motion = record.player, record.motion
    if name in env.channels:
        chosen["player"] = env.channels.index(name)
    elif "player" in allowed:
        raise ValueError(
            f"network={quote(settings.network)} needs a plane {quote(name)}, not {', '.join(env.channels)}"
        )
    if motion is not None and motion.blocked in env.channels:
        for key in ("ahead", "turn_left", "turn_right"):
            chosen[key] = env.config.action_names.index(getattr(motion, key))
        chosen["blocked"] = env.channels.index(motion.blocked)
    elif "blocked" in allowed:
        needed = "an agent that moves and turns" if motion is None else f"a percept {motion.blocked!r}"
        raise ValueError(
            f"network={quote(settings.network)} needs {needed}, which {settings.env_id} does not have here"
        )
    parameters = {key: value for key, value in chosen.items() if key in allowed}
    shape = env.single_observation_space.shape or ()
    return network_of(settings.network, shape, len(env.config.action_names), parameters)


def starting_weights(
    network: Network, settings: Settings, start: str | Path | None
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Return the first weights of a run.

    Args:
        network: The network.
        settings: Settings of the run.
        start: A model to start from; None: random weights.

    Raises:
        ValueError: There is no such model, or it is a model of another network.
    """
    if start is None:
        return first_weights(network, settings.seed)
    weights = read_model(model_to_start(str(start), settings.env_id)).weights
    needed = {name: sizes for name, (sizes, _) in network.shapes().items()}
    for name in sorted(needed.keys() | weights.keys()):
        found = weights[name].shape if name in weights else None
        if found != needed.get(name):
            what = f"{name} is {found or 'missing'}, must be {needed.get(name, 'left out')}"
            raise ValueError(f"{start} is a model of another network ({what})")
    return weights


def described(
    settings: Settings, config: EnvConfig, network: Network, steps: int, seconds: float, start: str | None
) -> Description:
    """Return the description of a model that was trained.

    Args:
        settings: Settings of its run.
        config: The configuration of its environments.
        network: Its network.
        steps: Environment steps so far.
        seconds: Seconds of training so far.
        start: The model that the run began with, if any.
    """
    return Description(
        env_id=settings.env_id,
        observation=config.observation,
        shape=network.shape,
        actions=network.actions,
        network={"name": network.name, **network.parameters()},
        masks=settings.masked,
        env_kwargs=settings.env_kwargs,
        settings=dataclasses.asdict(settings),
        seed=settings.seed,
        steps=steps,
        minutes=round(seconds / 60, 2),
        device=f"CPU, {plural(settings.threads, 'thread')}",
        versions=versions(),
        command=command_of(settings, start),
    )


def command_of(settings: Settings, start: str | None = None) -> str:
    """Return the command line that trains with these settings again, beginning with the model ``start``, if any."""
    words = ["gridpuzzles", "train", settings.env_id, *([] if start is None else ["--from", start])]
    return shlex.join([*words, *option_words(settings.env_kwargs, settings.changed())])


def versions() -> dict[str, str]:
    """Return the versions of what trains a model, by package."""
    names = ("gymnasium", "numpy", "torch", "stable-baselines3", "sb3-contrib")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"gridpuzzles_gym": __version__, "python": platform.python_version(), **found}
