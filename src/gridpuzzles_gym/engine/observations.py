"""Observations: the usual ones of a board, the format in which they are returned, and the memory of single steps.

Every step of a single environment returns new arrays. NumPy takes longer to copy two small arrays than the rules take
for a step, and a third of that for two views. Steps therefore return views of a few buffers in turn, and a buffer is
used again once none of its views is left. They can be counted, because every view, even one of a view, holds a
reference to the memory.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from itertools import cycle
from sys import getrefcount
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from .arguments import boolean, choice
from .messages import quote
from .puzzle import Extent, Observation

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


Array = npt.NDArray[Any]

COUNT = 8
"""The number of buffers of an environment: enough for a loop that keeps the last few observations."""


class ObservationBuffer:
    """Memory for one observation and one mask.

    Args:
        observation: An observation in the puzzle's own format; only its shape and dtype matter.
        mask: A mask; likewise.
        observation_format: The format in which observations are returned.
        shared: True returns views, so the buffer may be written to only while there are none; False returns copies.

    Attributes:
        memory: Holds the observation and, right after it, the mask.
        address: That of the memory, to which the kernel copies both.
        observation: Returns a new array of the observation.
        mask: Returns a new array of the mask.
        references: The number of references to the memory while no view has been returned.
    """

    __slots__ = ("address", "mask", "memory", "observation", "references")

    def __init__(
        self, observation: Array, mask: Array, observation_format: ObservationFormat, shared: bool = True
    ) -> None:
        size = observation.nbytes
        self.memory = np.empty(size + mask.nbytes, np.uint8)
        self.address = self.memory.ctypes.data
        # No local variable may refer to the memory when its references are counted.
        self.observation = observation_format.reader(_like(observation, self.memory[:size]), copy=not shared)
        self.mask = ObservationFormat().reader(_like(mask, self.memory[size:]), copy=not shared)
        self.references = getrefcount(self.memory)


def _like(array: Array, memory: Array) -> Array:
    """Return memory as an array of the same dtype and shape."""
    return memory.view(array.dtype).reshape(array.shape)


def free_buffers(observation: Array, mask: Array, observation_format: ObservationFormat) -> Iterator[ObservationBuffer]:
    """Yield, without end, buffers that may be written to; the arguments are those of :class:`ObservationBuffer`."""
    copied = ObservationBuffer(observation, mask, observation_format, shared=False)
    for buffer in cycle([ObservationBuffer(observation, mask, observation_format) for _ in range(COUNT)]):
        yield buffer if getrefcount(buffer.memory) == buffer.references else copied


def planes(
    channels: tuple[str, ...] | Callable[[Extent], tuple[str, ...]],
    observe: Callable[..., Any],
    refresh: Callable[..., Any] | None = None,
    decode: Callable[..., Any] | None = None,
    *,
    flags: int = 0,
    size: tuple[int, int] | None = None,
) -> Observation:
    """Return an observation uint8[C, H, W] of 0 and 1.

    Args:
        channels: The name of each plane, or a function of the extent that returns them.
        observe: Writes the whole observation; see :class:`~gridpuzzles_gym.engine.puzzle.Observation`.
        refresh: Writes what one step changed.
        decode: Returns the rows that an observation shows.
        flags: The number of planes, the last ones, that are the same on all squares.
        size: The (H, W) of the planes, if it differs from the board's.
    """

    def names(extent: Extent) -> tuple[str, ...]:
        return channels(extent) if callable(channels) else channels

    def space(extent: Extent) -> gym.spaces.Box:
        return gym.spaces.Box(0, 1, (len(names(extent)), *(size or extent[:2])), np.uint8)

    return Observation(names, space, observe, refresh, decode, flags)


def symbols(
    count: int | Callable[[Extent], int],
    observe: Callable[..., Any],
    refresh: Callable[..., Any] | None = None,
    decode: Callable[..., Any] | None = None,
    *,
    channel: str = "symbol",
) -> Observation:
    """Return an observation uint8[1, H, W]: one number per square.

    Args:
        count: The number of symbols, or a function of the extent that returns it.
        observe: Writes the whole observation; see :class:`~gridpuzzles_gym.engine.puzzle.Observation`.
        refresh: Writes what one step changed.
        decode: Returns the rows that an observation shows.
        channel: The name of the only channel.
    """

    def space(extent: Extent) -> gym.spaces.Box:
        return gym.spaces.Box(0, (count(extent) if callable(count) else count) - 1, (1, *extent[:2]), np.uint8)

    return Observation(lambda extent: (channel,), space, observe, refresh, decode)
