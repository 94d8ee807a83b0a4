"""Encoding of levels as rows for one environment, with a cache."""

from collections.abc import Iterable
from typing import Any

from ..puzzle import Extent, Level, LevelError, Puzzle
from ..scene import Row

MOST_BYTES = 2**25
"""The maximum size of the cached levels with their rows."""
LEVEL_BYTES = 1_000
"""The size of a level without its rows, roughly."""
_ANY = (AttributeError, ArithmeticError, LookupError, TypeError, ValueError)
"""What a level raises that has any content: levels can also come from users' samplers and from pickles."""


class Encoder:
    """``encoder(level)`` is ``puzzle.encode`` with a check of the size and a cache, because samplers repeat levels.

    Args:
        puzzle: The puzzle.
        extent: The environment's extent.
        options: The environment's options.
    """

    def __init__(self, puzzle: Puzzle, extent: Extent, options: Any) -> None:
        self.puzzle, self.extent, self.options = puzzle, extent, options
        self._known: dict[int, tuple[Level, tuple[Row, Row]]] = {}

    def __call__(self, level: Level) -> tuple[Row, Row]:
        """Return the rows (level, start state), which must not be changed.

        Raises:
            LevelError: The level is too large for this environment, or cannot be played in it.
        """
        known = self._known.get(id(level))  # the id is unique as long as the cache holds the level too
        if known is not None:
            return known[1]
        rows = encoded(self.puzzle, level, self.extent, self.options)
        check_encoded(self.puzzle, level, rows, self.extent, self.options)
        if len(self._known) * (LEVEL_BYTES + sum(row.nbytes for row in rows)) >= MOST_BYTES:
            del self._known[next(iter(self._known))]
        self._known[id(level)] = level, rows
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy without the cache, because ids are valid only in this process."""
        return Encoder, (self.puzzle, self.extent, self.options)


def encoded(puzzle: Puzzle, level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows (level, start state) of a level, which must not be changed, and which may be invalid.

    Raises:
        LevelError: The level is too large for these boards, or is not one of the puzzle.
    """
    try:
        rows = level.rows_for(puzzle, extent, options)
        if rows is not None:
            return rows
        if any(needed > most for needed, most in zip(level.extent, extent, strict=True)):
            raise LevelError(
                f"level {level.name or 'given'} needs {_size(level.extent)}; "
                f"the maximum in this environment is {_size(extent)}"
            )
        return puzzle.encode(level, extent, options)
    except LevelError:
        raise
    except _ANY as error:
        raise _not_a_level(puzzle, level, error) from error


def check_encoded(puzzle: Puzzle, level: Level, rows: tuple[Row, Row], extent: Extent, options: Any) -> None:
    """Raise LevelError unless the rows of a level can be played on these boards."""
    try:
        found = puzzle.check_rows(*rows, options)
    except LevelError:
        raise
    except _ANY as error:
        raise _not_a_level(puzzle, level, error) from error
    if found != tuple(extent):
        raise LevelError(f"{level!r:.80} is on a board of {_size(found)}; it must be {_size(extent)}")


def _not_a_level(puzzle: Puzzle, level: Level, error: Exception) -> LevelError:
    return LevelError(f"{level!r:.80} is not a level of {puzzle.title}: {error}")


def _size(extent: Iterable[int]) -> str:
    height, width, *pieces = extent
    more = f" and {'/'.join(map(str, pieces))} pieces" if any(pieces) else ""
    return f"{width}x{height} squares{more}"
