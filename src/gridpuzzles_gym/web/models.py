"""Trained models for the pages.

A file is one line of JSON, padded with spaces to a multiple of 4 bytes including the line end, and then the numbers
(little-endian float32) of each array in the order of the JSON's ``arrays``: ``{name: shape}``. ``site/js/policy.js``
reads it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.models.model_file import model_file, read_model
from gridpuzzles_gym.agents.orientations import played_actions, reorient, ways
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote

ALIGNMENT = 4
"""The length of the JSON line is a multiple of this, in bytes."""
NETWORKS = ("mlp", "egocentric", "residual")
"""The networks that ``policy.js`` computes."""


class PageModel(NamedTuple):
    """A model for the pages."""

    name: str
    puzzle: str
    """The name of the puzzle that it plays."""
    extent: tuple[int, ...]
    """The extent of the boards that it plays."""
    content: bytes
    """Its file."""


def page_model(path: str | Path) -> PageModel:
    """Return a trained model as a file for the pages.

    Args:
        path: A model file, or the folder of a training run.

    Raises:
        ValueError: There is no such model, its environment cannot be made, or pages do not support its network.
    """
    file = model_file(path)
    described, weights = read_model(file)
    kind = described.network["name"]
    if kind not in NETWORKS:
        raise ValueError(f"{file}: pages do not support the network {quote(kind)}; supported are {', '.join(NETWORKS)}")
    env = gym.make(described.env_id, disable_env_checker=True, **described.env_kwargs)
    config = config_of(env)
    env.close()
    header = {
        "id": described.env_id,
        "observation": described.observation,
        "shape": list(described.shape),
        "actions": described.actions,
        "extent": list(config.extent),
        "network": kind,
        "masks": described.masks,
    }
    network = described.network_for()
    parameters = network.parameters()
    if network.averaged:
        header["orientations"] = _orientations(described.shape, described.actions)
    if "player" in parameters:
        header["player"] = parameters["player"] % described.shape[0]
    header["flags"] = parameters.get("flags", 0)
    arrays = {name: array for name, array in weights.items() if not name.startswith("value.")}
    name = file.absolute().parent.name
    return PageModel(name, config.puzzle.name, config.extent, _packed({"name": name, **header}, arrays))


def _orientations(shape: tuple[int, ...], actions: int) -> list[dict[str, list[int]]]:
    """Return, for each orientation of a board, the square that is seen on each square, and the place of each action."""
    squares = np.arange(shape[1] * shape[2]).reshape(shape[1:])
    return [
        {
            "squares": reorient(squares, way).reshape(-1).tolist(),
            "places": np.argsort(played_actions(way, actions)).tolist(),
        }
        for way in ways(*shape[1:])
    ]


def _packed(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    described = {**header, "arrays": {name: list(array.shape) for name, array in arrays.items()}}
    line = json.dumps(described, ensure_ascii=False).encode()
    line += b" " * (-(len(line) + 1) % ALIGNMENT) + b"\n"
    return line + b"".join(array.astype("<f4").tobytes() for array in arrays.values())
