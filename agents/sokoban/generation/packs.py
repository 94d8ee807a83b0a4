"""Packs of graded levels: a level file, and next to it a table with the measurements of each level.

``levels/sokoban/easy.txt`` has the boards, titled ``easy 1``, ``easy 2`` …; ``levels/sokoban/easy.csv`` has one row per
level in the same order. Equal levels produce identical files.
"""

import dataclasses
import importlib.resources
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

from gridpuzzles_gym.engine.levels.level_text import MAX_BYTES, decode_level_text
from gridpuzzles_gym.engine.levels.sources import SIDECAR
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.engine.system import csv_text

from ...candidates import Candidate
from .difficulty import Difficulty

_PLACES = 6
"""Decimal places of real numbers in the table."""


@dataclasses.dataclass(frozen=True)
class Grade:
    """The measurements of one level: a row of the table, whose columns these are."""

    title: str
    random_bits: int
    """The random bits that it was generated from, uint64; in the table as 16 hexadecimal digits."""
    score: float
    """Its score by the generator's evaluation."""
    boxes: int
    pushes: int
    """The fewest pushes that solve it, proven."""
    fewest_moves: int | None
    """The fewest moves that solve it, proven; None, an empty cell, if that is not known."""
    nodes: int
    """Positions that the search ``sokoban`` expands."""
    proof_nodes: int
    """Positions that the search ``sokoban-pushes`` expands."""
    box_changes: int
    """Number of changes to another box in the certificate."""
    deadlock_density: float
    """From 0 to 1; see :class:`~.difficulty.Difficulty`."""
    certificate: str
    """A solution with the fewest pushes, in LURD notation."""

    @classmethod
    def of(cls, title: str, candidate: Candidate) -> Self:
        """Return the grade of a measured candidate; real numbers are rounded as in the table."""
        difficulty = candidate.difficulty
        assert isinstance(difficulty, Difficulty)
        return cls(
            title,
            candidate.random_bits,
            round(candidate.score, _PLACES),
            candidate.boxes,
            difficulty.pushes,
            difficulty.fewest_moves,
            difficulty.nodes,
            difficulty.proof_nodes,
            difficulty.box_changes,
            round(difficulty.deadlock_density, _PLACES),
            difficulty.certificate,
        )

    @classmethod
    def read(cls, row: Mapping[str, str]) -> Self:
        """Return the grade in a row of the table.

        Raises:
            ValueError: A column is missing or has no valid number.
        """
        values: dict[str, Any] = {}
        for column in COLUMNS:
            text = row.get(column, "")
            kind = _KINDS[column]
            if not text and column in OPTIONAL:
                values[column] = None
                continue
            if not text and kind is not str:
                raise ValueError(f"{column} is missing")
            try:
                values[column] = int(text, 16) if column == "random_bits" else kind(text)
            except ValueError:
                raise ValueError(f"{column}={quote(text)} is invalid") from None
        return cls(**values)

    def row(self) -> dict[str, str]:
        """Return the grade as a row of the table."""
        texts = {column: "" if (value := getattr(self, column)) is None else str(value) for column in COLUMNS}
        return {**texts, "random_bits": f"{self.random_bits:016x}"}


COLUMNS = tuple(field.name for field in dataclasses.fields(Grade))
"""Columns of the table, in order."""
OPTIONAL = ("fewest_moves",)
"""Columns with numbers that need not be known; tables of earlier versions do not have them."""
_KINDS: dict[str, type[Any]] = {
    field.name: int if field.name in OPTIONAL else field.type  # type: ignore[misc]
    for field in dataclasses.fields(Grade)
}


def table_of(titles: Sequence[str], candidates: Sequence[Candidate]) -> str:
    """Return the table of a pack of candidates; see :class:`~gridpuzzles_gym.agents.puzzle_agents.LevelMaker`."""
    return table_text([Grade.of(title, candidate) for title, candidate in zip(titles, candidates, strict=True)])


def table_text(grades: Sequence[Grade]) -> str:
    """Return the table as CSV."""
    return csv_text.table_text(COLUMNS, (grade.row() for grade in grades))


def read_sidecar(pack: str | os.PathLike[str]) -> list[Grade]:
    """Return the grades of a pack's levels.

    Args:
        pack: The name of a bundled pack, or the path of a level file or of its table.

    Raises:
        LevelError: There is no such table, or it is invalid; the message says where, as ``file:line``.
    """
    path = Path(pack).with_suffix(SIDECAR)
    bundled = importlib.resources.files("gridpuzzles_gym.levels") / "sokoban" / path.name
    file: Path | Traversable = bundled if Path(pack).name == str(pack) and not path.exists() else path
    try:
        with file.open("rb") as stream:
            text = decode_level_text(stream.read(MAX_BYTES + 1), str(path))
    except OSError as error:
        raise LevelError(f"{path} cannot be read: {error.strerror}; a pack's table must be next to it") from None
    grades = list(_read_table(text, str(path)))
    if not grades:
        raise LevelError(f"{path}:1: a header without rows; a pack's table must have one row per level")
    return grades


def read_numbers(pack: str | os.PathLike[str], first: str = "nodes") -> dict[str, list[float]]:
    """Return the numeric columns of a pack's table, with one number per level: infinity where it is unknown.

    Args:
        pack: As for :func:`read_sidecar`.
        first: The column to put first.

    Raises:
        LevelError: As for :func:`read_sidecar`.
    """
    grades = read_sidecar(pack)
    names = sorted((column for column in COLUMNS if _KINDS[column] in (int, float)), key=lambda name: name != first)
    numbers = {name: [getattr(grade, name) for grade in grades] for name in names}
    known = {name: column for name, column in numbers.items() if any(number is not None for number in column)}
    return {name: [math.inf if number is None else number for number in column] for name, column in known.items()}


def _read_table(text: str, source: str) -> Iterator[Grade]:
    try:
        header, *rows = csv_text.read_rows(text) or [[]]
    except ValueError as error:
        raise LevelError(f"{source} is not a table: {error}") from None
    required = [column for column in COLUMNS if column not in OPTIONAL]
    missing = [column for column in required if column not in header]
    if missing:
        raise LevelError(f"{source}:1: no column {missing[0]!r}; required are {', '.join(required)}")
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        try:
            yield Grade.read(dict(zip(header, row, strict=False)))
        except ValueError as error:
            raise LevelError(f"{source}:{number}: {error}") from None
