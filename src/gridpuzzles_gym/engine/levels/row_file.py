"""Files of rows, ``NAME.npz``: very many levels that are opened without reading their text.

    rows     int16[K, L + S]: of each level its level row, then its start row, with the puzzle's default options
    titles   str[K]
    extent   int64[…]: the extent of the boards
    puzzle   the puzzle's name

Kernels do not check array bounds, and a file may come from anyone: every row is checked when a file is opened, which
takes microseconds a level.
"""

import functools
import os
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..messages import quote
from ..puzzle import Extent, Level, LevelError, Puzzle
from .row_check import first_invalid, same_rows
from .row_level import RowLevel

Rows = npt.NDArray[np.int16]

ROWS = ".npz"
"""The suffix of a file of rows."""
MOST_LEVELS = 2**31 - 1
"""The maximum number of levels, because kernels number them with 32 bits."""


class StoredLevels(Sequence[Level]):
    """Levels stored as valid rows; a :class:`Level` is made when it is accessed.

    Args:
        puzzle: The puzzle.
        extent: The extent of the boards.
        rows: int16[K, L + S], made with the puzzle's default options.
        titles: The titles of the levels, str[K].
        pickled: A function and its arguments, which return these levels in another process.
    """

    def __init__(
        self, puzzle: Puzzle, extent: Extent, rows: Rows, titles: Sequence[str], pickled: tuple[Any, ...]
    ) -> None:
        self.puzzle, self.extent, self.rows, self.titles = puzzle, extent, rows, titles
        self._made_with = default_options(puzzle, extent)
        self._level_size = puzzle.sizes(extent)[0]
        self._pickled = pickled

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._level(place) for place in range(*index.indices(len(self)))]
        place = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= place < len(self):
            raise IndexError(f"there is no level {index}; there are {len(self):,}")
        return self._level(place)

    def _level(self, place: int) -> Level:
        row = np.array(self.rows[place])
        rows = row[: self._level_size], row[self._level_size :]
        return RowLevel(self.puzzle, self.extent, self._made_with, rows, str(self.titles[place]))

    def rows_for(self, extent: Extent, options: Any) -> Rows | None:
        """Return the rows for other options; None if there are none for them or for this extent.

        A copy is made if options change :attr:`.Puzzle.option_places`.
        """
        if tuple(extent) != self.extent:
            return None
        if same_rows(self.puzzle, self.extent, options, self._made_with):
            return self.rows
        if self.puzzle.option_places:
            places, rows = list(self.puzzle.option_places), np.array(self.rows)
            rows[:, places] = np.concatenate(self.puzzle.encode(self._level(0), extent, options))[places]
            return rows
        return self.rows if first_invalid(self.puzzle, self.rows, extent, options) is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the file."""
        return self._pickled


def default_options(puzzle: Puzzle, extent: Extent) -> Any:
    """Return the puzzle's default options for boards of an extent."""
    return puzzle.resolve_options(puzzle.read_options(), extent, ())


def is_row_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file of rows."""
    return str(path).endswith(ROWS) and os.path.isfile(path)


def puzzle_in(path: str | os.PathLike[str]) -> str:
    """Return the name of the puzzle whose levels a file of rows has; empty if the file is damaged."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            return str(saved["puzzle"])
    except Exception:  # zipfile and numpy raise many kinds
        return ""


def read_row_file(puzzle: Puzzle, path: str | os.PathLike[str]) -> StoredLevels:
    """Return the levels of a file of rows, which is read into memory once a process.

    Raises:
        LevelError: It is damaged, has levels of another puzzle, or a row is invalid; the message says which and why.
    """
    file = os.path.realpath(path)
    status = os.stat(file)
    return _read(puzzle, file, str(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _read(puzzle: Puzzle, file: str, name: str, changed: int, size: int) -> StoredLevels:
    try:
        with np.load(file, allow_pickle=False) as saved:
            of, extent = str(saved["puzzle"]), tuple(map(int, saved["extent"]))
            rows, titles = np.ascontiguousarray(saved["rows"]), saved["titles"]
    except OSError as error:
        raise LevelError(f"{name} cannot be read: {error.strerror or error}") from None
    except Exception:  # zipfile and numpy raise many kinds for damaged files
        raise LevelError(f"{name} is not a file of levels, or is damaged") from None
    if of != puzzle.name:
        raise LevelError(f"{name} has levels of the puzzle {quote(of)}, not of {puzzle.title}")
    try:
        shape = sum(puzzle.sizes(extent))
    except (ValueError, TypeError):
        raise LevelError(f"{name} is damaged: there are no boards of extent {extent}") from None
    if rows.dtype != np.int16 or rows.ndim != 2 or rows.shape[1] != shape or titles.shape != rows.shape[:1]:
        raise LevelError(f"{name} is damaged: its rows must be int16[K, {shape}] for boards of extent {extent}")
    if not 0 < len(rows) <= MOST_LEVELS:
        raise LevelError(f"{name} has no levels" if not len(rows) else f"{name} has over {MOST_LEVELS:,} levels")
    found = first_invalid(puzzle, rows, extent, default_options(puzzle, extent))
    if found is not None:
        raise LevelError(f"{name}: level {found[0] + 1:,} in it is invalid: {found[1]}")
    rows.flags.writeable = False
    return StoredLevels(puzzle, extent, rows, titles, (read_row_file, (puzzle, file)))


def write_rows(
    stream: IO[bytes], puzzle: Puzzle, extent: Extent, rows: Rows, titles: Sequence[str], **more: Any
) -> None:
    """Write a file of rows.

    Args:
        stream: The file.
        puzzle: The puzzle.
        extent: The extent of the boards.
        rows: int16[K, L + S], valid, made with the puzzle's default options.
        titles: The titles of the levels.
        **more: Other arrays.
    """
    named = {"titles": np.array(list(titles)), "extent": np.array(extent), "puzzle": np.array(puzzle.name)}
    arrays: dict[str, Any] = {"rows": rows, **named, **more}
    np.savez_compressed(stream, **arrays)
