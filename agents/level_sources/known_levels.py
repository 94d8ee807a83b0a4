"""Keys of very many levels, to find duplicates: eight bytes of memory for each."""

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]

_MOST_RECENT = 2**16
"""The maximum number of keys that are not in an array yet."""


class KnownLevels:
    """A set of keys that only grows.

    Of each key it stores 64 bits of a hash, so that about one new key in ``2**64 / len(self)`` is mistaken for a
    known one: among a billion levels, one is lost with a probability of 3 %.

    Args:
        keys: The first keys.
    """

    def __init__(self, keys: Iterable[bytes] = ()) -> None:
        self._sorted: list[Numbers] = []
        """Sorted arrays, each more than twice as long as the next: there are few, and a number is seldom moved."""
        self._recent: set[int] = set()
        for key in keys:
            self.add(key)

    def __contains__(self, key: bytes) -> bool:
        number = number_of(key)
        if number in self._recent:
            return True
        wanted = np.uint64(number)
        for numbers in self._sorted:
            place = int(numbers.searchsorted(wanted))
            if place < len(numbers) and numbers[place] == wanted:
                return True
        return False

    def __len__(self) -> int:
        return len(self._recent) + sum(map(len, self._sorted))

    def add(self, key: bytes) -> None:
        """Add a key."""
        self._recent.add(number_of(key))
        if len(self._recent) >= _MOST_RECENT:
            recent, self._recent = self._recent, set()
            self.add_numbers(np.fromiter(recent, np.uint64, len(recent)))

    def add_numbers(self, numbers: Numbers) -> None:
        """Add keys by their numbers, uint64[N], as :func:`number_of` returns them; no two are equal."""
        self._sorted.append(np.sort(numbers))
        while len(self._sorted) > 1 and len(self._sorted[-2]) <= 2 * len(self._sorted[-1]):
            last = self._sorted.pop()
            self._sorted[-1] = np.sort(np.concatenate([self._sorted[-1], last]), kind="stable")  # merges sorted runs


def number_of(key: bytes) -> int:
    """Return the 64 bits stored for a key."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")
