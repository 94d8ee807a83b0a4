"""Checkpoints: everything from which a run that was stopped or killed goes on.

A checkpoint is one file of NumPy's arrays without pickles, replaced as a whole, so whatever happens there is always a
complete one. Besides the weights it holds the optimiser's moments, the state of the random numbers, and, as JSON, how
far the run is and the state of its level sampler.
"""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridpuzzles_gym.engine.files import replacing

from .learner import Learner

CHECKPOINT = "checkpoint.npz"
"""Name of the file in a run folder."""
_MOST_BYTES = 4 * 2**30
"""Maximum size of all arrays of a checkpoint."""
_MOMENTS = ("exp_avg", "exp_avg_sq")


def save_checkpoint(path: Path, learner: Learner, run: dict[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: The file.
        learner: The learner.
        run: Anything else, serializable as JSON.
    """
    arrays = {f"weights/{name}": array for name, array in learner.arrays().items()}
    names = [name for name, tensor in learner.weights.items() if tensor.requires_grad]
    for name, tensor in zip(names, learner.trained, strict=True):
        state = learner.optimiser.state.get(tensor, {})
        for moment in _MOMENTS:
            arrays[f"{moment}/{name}"] = state.get(moment, torch.zeros_like(tensor)).detach().cpu().numpy()
        arrays["steps"] = np.array(float(state.get("step", 0)))
    arrays["generator"] = learner.generator.get_state().cpu().numpy()
    arrays["run"] = np.frombuffer(json.dumps(run).encode(), np.uint8)
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
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise ValueError("too large")
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        run: dict[str, Any] = json.loads(arrays["run"].tobytes())
        _restore(learner, arrays)
    except FileNotFoundError:
        raise ValueError(f"nothing to resume: {path} does not exist") from None
    except (ValueError, KeyError, TypeError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a checkpoint of this network ({type(error).__name__}: {error})") from None
    return run


def _restore(learner: Learner, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    for name, tensor in learner.weights.items():
        if arrays[f"weights/{name}"].shape != tuple(tensor.shape):
            raise ValueError(f"the shape of {name} differs")
    for name, tensor in learner.weights.items():
        with torch.no_grad():
            tensor.copy_(torch.from_numpy(arrays[f"weights/{name}"]))
        if tensor.requires_grad:
            moments = {moment: torch.from_numpy(arrays[f"{moment}/{name}"]) for moment in _MOMENTS}
            state = {key: value.to(learner.device) for key, value in moments.items()}
            on = learner.device if learner.optimiser.defaults["fused"] else "cpu"
            state["step"] = torch.tensor(float(arrays["steps"]), device=on)
            learner.optimiser.state[tensor] = state
    learner.generator.set_state(torch.from_numpy(arrays["generator"]))
