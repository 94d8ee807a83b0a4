"""Checkpoints, from which a run that was stopped or killed resumes.

A checkpoint is one file of ``torch.save``, replaced atomically, so there is always a complete one. It has the weights,
the optimiser's moments, the progress of the run and the state of its level sampler; reading it executes no code.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridpuzzles_gym.engine.levels.pool import Encoder
from gridpuzzles_gym.engine.messages import one_line
from gridpuzzles_gym.engine.puzzle import Level, Puzzle
from gridpuzzles_gym.engine.system.files import replacing

from ..samplers.base import Tagged

CHECKPOINT = "checkpoint.pt"
"""Name of the file in a run folder."""
_LEVEL = "level"


def save_checkpoint(path: Path, policy: Any, run: dict[str, Any]) -> None:
    """Write a checkpoint.

    Args:
        path: The file.
        policy: A policy of Stable-Baselines3.
        run: Other data: numbers, texts, tensors, and lists, tuples and dicts of these.
    """
    saved = {"weights": policy.state_dict(), "optimizer": policy.optimizer.state_dict(), "run": run}
    with replacing(path) as unfinished:
        torch.save(saved, unfinished)


def load_checkpoint(path: Path, policy: Any) -> dict[str, Any]:
    """Restore a policy from a checkpoint.

    Returns:
        The other data.

    Raises:
        ValueError: There is no checkpoint, it is damaged, or it is of another network.
    """
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        run: dict[str, Any] = dict(saved["run"])
        policy.load_state_dict(saved["weights"])
        policy.optimizer.load_state_dict(saved["optimizer"])
    except FileNotFoundError:
        raise ValueError(f"nothing to resume: {path} does not exist") from None
    except Exception as error:  # PyTorch raises more than is documented
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{path} is damaged, or the checkpoint of another network ({reason})") from None
    return run


def to_plain(value: Any, puzzle: Puzzle, options: Any) -> Any:
    """Return a value with levels as texts and arrays as tensors, which :func:`from_plain` converts back.

    Args:
        value: None, a bool, number, text, level or array, or a list, tuple or dict of these.
        puzzle: The puzzle of the levels.
        options: The puzzle's options.
    """
    if isinstance(value, Level):
        origin = value.origin if isinstance(value, Tagged) else value
        rows = origin.rows_for(puzzle, origin.extent, options) or Encoder(puzzle, origin.extent, options)(origin)
        return {_LEVEL: (puzzle.format(*rows), value.name, value.tag if isinstance(value, Tagged) else None)}
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, dict):
        return {key: to_plain(entry, puzzle, options) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(entry, puzzle, options) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def from_plain(plain: Any, puzzle: Puzzle) -> Any:
    """Return the value that :func:`to_plain` converted; tuples have become lists.

    Raises:
        ValueError: A level is invalid.
    """
    if isinstance(plain, torch.Tensor):
        return plain.numpy()
    if isinstance(plain, list):
        return [from_plain(entry, puzzle) for entry in plain]
    if not isinstance(plain, dict):
        return plain
    if _LEVEL not in plain:
        return {key: from_plain(entry, puzzle) for key, entry in plain.items()}
    text, name, tag = plain[_LEVEL]
    [level] = puzzle.parse(text, "a saved level")
    named = Level(level.extent, level.content, name, level.puzzle)
    return named if tag is None else Tagged(named, tag)
