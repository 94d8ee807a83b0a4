"""The memory of Sokoban's searches: whoever is about to create arrays asks first, and what is created is counted."""

import math
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Holder(Protocol):
    """What holds arrays for as long as it exists."""

    def parts(self) -> Iterable[object]:
        """Its arrays, and tuples of arrays."""


Held = TypeVar("Held", bound=Holder)


class Budget:
    """The memory that searches share.

    Args:
        limit: Maximum number of bytes of all arrays together, those that exist only for a moment included.
        base: Arrays, and tuples of arrays, that exist all the time.

    Attributes:
        peak: The most bytes that there were, or were about to be, at any time.
        reclaim: Called if there is not enough memory, with a function that returns whether there still is not. It may
            release arrays. None: nothing can be released.
    """

    def __init__(self, limit: float = math.inf, base: Iterable[object] = ()) -> None:
        self.limit, self.peak = limit, 0
        self.reclaim: Callable[[Callable[[], bool]], object] | None = None
        self._base = tuple(base)
        self._holders: weakref.WeakSet[Holder] = weakref.WeakSet()

    @property
    def held(self) -> int:
        """The bytes of all arrays that exist; arrays that several searches share count once."""
        parts = [self._base, *(tuple(one.parts()) for one in self._holders)]
        return sum({id(array): array.nbytes for array in arrays_in(parts)}.values())

    def fits(self, more: int) -> bool:
        """Whether there is memory for so many bytes more, if need be after others are released; then they count."""

        def short() -> bool:
            return self.held + more > self.limit

        if short() and self.reclaim is not None:
            reclaim, self.reclaim = self.reclaim, None  # what it creates itself must fit as it is
            try:
                reclaim(short)
            finally:
                self.reclaim = reclaim
        if short():
            return False
        self.peak = max(self.peak, self.held + more)
        return True

    def ask(self, more: int) -> None:
        """See :meth:`fits`.

        Raises:
            MemoryError: There is not enough memory.
        """
        if not self.fits(more):
            raise MemoryError(f"{more:,} bytes more than the limit allows")

    def create(self, more: int, make: Callable[[], Held]) -> Held:
        """Create what holds arrays, and count it from now on.

        Args:
            more: The most bytes that this takes.
            make: Creates it.

        Raises:
            MemoryError: There is not enough memory, and nothing was created.
        """
        self.ask(more)
        return self.count(make())

    def count(self, holder: Held) -> Held:
        """Count the arrays of a holder for as long as it exists; return the holder."""
        self._holders.add(holder)
        return holder


def arrays_in(parts: Iterable[object]) -> Iterator[Array]:
    """All arrays in nested tuples."""
    for part in parts:
        if isinstance(part, np.ndarray):
            yield part
        elif isinstance(part, tuple | list):
            yield from arrays_in(part)
