"""Checks of keyword arguments: each refusal is one line that names the argument and says what is allowed."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .messages import quote

MOST_STEPS = 2**31 - 1
"""Of an episode: they are counted in 32 bits."""


def is_integer(value: Any, least: int, most: int) -> bool:
    """Is it an integer, Python's or numpy's, from ``least`` to ``most``? True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most


def integer(name: str, value: Any, least: int, most: int, note: str = "") -> int:
    """An integer from ``least`` to ``most``; ``note`` ends the message.

    Raises:
        ValueError: It is none.
    """
    if not is_integer(value, least, most):
        raise ValueError(f"{name}={quote(value)}: an integer from {least} to {most:,}{note} is needed")
    return int(value)


def number(name: str, value: Any, least: float, most: float) -> float:
    """A number from ``least`` to ``most``.

    Raises:
        ValueError: It is none.
    """
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not least <= value <= most:  # false for nan too
        raise ValueError(f"{name}={quote(value)}: a number from {least:g} to {most:g} is needed")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """True or False, Python's or numpy's.

    Raises:
        ValueError: It is neither.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={quote(value)}: True or False is needed")
    return bool(value)


def choice(name: str, value: Any, allowed: Iterable[str], note: str = "") -> str:
    """One of some words; ``note`` ends the message.

    Raises:
        ValueError: It is none of them.
    """
    known = tuple(allowed)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={quote(value)} is not known; allowed are {', '.join(map(repr, known))}{note}")
    return value


def pair(value: Any) -> tuple[Any, Any]:
    """Both entries of a list or tuple of two; any other value stands for both."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return value[0], value[1]
    return value, value
