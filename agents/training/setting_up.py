"""The engine, the network, the first weights and the device of a training run."""

import dataclasses
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv
from gridpuzzles_gym.registration import puzzle_of_id

from ..models.model_file import read_model
from ..models.pretrained import model_to_start
from ..networks.network import Network
from ..networks.table import network_of, parameters_of
from ..puzzle_agents import agents_record
from .settings import AUTO, OWN, SB3, Settings, read_settings
from .torch_networks.weights import first_weights


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


def device_for(name: str) -> torch.device:
    """Return the device of that name; ``"auto"`` is the first GPU, if there is one.

    Raises:
        ValueError: PyTorch cannot use it here.
    """
    able = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next((kind for kind in ("cuda", "mps") if able[kind]), "cpu")
    if not able[name]:
        raise ValueError(f"device={quote(name)} is not available to PyTorch {torch.__version__} on this machine")
    return torch.device(name)


def steps_environments(device: torch.device, name: str) -> bool:
    """Whether a device steps environments too: a GPU of NVIDIA's.

    Args:
        device: :func:`device_for` a name.
        name: The name; with ``"auto"`` not without numba-cuda, with ``"cuda"`` that is an error.
    """
    return device.type == "cuda" and (name != "auto" or find_spec("numba_cuda") is not None)


def with_engine(settings: Settings, resumed: Path | None = None) -> Settings:
    """Return settings with an engine in the place of ``"auto"``.

    Args:
        settings: The settings.
        resumed: The folder of the run that is resumed, if any: its engine goes on.
    """
    if settings.engine != AUTO:
        return settings
    if resumed is not None:
        return dataclasses.replace(settings, engine=read_settings(resumed).engine)
    return dataclasses.replace(settings, engine=SB3 if beyond_sb3(settings) is None else OWN)


def beyond_sb3(settings: Settings) -> str | None:
    """Return what Stable-Baselines3 lacks for these settings on this machine, in a sentence; None if nothing."""
    return dataclasses.replace(settings, device=device_for(settings.device).type).refusal(SB3)


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


def check_puzzle(settings: Settings) -> None:
    """Raise ValueError if settings require properties that this puzzle's boards do not have."""
    symmetric = agents_record(puzzle_of_id(settings.env_id)).symmetric
    for name, used in (("turned=True", settings.turned), ("network='egocentric'", settings.network == "egocentric")):
        if used and not symmetric:
            raise ValueError(f"{name} requires boards that are the same in all directions, not {settings.env_id}")
