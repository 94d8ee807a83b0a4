"""A fixed pack of levels, sampled uniformly or by weights."""

import bisect
import itertools
import math
from collections.abc import Sequence
from typing import Any

from gridpuzzles_gym.engine.puzzle import Level, Puzzle

from .base import Stateless, extent_for, levels_of
from .mixing import below, share


class Pack(Stateless):
    """Levels sampled independently of each other: ``levels=Pack("first", "Sokoban-v0", weights=…)``.

    Args:
        levels: Levels, or anything an environment takes as ``levels=``: a pack's name, a path, a text, a list.
        puzzle: An environment id, or the puzzle; required unless all are :class:`Level` objects.
        weights: Relative probabilities of the levels, as non-negative numbers; None: uniform.

    Raises:
        ValueError: There are no levels, or weights are too few, too many, negative or all 0.
    """

    def __init__(self, levels: Any, puzzle: str | Puzzle | None = None, weights: Sequence[float] | None = None) -> None:
        self.levels = levels_of(levels, puzzle)
        self.extent = extent_for(self.levels)
        self._sums = None if weights is None else _sums(weights, len(self.levels))

    def sample(self, random_bits: int) -> Level:
        """Return the level that these random bits select."""
        if self._sums is None:
            return self.levels[below(random_bits, len(self.levels))]
        return self.levels[bisect.bisect_right(self._sums, share(random_bits) * self._sums[-1])]


def _sums(weights: Sequence[float], count: int) -> list[float]:
    """Return the cumulative sums of the weights."""
    numbers = [float(weight) for weight in weights]
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} weights for {count} levels: there must be one for each")
    if not all(math.isfinite(weight) and weight >= 0 for weight in numbers) or not any(numbers):
        raise ValueError("weights: must be non-negative numbers, not all of them 0")
    return list(itertools.accumulate(numbers))
