"""Memory for the observation and the action mask that a step of a single environment returns.

Every step returns new arrays. NumPy takes longer to copy two small arrays than the rules take for a step, and a third
of that for two views. Steps therefore return views of a few buffers in turn, and a buffer is used again once none of
its views is left. They can be counted, because every view, even one of a view, holds a reference to the memory.
"""

from collections.abc import Iterator
from itertools import cycle
from sys import getrefcount
from typing import Any

import numpy as np
import numpy.typing as npt

from .format import ObservationFormat

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
