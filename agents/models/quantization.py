"""Weights in 8 bits, a quarter of their size: an array of int8, and next to it a factor for each of its rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .weights import Arrays

SCALE = ".scale"
"""``weight.scale`` holds the factors of the rows of ``weight``, float32[rows]."""
LARGEST = 127


def quantized(weights: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return weights as they are stored in 8 bits; arrays with one axis are small and stay float32.

    Args:
        weights: Arrays of float32 by name. A number is rounded to the nearest of 255 between minus and plus the largest
            absolute value of its row (the first axis).
    """
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in weights.items():
        if array.ndim < 2:
            found[name] = array.astype(np.float32)
            continue
        rows = array.reshape(len(array), -1)
        scale = (abs(rows).max(axis=1) / LARGEST).astype(np.float32)
        steps = np.rint(rows / np.where(scale > 0, scale, 1)[:, None])
        found[name], found[name + SCALE] = steps.astype(np.int8).reshape(array.shape), scale
    return found


def restored(arrays: Arrays) -> Arrays:
    """Return the weights of arrays that were read from a file, with the factors multiplied in.

    Raises:
        ValueError: There are factors for an array that is missing, or has another number of rows.
    """
    weights = {name: array for name, array in arrays.items() if not name.endswith(SCALE)}
    for name in arrays.keys() - weights.keys():
        of = name.removesuffix(SCALE)
        if of not in weights or arrays[name].shape != weights[of].shape[:1]:
            raise ValueError(f"{name} must have a number for each row of {of}")
        weights[of] = weights[of] * arrays[name].reshape(-1, *[1] * (weights[of].ndim - 1))
    return weights
