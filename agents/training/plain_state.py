"""The state of a sampler as JSON: it may hold levels, arrays, and dicts with any keys."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.levels.encoding import Encoder
from gridpuzzles_gym.engine.puzzle import Level, Puzzle

from ..samplers.base import Tagged

_KIND = "kind"


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
