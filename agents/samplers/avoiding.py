"""New levels that are none of those given: what an agent is to be tested on, it should not meet before."""

from typing import Any

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Extent, Level, Puzzle

from ..identity import key_of
from .base import Stateless, levels_of, puzzle_of
from .mixing import mix

MOST_TRIES = 1000
"""So many levels passed over in a row: there seem to be no others."""


class Avoiding(Stateless):
    """What a source makes, without certain levels: ``Avoiding(SokobanSampler(boxes=2), "medium-test", "Sokoban-v0")``.

    Boards of Sokoban are avoided turned and mirrored too.

    Args:
        source: A sampler whose levels depend on their random bits only: :class:`~.generated_levels.GeneratedLevels`,
            or a generator.
        levels: What to avoid: whatever ``gym.make`` takes as ``levels=``, or a list of levels.
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
        """The level of a random word; where that is to be avoided, of the words that follow from it.

        Raises:
            ValueError: None of very many was another.
        """
        for number in range(MOST_TRIES):
            level = self.source.sample(mix(random_bits, number - 1) if number else random_bits)
            if key_of(self.puzzle, level) not in self._known:
                return level
        raise ValueError(f"all of {MOST_TRIES:,} new levels are among the {len(self._known):,} to be avoided")
