"""Checks of keyword arguments, whose error messages are one line with the argument, its value and what is allowed."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .messages import LONGEST, did_you_mean, one_line, quote, shorten

MOST_STEPS = 2**31 - 1
"""The maximum number of steps of an episode, which are counted in 32 bits."""
ENVIRONMENT_ARGUMENTS = (
    "levels", "observation", "tile", "render_mode", "tile_size", "panel", "flat", "dtype", "strict",
)  # fmt: skip
"""The keyword arguments that all environments have, besides the options of their puzzle."""


class UnexpectedArgumentError(TypeError, ValueError):
    """An unknown keyword argument, in Python's own words: libraries that try one and go on without it look for them.

    Gymnasium raises it again with the values of all arguments, however long they are; only the beginning is kept.
    """

    def __init__(self, message: str) -> None:
        message = one_line(message)
        super().__init__(message if len(message) <= LONGEST else message[: LONGEST - 1] + "…")


def options_of(kind: type[Any], owner: str, kwargs: Mapping[str, Any]) -> Any:
    """Return a puzzle's options for some keyword arguments.

    Args:
        kind: Their dataclass, which raises ValueError on an invalid value.
        owner: The title of the puzzle, for messages.
        kwargs: The arguments.

    Raises:
        UnexpectedArgumentError: An argument is unknown; it is a TypeError and a ValueError.
        ValueError: An argument has an invalid value.
    """
    known = {field.name for field in dataclasses.fields(kind)}
    unknown = sorted(set(kwargs) - known)
    if unknown:
        allowed = did_you_mean(unknown[0], [*sorted(known), *ENVIRONMENT_ARGUMENTS])
        raise UnexpectedArgumentError(
            shorten(f"{owner} got an unexpected keyword argument {quote(unknown[0])}; {allowed}")
        )
    try:
        return kind(**kwargs)
    except ValueError as error:
        if len(str(error)) <= LONGEST:
            raise
        raise ValueError(shorten(str(error))) from None


def is_integer(value: Any, least: int, most: int) -> bool:
    """Whether the value is an integer, Python's or NumPy's but not a bool, from ``least`` to ``most``."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most


def integer(name: str, value: Any, least: int, most: int = 10**9, note: str = "") -> int:
    """Return the value as an int if it is an integer from ``least`` to ``most``; ``note`` ends the error message.

    Raises:
        ValueError: It is not.
    """
    if not is_integer(value, least, most):
        raise ValueError(f"{name}={quote(value)}: must be an integer from {least} to {most:,}{note}")
    return int(value)


def step_limit(value: Any) -> int | None:
    """Return the value of ``max_episode_steps``, None for no limit, which Gymnasium also calls -1.

    Raises:
        ValueError: It is neither None, -1 nor a positive integer.
    """
    if value is None or is_integer(value, -1, -1):
        return None
    return integer("max_episode_steps", value, 1, MOST_STEPS, ", or None or -1 for no limit")


def real(name: str, value: Any, least: float, most: float) -> float:
    """Return the value as a float if it is a number from ``least`` to ``most``.

    Raises:
        ValueError: It is not.
    """
    is_real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_real or not least <= value <= most:  # rejects nan too
        raise ValueError(f"{name}={quote(value)}: must be a number from {least:.12g} to {most:.12g}")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """Return the value as a bool if it is one, Python's or NumPy's.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={quote(value)}: must be True or False")
    return bool(value)


def choice(name: str, value: Any, allowed: Iterable[str], note: str = "") -> str:
    """Return the value if it is one of the allowed strings; ``note`` ends the error message.

    Raises:
        ValueError: It is not.
    """
    known = tuple(allowed)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={quote(value)} is not known; {did_you_mean(value, known, repr)}{note}")
    return value


def pair(value: Any) -> tuple[Any, Any]:
    """Return the two entries of a list or tuple of length two; any other value is returned twice."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return value[0], value[1]
    return value, value


def seeds_of(seed: int | Iterable[int | None] | None, size: int) -> list[int | None]:
    """Return one seed per environment, as Gymnasium does: an integer gives ``seed + i``; a list is used as given.

    Raises:
        ValueError: The length of the list is not ``size``.
    """
    if seed is None:
        return [None] * size
    if isinstance(seed, int | np.integer):
        return list(itertools.islice(itertools.count(int(seed)), size))
    seeds = list(seed)
    if len(seeds) != size:
        raise ValueError(f"{len(seeds)} seeds for {size} environments; give one integer, or one seed each")
    return seeds
