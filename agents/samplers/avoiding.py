"""Levels except certain ones: an agent should not be trained on its test levels."""

from typing import Any

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.puzzle import Extent, Level, Puzzle

from ..identity import key_of
from .base import Stateless, levels_of, puzzle_of
from .mixing import mix

MAX_TRIES = 1000
"""Maximum number of consecutive rejections; then there are probably no other levels."""


class Avoiding(Stateless):
    """The levels of a source except certain ones: ``Avoiding(SokobanSampler(boxes=2), "medium-test", "Sokoban-v0")``.

    Sokoban boards are avoided in all eight orientations.

    Args:
        source: A sampler whose levels depend only on their random bits: :class:`~.GeneratedLevels`,
            or a generator.
        levels: Levels to avoid: anything ``gym.make`` takes as ``levels=``, or a list of levels.
        puzzle: An environment's id, or the puzzle.

    Raises:
        ValueError: There are no such levels, or no such puzzle.
    """

    def __init__(self, source: Sampler, levels: Any, puzzle: str | Puzzle) -> None:
        self.puzzle = puzzle_of(puzzle)
        self.source = source
        self.extent: Extent = source.extent
        self._known = frozenset(key_of(self.puzzle, level) for level in levels_of(levels, self.puzzle))

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; if it must be avoided, of further bits derived from them.

        Raises:
            ValueError: Too many levels in a row were to be avoided.
        """
        for number in range(MAX_TRIES):
            level = self.source.sample(mix(random_bits, number - 1) if number else random_bits)
            if key_of(self.puzzle, level) not in self._known:
                return level
        raise ValueError(f"all of {MAX_TRIES:,} new levels are among the {len(self._known):,} to be avoided")
