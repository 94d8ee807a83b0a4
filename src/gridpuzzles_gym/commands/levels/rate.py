"""Measure how hard the levels of a file or pack are: the work of ``gridpuzzles levels rate``."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.search.progress import Snapshot

from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ..solve import described
from .rating import Verdict, rated, rating_names
from .row_file import Columns

_WORDS = {True: "yes", False: "no", None: "unknown"}
"""Whether a level can be solved, as the table says it."""


@dataclasses.dataclass(frozen=True)
class Rating:
    """What is known about a level."""

    level: str
    verdict: Verdict

    def row(self, names: Sequence[str]) -> list[str]:
        """Return the row of the table, as in :func:`columns_of`; ``names`` are those of the measurements."""
        solvable = _WORDS[self.verdict.solvable]
        numbers = [f"{self.verdict.numbers[name]:.6g}" if name in self.verdict.numbers else "" for name in names]
        return [self.level, solvable, *numbers]

    def line(self) -> str:
        """Return the rating as one line."""
        return f"{self.level}: {self.verdict.words}"


@dataclasses.dataclass(frozen=True)
class LevelRater:
    """A callable that rates a level, in any process."""

    puzzle: Puzzle
    limits: Limits
    """Limits of each of the searches."""

    def __call__(self, level: Level) -> Rating:
        """Rate a level.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        verdict = rated(self.puzzle, level, _ignore, self.limits)
        if verdict.interrupted:
            raise KeyboardInterrupt
        return Rating(level.name, verdict)

    @property
    def request(self) -> dict[str, Any]:
        """What determines the ratings, in addition to the levels, as a JSON object."""
        return {"puzzle": self.puzzle.name, **described(self.limits)}


def columns_of(puzzle: Puzzle) -> Columns:
    """Return the columns of the table: the level, whether it can be solved, and its measurements."""
    return {"level": str, "solvable": _solvable, **dict.fromkeys(rating_names(puzzle), _measurement)}


def _solvable(text: str) -> bool | None:
    """Read whether a level can be solved from the table."""
    return list(_WORDS)[list(_WORDS.values()).index(text)]


def _measurement(text: str) -> float | None:
    """Read a measurement of the table, which may be missing."""
    return None if text == "" else float(text)


def as_json(row: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Return a row of the table as a JSON object."""
    numbers = {name: float(text) for name, text in zip(names, row[2:], strict=True) if text}
    return {"level": row[0], "solvable": {"yes": True, "no": False}.get(row[1]), **numbers}


def summary(rows: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    """Return a summary of the table's rows in one line: how many can be solved, and the medians of measurements."""
    solvable = sum(row[1] == "yes" for row in rows)
    parts = [f"{solvable:,} of {plural(len(rows), 'level')} can be solved"]
    for number, name in enumerate(names, start=2):
        known = [float(row[number]) for row in rows if row[number]]
        if known:
            parts.append(f"median {name} {np.median(known):.3g}")
    return "; ".join(parts)


def _ignore(snapshot: Snapshot) -> None:
    """Ignore progress within a level."""
