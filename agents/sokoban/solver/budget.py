"""A memory limit for Sokoban's searches: space for arrays is reserved before they are created, and counted after."""

import math
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.system.process import release_freed_memory

Array = npt.NDArray[Any]

LARGE = 1 << 22
"""Bytes of new arrays for which it is worth while to give back what was freed."""


class Holder(Protocol):
    """An object that owns arrays."""

    def parts(self) -> Iterable[object]:
        """Return its arrays, and tuples of arrays."""


Held = TypeVar("Held", bound=Holder)


class Budget:
    """A memory limit that several searches share.

    Args:
        limit: Maximum number of bytes of all arrays together, temporary ones included.
        base: Permanent arrays, and tuples of arrays.

    Attributes:
        peak: Maximum number of bytes in use at any time, including those reserved.
    """

    def __init__(self, limit: float = math.inf, base: Iterable[object] = ()) -> None:
        self.limit, self.peak = limit, 0
        self._base = tuple(base)
        self._holders: weakref.WeakSet[Holder] = weakref.WeakSet()

    @property
    def used(self) -> int:
        """Number of bytes of all arrays; those that several searches share count once."""
        parts = [self._base, *(tuple(one.parts()) for one in self._holders)]
        return sum({id(array): array.nbytes for array in arrays_in(parts)}.values())

    def fits(self, more: int) -> bool:
        """Return whether ``more`` bytes can be created; update :attr:`peak` if so."""
        if self.used + more > self.limit:
            return False
        if more >= LARGE:
            release_freed_memory()  # else the process would hold it in addition
        self.peak = max(self.peak, self.used + more)
        return True

    def require(self, more: int) -> None:
        """Raise unless ``more`` bytes can be created; see :meth:`fits`.

        Raises:
            MemoryError: There is not enough memory.
        """
        if not self.fits(more):
            raise MemoryError(f"{more:,} bytes more than the limit allows")

    def create(self, more: int, make: Callable[[], Held]) -> Held:
        """Create an object that owns arrays, and count its arrays for as long as it exists.

        Args:
            more: Maximum number of bytes that its creation takes.
            make: The function that creates it.

        Raises:
            MemoryError: There is not enough memory, and nothing was created.
        """
        self.require(more)
        return self.count(make())

    def count(self, holder: Held) -> Held:
        """Count the arrays of an object for as long as it exists; return the object."""
        self._holders.add(holder)
        return holder


def arrays_in(parts: Iterable[object]) -> Iterator[Array]:
    """Yield all arrays in nested tuples."""
    for part in parts:
        if isinstance(part, np.ndarray):
            yield part
        elif isinstance(part, tuple | list):
            yield from arrays_in(part)
