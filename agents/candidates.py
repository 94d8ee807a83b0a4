"""Candidates for packs: levels made from random bits, each good, or with the reason why it is rejected.

What makes them runs in any process: :class:`CandidateMaker`.
"""

import dataclasses
import time
from collections.abc import Mapping
from typing import Protocol

NOT_MADE, NO_LEVEL, UNSOLVED = "nothing made", "not a level", "not solved"
"""Why a candidate is rejected: there is no level."""
UNFINISHED = "not finished in time"
"""Why a candidate is rejected that the deadline cut off: what came of it so far is not the level of its random bits."""


class Difficulty(Protocol):
    """What solving a level takes, as the maker of candidates measures it."""

    def numbers(self) -> Mapping[str, float]:
        """What was measured, by name; the first is told below pictures of the level."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """The level made from one word of random bits."""

    random_bits: int
    rejection: str = ""
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
    difficulty: "Difficulty | None" = None
    """What solving it takes, where that is measured."""


class CandidateMaker(Protocol):
    """Makes a candidate from random bits: picklable, and equal bits give equal candidates."""

    def __call__(self, random_bits: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word, or one rejected as `UNFINISHED` at the deadline, by ``time.monotonic()``."""


@dataclasses.dataclass(frozen=True)
class TimedMaker:
    """A maker of candidates for workers: every word comes with its deadline."""

    maker: CandidateMaker

    def __call__(self, task: tuple[int, float | None]) -> Candidate:
        """The candidate of a word and a deadline; see :class:`CandidateMaker`."""
        return self.maker(*task)


def past(deadline: float | None) -> bool:
    """Has that moment, by ``time.monotonic()``, gone by? None never has."""
    return deadline is not None and time.monotonic() >= deadline
