"""Boards in level text: rows of squares, each with its position in the text for error messages.

For puzzles whose levels are a rectangle of squares. A puzzle's ``text.py`` reads consecutive lines into a
:class:`TextBoard`, which checks what every board must satisfy; the puzzle's own requirements are checked there.
"""

import dataclasses
import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..messages import quote
from ..puzzle import LevelError

LETTER, WORD = r".", r"\S+"
"""Regular expressions for a square: every character, including blanks; or every word."""
_LONGEST_SQUARE = 20
"""The maximum number of symbols on one square."""


class Square(NamedTuple):
    """The text of one square of a board, and its position."""

    text: str
    source: str
    line: int
    column: int
    """Both from 1."""

    @property
    def where(self) -> str:
        """``source:line:column``."""
        return f"{self.source}:{self.line}:{self.column}"

    @property
    def end(self) -> str:
        """The position after it, ``source:line:column``."""
        return f"{self.source}:{self.line}:{self.column + len(self.text)}"


@dataclasses.dataclass(frozen=True)
class TextBoard:
    """A board: at least one row, each of at least one square."""

    rows: Sequence[Sequence[Square]]

    @classmethod
    def read(
        cls,
        lines: Sequence[tuple[int, str]],
        source: str,
        largest: int,
        square: str = LETTER,
        most_rows: int | None = None,
    ) -> "TextBoard":
        """Read a board; one that is too large is rejected before it is processed.

        Args:
            lines: Its rows, each with its line number, as yielded by :func:`~.sources.blocks`.
            source: The name of the file or text, for messages.
            largest: The maximum number of squares per side.
            square: A regular expression for one square.
            most_rows: The maximum number of rows, if it differs from ``largest``.

        Raises:
            LevelError: It has too many rows, a row has no square or too many, or a square too many symbols.
        """
        if len(lines) > (largest if most_rows is None else most_rows):
            where = f"{source}:{lines[0][0]}"
            raise LevelError(f"{where}: a level of {len(lines):,} rows; the maximum is {largest} squares per side")
        rows = []
        for number, line in lines:
            row = [Square(m[0], source, number, m.start() + 1) for m in islice(re.finditer(square, line), largest + 1)]
            if len(row) > largest:
                raise LevelError(
                    f"{row[-1].where}: over {largest} squares in this row; the maximum is {largest} per side"
                )
            if not row:
                raise LevelError(f"{source}:{number}: no square in this row")
            for each in row:
                if len(each.text) > _LONGEST_SQUARE:
                    raise LevelError(f"{each.where}: {quote(each.text)} is too long for one square")
            rows.append(row)
        return cls(rows)

    @property
    def where(self) -> str:
        """The position of its first line, ``source:line``."""
        first = self.rows[0][0]
        return f"{first.source}:{first.line}"

    def check_symbols(self, known: Collection[str], allowed: str) -> None:
        """Raise LevelError on an unknown symbol; ``allowed`` describes the known ones in the message."""
        for square in self.squares():
            for symbol in square.text:
                if symbol not in known:
                    raise LevelError(f"{square.where}: unknown symbol {symbol!r}; allowed are {allowed}")

    def extent(self) -> tuple[int, int]:
        """Return its height and width in squares.

        Raises:
            LevelError: Rows differ in length.
        """
        height, width = len(self.rows), len(self.rows[0])
        for row in self.rows:
            if len(row) != width:
                raise LevelError(
                    f"{row[width].where if len(row) > width else row[-1].end}: this row has {len(row)} squares, "
                    f"the level's first has {width}; all rows of a level must have the same length"
                )
        return height, width

    def squares(self) -> list[Square]:
        """All squares, row by row."""
        return [square for row in self.rows for square in row]

    def find(self, symbols: Collection[str]) -> list[Square]:
        """The squares with one of the symbols, row by row; a square with two of them is listed twice."""
        return [square for square in self.squares() for symbol in square.text if symbol in symbols]

    def find_some(self, name: str, symbols: Collection[str]) -> list[Square]:
        """Like :meth:`find`; raises LevelError, which calls the missing thing ``name``, if there is none."""
        found = self.find(symbols)
        if not found:
            raise LevelError(f"{self.where}: no {name} in this level; it needs one ({' or '.join(symbols)})")
        return found

    def find_one(self, name: str, symbols: Collection[str]) -> Square:
        """The only square with one of the symbols; raises LevelError if there is none, or a second."""
        first, *more = self.find_some(name, symbols)
        if more:
            raise LevelError(f"{more[0].where}: a second {name}, the first is at {first.where}; exactly one is allowed")
        return first

    def numbers(self, symbols: str) -> npt.NDArray[np.uint8]:
        """The index in ``symbols`` of each square's symbol, uint8[height, width]."""
        return np.array([[symbols.index(square.text) for square in row] for row in self.rows], np.uint8)
