"""Trained models for the pages: the networks of PPO as plain numbers.

A file is one line of JSON, padded with blanks so that its length with the line end is a multiple of 4, and then the
float32 numbers, little-endian, of each array in the order of its ``arrays``: ``{name: shape}``. ``site/js/policy.js``
reads it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.training.model_files import model_file, read_settings
from gridpuzzles_gym.agents.training.ppo import TrainedPolicy, load_policy
from gridpuzzles_gym.engine.setup import setup_of

ALIGNMENT = 4


class PageModel(NamedTuple):
    """A model for the pages."""

    name: str
    puzzle: str
    """The name of the puzzle that it plays."""
    extent: tuple[int, ...]
    """The extent of the boards that it plays."""
    content: bytes
    """Its file."""


def page_model(path: str | Path, trust_pickle: bool = False) -> PageModel:
    """Return a trained model as a file for the pages.

    Args:
        path: A ``model.zip``, or the folder of a training run.
        trust_pickle: Load a model that somebody else trained. Its file can run any code.

    Raises:
        ValueError: There is no such model, it is not trusted, or its network is of a kind that pages do not have.
    """
    file = model_file(Path(path))
    settings = read_settings(file)
    env = gym.make(settings.env_id, disable_env_checker=True, **settings.env_kwargs)
    try:
        policy = load_policy(file, env, trust_pickle=trust_pickle)
        setup = setup_of(env)
        header = {
            "id": settings.env_id,
            "observation": setup.observation,
            "shape": list(env.observation_space.shape or ()),
            "actions": int(env.action_space.n),  # type: ignore[attr-defined]  # of Discrete
            "extent": list(setup.extent),
            "network": settings.network,
            "masks": settings.algorithm == "maskable-ppo",
        }
    finally:
        env.close()
    name = file.absolute().parent.name
    return PageModel(name, setup.puzzle.name, setup.extent, _packed({"name": name, **header}, _arrays(policy)))


def _arrays(policy: TrainedPolicy) -> dict[str, npt.NDArray[np.float32]]:
    """Return the weights of the layers from an observation to the actions, and what is subtracted from observations."""
    modules: Any = policy.model.policy
    layers = {
        "shared": modules.features_extractor.layer[1],
        "hidden": modules.mlp_extractor.policy_net[0],
        "actions": modules.action_net,
    }
    found: dict[str, npt.NDArray[np.float32]] = {}
    for name, layer in layers.items():
        found |= {f"{name}.weight": _numbers(layer.weight), f"{name}.bias": _numbers(layer.bias)}
    centre = getattr(modules.features_extractor, "centre", None)
    return found if centre is None else {**found, "centre": _numbers(centre)}


def _numbers(tensor: Any) -> npt.NDArray[np.float32]:
    numbers: npt.NDArray[np.float32] = tensor.detach().cpu().numpy().astype("<f4")
    return numbers


def _packed(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    described = {**header, "arrays": {name: list(array.shape) for name, array in arrays.items()}}
    line = json.dumps(described, ensure_ascii=False).encode()
    line += b" " * (-(len(line) + 1) % ALIGNMENT) + b"\n"
    return line + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
