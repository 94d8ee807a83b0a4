"""Collects distinct levels in the order of their random bits, however many processes make them."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from gridpuzzles_gym.engine.random import initial_bits

from ..candidates import NO_LEVEL, NOT_MADE, UNSOLVED, Candidate
from .known_levels import KnownLevels

SAME = "same as another"
"""Reason for rejecting a good candidate that is known already."""


_SKIPPED = 2**20
"""The maximum number of random bits that are skipped at a time."""


def random_bits_of(seed: int, skip: int = 0) -> Iterator[int]:
    """Return an endless stream of random bits from a seed, uint64 and never 0.

    Args:
        seed: The seed.
        skip: How many of the first ones to leave out.
    """
    random = np.random.default_rng(seed)
    for skipped in range(0, skip, _SKIPPED):
        random.integers(1, 2**64, min(_SKIPPED, skip - skipped), np.uint64)
    while True:
        yield initial_bits(random)


class LevelCollection:
    """The levels accepted so far, and why others were rejected.

    Args:
        known: Keys of levels to reject as known; keys of accepted levels are added.
    """

    def __init__(self, known: set[bytes] | KnownLevels) -> None:
        self.kept: list[Candidate] = []
        """The accepted levels that have not been taken."""
        self.number = 0
        """The number of accepted levels."""
        self.rejected: Counter[str] = Counter()
        self.best = 0.0
        """The highest score among the accepted levels."""
        self._known = known

    def add(self, candidate: Candidate) -> bool:
        """Accept a candidate if it is good and new."""
        rejection = candidate.rejection or (SAME if candidate.key in self._known else "")
        if rejection:
            self.rejected[rejection] += 1
            return False
        self._known.add(candidate.key)
        self.kept.append(candidate)
        self.number += 1
        self.best = max(self.best, candidate.score)
        return True

    @property
    def made(self) -> int:
        """Number of levels made so far, including rejected ones."""
        return self.tried - sum(self.rejected[reason] for reason in (NOT_MADE, NO_LEVEL, UNSOLVED))

    @property
    def tried(self) -> int:
        """Number of candidates tried so far."""
        return self.number + self.rejected.total()
