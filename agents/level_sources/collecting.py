"""Collects distinct levels in the order of their random bits, however many processes make them."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from gridpuzzles_gym.engine.random import initial_bits

from ..candidates import NO_LEVEL, NOT_MADE, UNSOLVED, Candidate

SAME = "same as another"
"""Reason for rejecting a good candidate that is known already."""


def random_bits_of(seed: int) -> Iterator[int]:
    """An endless stream of random bits from a seed, uint64 and never 0."""
    random = np.random.default_rng(seed)
    while True:
        yield initial_bits(random)


class LevelCollection:
    """The levels accepted so far, and why others were rejected.

    Args:
        known: Keys of levels to reject as known.
    """

    def __init__(self, known: Iterable[bytes] = ()) -> None:
        self.kept: list[Candidate] = []
        self.rejected: Counter[str] = Counter()
        self.best = 0.0
        """The highest score among the accepted levels."""
        self._known = set(known)

    def add(self, candidate: Candidate) -> bool:
        """Accept a candidate if it is good and new."""
        rejection = candidate.rejection or (SAME if candidate.key in self._known else "")
        if rejection:
            self.rejected[rejection] += 1
            return False
        self._known.add(candidate.key)
        self.kept.append(candidate)
        self.best = max(self.best, candidate.score)
        return True

    @property
    def made(self) -> int:
        """Number of levels made so far, including rejected ones."""
        return self.tried - sum(self.rejected[reason] for reason in (NOT_MADE, NO_LEVEL, UNSOLVED))

    @property
    def tried(self) -> int:
        """Number of candidates tried so far."""
        return len(self.kept) + self.rejected.total()
