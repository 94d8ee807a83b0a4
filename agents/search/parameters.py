"""Checks of what a search is told, with one clear message each."""

import math
from typing import Any

import numpy as np


def whole(name: str, value: Any, least: int, most: int = 10**9) -> int:
    """An integer from ``least`` to ``most``.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise ValueError(f"{name}={value!r}: an integer from {least} to {most:,} is needed")
    return int(value)


def real(name: str, value: Any, least: float, most: float) -> float:
    """A number from ``least`` to ``most``.

    Raises:
        ValueError: It is none.
    """
    number = not isinstance(value, bool) and isinstance(value, int | float | np.number)
    if not number or not math.isfinite(value) or not least <= value <= most:
        raise ValueError(f"{name}={value!r}: a number from {least:g} to {most:g} is needed")
    return float(value)
