"""Candidates for packs of any puzzle, from a sampler."""

import dataclasses

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..candidates import UNFINISHED, Candidate, past
from ..identity import board_of


@dataclasses.dataclass(frozen=True)
class SampledCandidates:
    """Makes candidates of any puzzle from a sampler without memory.

    Args:
        puzzle: The puzzle.
        sampler: The source of its levels.
    """

    puzzle: Puzzle
    sampler: Sampler

    def __call__(self, random_bits: int, deadline: float | None = None) -> Candidate:
        """Return the candidate of these random bits: always accepted if started before the deadline."""
        if past(deadline):
            return Candidate(random_bits, UNFINISHED)
        level = self.sampler.sample(random_bits)
        board = board_of(self.puzzle, level)
        return Candidate(random_bits, "", board, board.encode(), level.name)
