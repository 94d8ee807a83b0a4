"""Checkpoints: everything from which a run that was stopped or killed goes on.

A checkpoint is one file of NumPy's arrays without pickles, replaced as a whole, so whatever happens there is always a
complete one. Besides the weights it holds the optimiser's moments, the state of the random numbers, and, as JSON, how
far the run is and the state of its level sampler.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gridpuzzles_gym.engine.files import replacing
from gridpuzzles_gym.engine.messages import one_line

from .learner import Learner

CHECKPOINT = "checkpoint.npz"
"""Name of the file in a run folder."""
_RUN, _GENERATOR, _STEPS, _WEIGHTS = "run", "generator", "steps", "weights"
_MOMENTS = ("exp_avg", "exp_avg_sq")
_MOST_RUN = 2**30
"""Maximum number of bytes of the JSON: a sampler may keep a million levels."""
_MOST_HEADER = 2**16
"""Maximum number of bytes of an array besides its numbers."""

Arrays = dict[str, npt.NDArray[Any]]


def save_checkpoint(path: Path, learner: Learner, run: dict[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: The file.
        learner: The learner.
        run: Anything else, serializable as JSON.
    """
    arrays: Arrays = {f"{_WEIGHTS}/{name}": array for name, array in learner.arrays().items()}
    arrays[_STEPS] = np.zeros(())
    for name, tensor in learner.weights.items():
        if tensor.requires_grad:
            state = learner.optimiser.state.get(tensor, {})
            for moment in _MOMENTS:
                arrays[f"{moment}/{name}"] = state.get(moment, torch.zeros_like(tensor)).detach().cpu().numpy()
            arrays[_STEPS] = np.array(float(state.get("step", 0)))
    arrays[_GENERATOR] = learner.generator.get_state().cpu().numpy()
    arrays[_RUN] = np.frombuffer(json.dumps(run).encode(), np.uint8)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_checkpoint(path: Path, learner: Learner) -> dict[str, Any]:
    """Restore a learner from a checkpoint.

    Returns:
        What was saved besides.

    Raises:
        ValueError: There is no checkpoint, it is damaged, or it is of another network.
    """
    try:
        arrays = _read(path, _needed(learner))
        run: dict[str, Any] = json.loads(arrays[_RUN].tobytes())
        if not isinstance(run, dict):
            raise ValueError(f"{_RUN} must be an object")
        _restore(learner, arrays)
    except FileNotFoundError:
        raise ValueError(f"nothing to resume: {path} does not exist") from None
    except Exception as error:  # of zip files, compressions, headers of arrays: more than the documentation lists
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{path} is damaged, or the checkpoint of another network ({reason})") from None
    return run


def _needed(learner: Learner) -> Arrays:
    """Return arrays of the shapes and types that a checkpoint of a learner must have, but the JSON's."""
    needed: Arrays = {_STEPS: np.zeros(())}
    for name, tensor in learner.weights.items():
        for kind in (_WEIGHTS, *(_MOMENTS if tensor.requires_grad else ())):
            needed[f"{kind}/{name}"] = np.empty(tensor.shape, np.float32)
    return needed


def _read(path: Path, needed: Arrays) -> Arrays:
    """Read the arrays of a checkpoint; only those that are needed, and none that is larger than it must be."""
    most = {name: array.nbytes for name, array in needed.items()} | {_GENERATOR: _MOST_HEADER, _RUN: _MOST_RUN}
    with zipfile.ZipFile(path) as archive:
        for name, size in most.items():
            if archive.getinfo(f"{name}.npy").file_size > size + _MOST_HEADER:
                raise ValueError(f"{name} is too large")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in most}
    for name, array in needed.items():
        if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            raise ValueError(f"{name} is {arrays[name].dtype}{list(arrays[name].shape)}, must be {list(array.shape)}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    return arrays


def _restore(learner: Learner, arrays: Arrays) -> None:
    on = learner.device if learner.optimiser.defaults["fused"] else "cpu"
    for name, tensor in learner.weights.items():
        with torch.no_grad():
            tensor.copy_(torch.from_numpy(arrays[f"{_WEIGHTS}/{name}"]))
        if tensor.requires_grad:
            state = {moment: torch.from_numpy(arrays[f"{moment}/{name}"]).to(learner.device) for moment in _MOMENTS}
            state["step"] = torch.tensor(float(arrays[_STEPS]), device=on)
            learner.optimiser.state[tensor] = state
    saved, own = torch.from_numpy(arrays[_GENERATOR]), learner.generator.get_state()
    if saved.shape == own.shape and saved.dtype == own.dtype:  # else it was saved on another kind of device
        learner.generator.set_state(saved)
