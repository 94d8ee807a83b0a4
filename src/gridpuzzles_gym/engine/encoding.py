"""Levels as rows, on the boards of one environment, the latest of them remembered."""

from collections.abc import Iterable
from typing import Any

from .puzzle import Extent, Level, LevelError, Puzzle, Row

MOST_BYTES = 2**24
"""Of rows that are remembered."""


class Encoder:
    """``encoder(level)`` is ``puzzle.encode`` with a check of the size, and a memory: samplers repeat levels.

    Args:
        puzzle: Whose levels.
        extent: Of the environment's boards.
        options: Of the environment.
    """

    def __init__(self, puzzle: Puzzle, extent: Extent, options: Any) -> None:
        self.puzzle, self.extent, self.options = puzzle, extent, options
        self._known: dict[int, tuple[Level, tuple[Row, Row]]] = {}

    def __call__(self, level: Level) -> tuple[Row, Row]:
        """The rows (level, start state), to be read only.

        Raises:
            LevelError: There is no room for this level, or it cannot be played here.
        """
        known = self._known.get(id(level))  # an id that nobody else has while the level is kept beside it
        if known is not None:
            return known[1]
        if any(needed > room for needed, room in zip(level.extent, self.extent, strict=True)):
            raise LevelError(
                f"level {level.name or 'given'} needs {_size(level.extent)}, "
                f"but this environment has room for {_size(self.extent)}"
            )
        rows = self.puzzle.encode(level, self.extent, self.options)
        if len(self._known) * sum(row.nbytes for row in rows) >= MOST_BYTES:
            del self._known[next(iter(self._known))]
        self._known[id(level)] = level, rows
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy without the memory: ids hold in this process only."""
        return Encoder, (self.puzzle, self.extent, self.options)


def _size(extent: Iterable[int]) -> str:
    height, width, *slots = extent
    more = f" and {'/'.join(map(str, slots))} pieces" if any(slots) else ""
    return f"{width}x{height} squares{more}"
