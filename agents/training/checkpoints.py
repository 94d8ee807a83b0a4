"""Checkpoints, from which a run that was stopped or killed resumes.

A checkpoint is one file of NumPy's arrays without pickles, replaced atomically, so there is always a complete one. It
has the weights, the optimiser's moments and, as JSON, the progress of the run and the state of its level sampler.
"""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.levels.pool import Encoder
from gridpuzzles_gym.engine.messages import one_line
from gridpuzzles_gym.engine.puzzle import Level, Puzzle
from gridpuzzles_gym.engine.system.files import read_json, replacing

from ..samplers.base import Tagged
from .sb3_policy import Arrays

CHECKPOINT = "checkpoint.npz"
"""Name of the file in a run folder."""
_RUN, _KIND = "run", "kind"
_MAX_RUN = 2**30
"""Maximum number of bytes of the JSON: a sampler may store a million levels."""
_MAX_HEADER = 2**16
"""Maximum number of bytes of the header of an array."""


def save_checkpoint(path: Path, policy: Any, run: dict[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: The file.
        policy: A policy of :mod:`.sb3_policy`.
        run: Other data, serializable as JSON.
    """
    arrays = policy.get_state() | {_RUN: np.frombuffer(json.dumps(run).encode(), np.uint8)}
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_checkpoint(path: Path, policy: Any) -> dict[str, Any]:
    """Restore a policy from a checkpoint.

    Returns:
        The other data.

    Raises:
        ValueError: There is no checkpoint, it is damaged, or it is of another network.
    """
    try:
        arrays = _read(path, policy.get_state())
        run: dict[str, Any] = read_json(arrays.pop(_RUN).tobytes(), _RUN)
        if not isinstance(run, dict):
            raise ValueError(f"{_RUN} must be an object")
        policy.set_state(arrays)
    except FileNotFoundError:
        raise ValueError(f"nothing to resume: {path} does not exist") from None
    except Exception as error:  # zip files, compression and array headers raise more than is documented
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{path} is damaged, or the checkpoint of another network ({reason})") from None
    return run


def _read(path: Path, state: Arrays) -> Arrays:
    """Read the arrays of a checkpoint: only those that the policy's state has, and none that is larger than there."""
    most = {name: array.nbytes for name, array in state.items()} | {_RUN: _MAX_RUN}
    with zipfile.ZipFile(path) as archive:
        for name, size in most.items():
            if archive.getinfo(f"{name}.npy").file_size > size + _MAX_HEADER:
                raise ValueError(f"{name} is too large")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in most}
    for name, array in state.items():
        if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            raise ValueError(f"{name} is {arrays[name].dtype}{list(arrays[name].shape)}, must be {list(array.shape)}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    return arrays


def to_plain(value: Any, puzzle: Puzzle, options: Any) -> Any:
    """Return a value as JSON that :func:`from_plain` reads.

    Args:
        value: None, a bool, number, text, level or array, or a list, tuple or dict of these.
        puzzle: The puzzle of the levels.
        options: The puzzle's options.
    """
    if isinstance(value, Level):
        origin = value.origin if isinstance(value, Tagged) else value
        rows = origin.rows_for(puzzle, origin.extent, options) or Encoder(puzzle, origin.extent, options)(origin)
        tag = value.tag if isinstance(value, Tagged) else None
        return {_KIND: "level", "text": puzzle.format(*rows), "name": value.name, "tag": tag}
    if isinstance(value, np.ndarray):
        return {_KIND: "array", "dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, dict):
        pairs = [[key, to_plain(entry, puzzle, options)] for key, entry in value.items()]
        return {_KIND: "dict", "pairs": pairs}
    if isinstance(value, list | tuple):
        return [to_plain(entry, puzzle, options) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def from_plain(plain: Any, puzzle: Puzzle) -> Any:
    """Return the value that :func:`to_plain` converted; tuples have become lists.

    Raises:
        ValueError: It is invalid.
    """
    if isinstance(plain, list):
        return [from_plain(entry, puzzle) for entry in plain]
    if not isinstance(plain, dict):
        return plain
    readers: dict[Any, Callable[[], Any]] = {
        "level": lambda: _level(plain, puzzle),
        "array": lambda: np.array(plain["values"], np.dtype(plain["dtype"])).reshape(plain["shape"]),
        "dict": lambda: {key: from_plain(entry, puzzle) for key, entry in plain["pairs"]},
    }
    try:
        return readers[plain.get(_KIND)]()
    except (KeyError, TypeError):
        raise ValueError("the saved state of the level sampler is damaged") from None


def _level(plain: dict[str, Any], puzzle: Puzzle) -> Level:
    [level] = puzzle.parse(plain["text"], "a saved level")
    named = Level(level.extent, level.content, plain["name"], level.puzzle)
    return named if plain["tag"] is None else Tagged(named, plain["tag"])
