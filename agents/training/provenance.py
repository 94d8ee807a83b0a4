"""The description of a training in a model file: settings, device, the command that trains it again."""

import dataclasses
import importlib.metadata
import platform
import shlex

import torch

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.messages import plural

from ..command_words import option_words
from ..models.description import Description
from ..networks.network import Network
from .settings import RLLIB, SB3, Settings


def described(
    settings: Settings, config: EnvConfig, network: Network, steps: int, seconds: float, device: str, start: str | None
) -> Description:
    """Return the description of a model that was trained.

    Args:
        settings: Settings of its run.
        config: The configuration of its environments.
        network: Its network.
        steps: Environment steps so far.
        seconds: Seconds of training so far.
        device: The device it was trained on, see :func:`device_name`.
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
        device=device,
        versions=versions(settings.engine),
        command=command_of(settings, start),
    )


def device_name(device: torch.device, threads: int) -> str:
    """Return the name of a GPU, or the number of threads on the CPU."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return device.type if device.type != "cpu" else f"CPU, {plural(threads, 'thread')}"


def command_of(settings: Settings, start: str | None = None) -> str:
    """Return the command line that trains with these settings again, beginning with the model ``start``, if any."""
    default = Settings()
    names = [field.name for field in dataclasses.fields(Settings) if field.name not in ("env_id", "env_kwargs")]
    given = {name: value for name in names if (value := getattr(settings, name)) != getattr(default, name)}
    words = ["gridpuzzles", "train", settings.env_id, *([] if start is None else ["--from", start])]
    return shlex.join([*words, *option_words(settings.env_kwargs, given)])


def versions(engine: str) -> dict[str, str]:
    """Return the versions of what an engine trains with, by package."""
    more = {SB3: ("stable-baselines3", "sb3-contrib"), RLLIB: ("ray",)}
    names = ("gymnasium", "numpy", "torch", *more.get(engine, ()))
    found = {name: importlib.metadata.version(name) for name in names}
    return {"gridpuzzles_gym": __version__, "python": platform.python_version(), **found}
