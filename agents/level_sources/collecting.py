"""Different levels gathered in the order of their words, however many processes make them."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from gridpuzzles_gym.engine.random import initial_bits

from ..candidates import NO_LEVEL, NOT_MADE, UNSOLVED, Candidate

SAME = "same as another"
"""Why a candidate is passed over that is good, but known."""


def random_bits_of(seed: int) -> Iterator[int]:
    """The random words of a seed, uint64 and not 0, without end."""
    random = np.random.default_rng(seed)
    while True:
        yield initial_bits(random)


class LevelCollection:
    """The levels kept so far, and why others were not.

    Args:
        known: Keys of levels that are not to come again.
    """

    def __init__(self, known: Iterable[bytes] = ()) -> None:
        self.kept: list[Candidate] = []
        self.rejected: Counter[str] = Counter()
        self.best = 0.0
        """The highest score among the levels kept."""
        self._known = set(known)

    def add(self, candidate: Candidate) -> bool:
        """Keep a candidate, if it is good and new."""
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
        """Levels made so far, those passed over among them."""
        return self.tried - sum(self.rejected[reason] for reason in (NOT_MADE, NO_LEVEL, UNSOLVED))

    @property
    def tried(self) -> int:
        """Words tried so far."""
        return len(self.kept) + self.rejected.total()
