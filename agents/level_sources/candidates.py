"""Candidates for packs: levels made from random bits, each good, or with the reason why it is rejected.

What makes them runs in any process: :class:`CandidateMaker`.
"""

import dataclasses
import time
from typing import Any, ClassVar, Protocol

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..identity import board_of

UNFINISHED = "not finished in time"
"""Why a candidate is rejected that the deadline cut off: what came of it so far is not the level of its random bits."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """The level made from one word of random bits."""

    word: int
    refusal: str = ""
    """Why it is rejected; empty where it is good."""
    board: str = ""
    """Level text without a title."""
    key: bytes = b""
    """Equal for levels that are the same."""
    name: str = ""
    """A title of its own, where its maker gives one."""
    score: float = 0.0
    """By the generator's evaluation."""
    boxes: int = 0
    difficulty: Any = None
    """What solving it takes, where that is measured: the maker's own record."""


class CandidateMaker(Protocol):
    """Makes a candidate from random bits: picklable, and equal bits give equal candidates."""

    measures: ClassVar[bool]
    """Do candidates tell their difficulty?"""

    def __call__(self, word: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word, or one rejected as `UNFINISHED` at the deadline, by ``time.monotonic()``."""


@dataclasses.dataclass(frozen=True)
class Sampled:
    """Makes candidates of any puzzle from a sampler that has no memory.

    Args:
        puzzle: Whose levels.
        sampler: Makes them.
    """

    puzzle: Puzzle
    sampler: Sampler
    measures: ClassVar[bool] = False

    def __call__(self, word: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word: always good, if it was begun before the deadline."""
        if past(deadline):
            return Candidate(word, UNFINISHED)
        level = self.sampler.sample(word)
        board = board_of(self.puzzle, level)
        return Candidate(word, "", board, board.encode(), level.name)


def past(deadline: float | None) -> bool:
    """Has that moment, by ``time.monotonic()``, gone by? None never has."""
    return deadline is not None and time.monotonic() >= deadline
