"""A model on disk: one file with its weights and its description."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridpuzzles_gym.engine.messages import one_line, quote, shorten

from ..networks.operations import NUMPY
from .description import Description
from .quantization import restored
from .weights import Arrays, read_weights, write_weights

MODEL = "model.safetensors"
"""Name of the model file in a run folder."""


class Model(NamedTuple):
    """A trained model."""

    description: Description
    weights: Arrays


def model_file(path: str | os.PathLike[str]) -> Path:
    """Return the model file that a path refers to: itself, or the ``model.safetensors`` in a folder."""
    path = Path(path)
    return path / MODEL if path.is_dir() else path


def read_description(path: str | os.PathLike[str]) -> Description:
    """Return only the description of a model; its whole file is read and checked.

    Args:
        path: The model file, or the folder of a run.

    Raises:
        ValueError: There is no model, or the file is not a model or is damaged.
    """
    path = model_file(path)
    return _described(path, read_weights(path)[1])


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model; no file can run code by this.

    Args:
        path: The model file, or the folder of a run.

    Raises:
        ValueError: There is no model, the file is not a model or is damaged, or it has the weights of another network.
    """
    path = model_file(path)
    arrays, about = read_weights(path)
    description = _described(path, about)
    try:
        weights = restored(arrays)
    except ValueError as error:
        raise ValueError(shorten(f"{path} is damaged: {one_line(error)}")) from None
    _check(path, description, weights)
    return Model(description, weights)


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model; if interrupted, a previous file stays as it is.

    Raises:
        ValueError: A weight is not finite, or the file would be too large.
        OSError: It cannot be written.
    """
    write_weights(path, model.weights, model.description.to_json())


def _described(path: Path, about: object) -> Description:
    try:
        description = Description.from_json(about)
        description.network_for()
    except ValueError as error:
        raise ValueError(shorten(f"{path}: {one_line(error)}")) from None
    return description


def _check(path: Path, description: Description, weights: Arrays) -> None:
    """Raise ValueError unless the weights are those of the described network."""
    network = description.network_for()
    needed = {name: shape.sizes for name, shape in network.shapes().items()}
    given = {name: array.shape for name, array in weights.items()}
    wrong = f"{path} is damaged: its weights are not those of its network {network.name!r}"
    for name in sorted(needed.keys() | given.keys()):
        if needed.get(name) != given.get(name):
            found, wanted = given.get(name, "missing"), needed.get(name, "left out")
            raise ValueError(shorten(f"{wrong} ({quote(name)} is {found}, must be {wanted})"))
    try:  # parameters that do not show in the weights, such as the number of a plane
        network.forward(
            NUMPY, weights, np.zeros((1, *network.shape), np.uint8), np.zeros((1, network.memory), np.float32)
        )
    except (ValueError, IndexError) as error:
        raise ValueError(shorten(f"{wrong} ({one_line(error)})")) from None
