"""The shape and the type in which an environment returns its puzzle's observations."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ..arguments import boolean, choice
from ..messages import quote

DTYPES = ("uint8", "int32", "int64", "float16", "float32", "float64")
"""The types that observations can be returned in."""


@dataclasses.dataclass(frozen=True)
class ObservationFormat:
    """The shape and the dtype of observations as they are returned.

    Args:
        flat: Whether observations have one axis instead of the puzzle's.
        dtype: The name of a type; None: the puzzle's.

    Raises:
        ValueError: A value is invalid.
    """

    flat: bool = False
    dtype: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "flat", boolean("flat", self.flat))
        if self.dtype is not None:
            object.__setattr__(self, "dtype", choice("dtype", _name_of(self.dtype), DTYPES, " and None"))

    def space(self, space: gym.Space[Any]) -> gym.Space[Any]:
        """Return the space of the observations that are returned.

        Raises:
            ValueError: The puzzle's observations are not arrays of numbers with limits.
        """
        if self == ObservationFormat():
            return space
        if not isinstance(space, gym.spaces.Box | gym.spaces.MultiBinary):
            raise ValueError(f"flat and dtype need a Box or MultiBinary observation, not {type(space).__name__}")
        low, high = (space.low, space.high) if isinstance(space, gym.spaces.Box) else (0, 1)
        shape, least, most = (math.prod(space.shape),) if self.flat else space.shape, np.min(low), np.max(high)
        if self.dtype is not None and any(np.array(value).astype(self.dtype) != value for value in (least, most)):
            raise ValueError(f"dtype={quote(self.dtype)} cannot hold this observation, from {least} to {most}")
        return gym.spaces.Box(least, most, shape, self.dtype or space.dtype)

    def reader(self, observation: npt.NDArray[Any], copy: bool) -> Callable[[], npt.NDArray[Any]]:
        """Return a function that returns an observation in this format, as a new array at each call.

        Args:
            observation: A contiguous array in the puzzle's own format.
            copy: False returns views of it where the type stays the same.
        """
        shaped = observation.reshape(-1) if self.flat else observation
        if self.dtype not in (None, shaped.dtype.name):
            return functools.partial(shaped.astype, self.dtype)
        return shaped.copy if copy else shaped.view

    def of(self, observations: npt.NDArray[Any], copy: bool = True) -> npt.NDArray[Any]:
        """Return observations [B, ...] in this format.

        Args:
            observations: Observations in the puzzle's own format.
            copy: False does not copy where the type stays the same.
        """
        if self.flat:
            observations = observations.reshape(len(observations), -1)
        return observations.astype(self.dtype or observations.dtype, copy=copy)


def _name_of(dtype: Any) -> Any:
    """Return the name of a NumPy dtype; anything else unchanged."""
    if isinstance(dtype, str):
        return dtype
    try:
        return np.dtype(dtype).name
    except TypeError:
        return dtype
