"""Encoding of levels as rows for one environment, with a cache."""

from collections.abc import Iterable
from typing import Any

from .puzzle import Extent, Level, LevelError, Puzzle, Row

MOST_BYTES = 2**25
"""The maximum size of the cached levels with their rows."""
LEVEL_BYTES = 1_000
"""The size of a level without its rows, roughly."""


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
        try:
            rows = self._rows(level)
            extent = self.puzzle.check_rows(*rows, self.options)
        except LevelError:
            raise
        except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            # Levels can also come from users' samplers and from pickles, with any content.
            raise LevelError(f"{level!r:.80} is not a level of {self.puzzle.title}: {error}") from error
        if extent != tuple(self.extent):
            raise LevelError(f"{level!r:.80} is on a board of {_size(extent)}; it must be {_size(self.extent)}")
        if len(self._known) * (LEVEL_BYTES + sum(row.nbytes for row in rows)) >= MOST_BYTES:
            del self._known[next(iter(self._known))]
        self._known[id(level)] = level, rows
        return rows

    def _rows(self, level: Level) -> tuple[Row, Row]:
        rows = level.rows_for(self.puzzle, self.extent, self.options)
        if rows is not None:
            return rows
        if any(needed > most for needed, most in zip(level.extent, self.extent, strict=True)):
            raise LevelError(
                f"level {level.name or 'given'} needs {_size(level.extent)}; "
                f"the maximum in this environment is {_size(self.extent)}"
            )
        return self.puzzle.encode(level, self.extent, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy without the cache, because ids are valid only in this process."""
        return Encoder, (self.puzzle, self.extent, self.options)


def _size(extent: Iterable[int]) -> str:
    height, width, *slots = extent
    more = f" and {'/'.join(map(str, slots))} pieces" if any(slots) else ""
    return f"{width}x{height} squares{more}"
