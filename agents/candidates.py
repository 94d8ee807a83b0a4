"""Candidates for packs: levels made from random bits, each accepted or with a reason for its rejection.

A :class:`CandidateMaker` can run in any process.
"""

import dataclasses
import time
from collections.abc import Mapping
from typing import Protocol

NOT_MADE, NO_LEVEL, UNSOLVED = "nothing made", "not a level", "not solved"
"""Reason for rejection: there is no level."""
UNFINISHED = "not finished in time"
"""Reason for rejection at the deadline: the unfinished level is not the one that its random bits determine."""


class Measurements(Protocol):
    """What it takes to solve a level, as measured by the candidate maker."""

    def numbers(self) -> Mapping[str, float]:
        """Return the measurements by name; the first one is shown below pictures of the level."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """The level made from one set of random bits."""

    random_bits: int
    rejection: str = ""
    """Reason for rejection; empty if the level is accepted."""
    board: str = ""
    """Level text without a title."""
    key: bytes = b""
    """Equal for levels that count as the same."""
    name: str = ""
    """A title, if the maker gives one."""
    score: float = 0.0
    """The generator's score."""
    boxes: int = 0
    difficulty: Measurements | None = None
    """What it takes to solve the level, if measured."""


class CandidateMaker(Protocol):
    """Makes a candidate from random bits: picklable and deterministic."""

    def __call__(self, random_bits: int, deadline: float | None = None) -> Candidate:
        """Return the candidate of these random bits; `UNFINISHED` at the deadline, in ``time.monotonic()``."""


@dataclasses.dataclass(frozen=True)
class TimedMaker:
    """A candidate maker for other processes, also of other machines: each task holds random bits and a deadline."""

    maker: CandidateMaker

    def __call__(self, task: tuple[int, float | None]) -> Candidate:
        """Return the candidate of these random bits and this deadline, which is in ``time.time()``."""
        random_bits, deadline = task
        return self.maker(random_bits, None if deadline is None else deadline - time.time() + time.monotonic())


def past(deadline: float | None) -> bool:
    """Whether this moment, in ``time.monotonic()``, has passed; None never has."""
    return deadline is not None and time.monotonic() >= deadline
