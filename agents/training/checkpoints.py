"""Checkpoints, from which a run that was stopped or killed resumes.

A checkpoint is one file of NumPy's arrays without pickles, replaced atomically, so there is always a complete one. It
has the weights, the optimiser's moments, the state of the random numbers, and, as JSON, the progress of the run and the
state of its level sampler.
"""

import json
import zipfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gridpuzzles_gym.engine.messages import one_line
from gridpuzzles_gym.engine.system.files import replacing
from gridpuzzles_gym.engine.system.json_text import read_json

from ..networks.network import Weights
from .torch_networks.adam import Arrays

CHECKPOINT = "checkpoint.npz"
"""Name of the file in a run folder."""
GENERATOR = "generator"
"""The array with the state of the random numbers, in a learner's state."""
_RUN = "run"
_MAX_RUN = 2**30
"""Maximum number of bytes of the JSON: a sampler may store a million levels."""
_MAX_HEADER = 2**16
"""Maximum number of bytes of the header of an array."""


class Learns(Protocol):
    """A learner: of this process, or all those of a cluster."""

    def arrays(self) -> Weights:
        """Return a copy of the weights as arrays, by name."""

    def set_weights(self, weights: Weights) -> None:
        """Set weights, by name; others are not changed."""

    def get_state(self) -> Arrays:
        """Return the weights, the state of the optimiser, and the state of the random numbers, if there are any."""

    def set_state(self, state: Arrays) -> None:
        """Restore such a state."""


def save_checkpoint(path: Path, learner: Learns, run: dict[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: The file.
        learner: The learner.
        run: Other data, serializable as JSON.
    """
    arrays = learner.get_state() | {_RUN: np.frombuffer(json.dumps(run).encode(), np.uint8)}
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_checkpoint(path: Path, learner: Learns) -> dict[str, Any]:
    """Restore a learner from a checkpoint.

    Returns:
        The other data.

    Raises:
        ValueError: There is no checkpoint, it is damaged, or it is of another network.
    """
    try:
        arrays = _read(path, learner.get_state())
        run: dict[str, Any] = read_json(arrays.pop(_RUN).tobytes(), _RUN)
        if not isinstance(run, dict):
            raise ValueError(f"{_RUN} must be an object")
        learner.set_state(arrays)
    except FileNotFoundError:
        raise ValueError(f"nothing to resume: {path} does not exist") from None
    except Exception as error:  # zip files, compression and array headers raise more than is documented
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{path} is damaged, or the checkpoint of another network ({reason})") from None
    return run


def _read(path: Path, state: Arrays) -> Arrays:
    """Read the arrays of a checkpoint: only those that a learner's state has, and none that is larger than there."""
    most = {name: array.nbytes for name, array in state.items()} | {_RUN: _MAX_RUN}
    if GENERATOR in state:
        most[GENERATOR] = _MAX_HEADER
    with zipfile.ZipFile(path) as archive:
        for name, size in most.items():
            if archive.getinfo(f"{name}.npy").file_size > size + _MAX_HEADER:
                raise ValueError(f"{name} is too large")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in most}
    for name, array in state.items():
        if name == GENERATOR:  # of another size if it was saved on another kind of device
            continue
        if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            raise ValueError(f"{name} is {arrays[name].dtype}{list(arrays[name].shape)}, must be {list(array.shape)}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    return arrays
