"""Levels as rows of numbers: how they are checked, a level that is its rows, and files of rows, ``NAME.npz``.

    rows     int16[K, L + S]: of each level its level row, then its start row, with the puzzle's default options
    titles   str[K]
    extent   int64[…]: the extent of the boards
    puzzle   the puzzle's name

Such a file has very many levels, which are opened without reading their text. Kernels do not check array bounds, and a
file may come from anyone: every row is checked when a file is opened, which takes microseconds a level. Rows are valid
if the level that they show as text can be played and is encoded as these rows. :func:`check_level` tests that for one
level. The compiled :class:`~.puzzle.RowCheck` of a puzzle does so a hundred times faster; what it does not accept is
left to :func:`check_level`, which also says what is wrong.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..board.checking import check_encoding
from ..compile.compilation import borrowed, compiled, is_worth_compiling, plain
from ..kernels import kernel
from ..messages import quote
from ..puzzle import UNFINISHED, Extent, Level, LevelError, Puzzle
from ..scene import Row

Rows = npt.NDArray[np.int16]

ROWS = ".npz"
"""The suffix of a file of rows."""
MOST_LEVELS = 2**31 - 1
"""The maximum number of levels, because kernels number them with 32 bits."""
WORTH = 5000
"""For so many levels, the check is compiled if its machine code is not on disk."""


def make_row_check(puzzle: Puzzle) -> Callable[..., int]:
    """Compile the check of many levels, of a puzzle that has a :class:`~.puzzle.RowCheck`.

    Returns:
        ``first_unsure(settings, rows, own_level, own_state, first) -> int``: the index, from ``first``, of the first of
        the rows (int16[K, L + S]) that ``is_level`` does not accept; K if there is none.
    """
    is_level: Any = puzzle.row_check and puzzle.row_check.is_level

    def first_unsure(settings, rows, own_level, own_state, first):
        rows, own_level, own_state = borrowed(rows), borrowed(own_level), borrowed(own_state)
        size = own_level.shape[0]
        for k in range(first, rows.shape[0]):
            if not is_level(settings, rows[k, :size], rows[k, size:], own_level, own_state):
                return k
        return rows.shape[0]

    return compiled(first_unsure, f"{puzzle.name}-check", title=f"the check of levels of {puzzle.title}")


def first_invalid(puzzle: Puzzle, rows: Rows, extent: Extent, options: Any) -> tuple[int, str] | None:
    """Return the index of the first level whose rows are invalid, and why; None if all are valid.

    Args:
        puzzle: The puzzle.
        rows: int16[K, L + S] in memory: for each level its level row, then its start row.
        extent: The extent of the boards.
        options: The options of the environments, resolved.
    """
    size = puzzle.row_lengths(extent)[0]
    for place in unsure(puzzle, rows, extent, options):
        try:
            check_level(puzzle, rows[place, :size], rows[place, size:], extent, options)
        except ValueError as error:
            return place, str(error)
    return None


def unsure(puzzle: Puzzle, rows: Rows, extent: Extent, options: Any) -> Iterator[int]:
    """Yield the index of each level that the compiled check does not accept; all, if that is not worth compiling."""
    accept = _accept(puzzle, len(rows), extent, options)
    place = accept(rows, 0)
    while place < len(rows):
        yield place
        place = accept(rows, place + 1)


def _accept(puzzle: Puzzle, count: int, extent: Extent, options: Any) -> Callable[[Rows, int], int]:
    """Return ``accept(rows, first)``: the index, from ``first``, of the first level that the check does not accept."""
    try:
        settings = None if puzzle.row_check is None else puzzle.row_check.settings(options, extent)
    except ValueError:  # there are no such boards
        settings = None
    if settings is None:
        return lambda rows, first: first
    check = kernel(make_row_check, puzzle)
    own = [np.zeros(size, np.int16) for size in puzzle.row_lengths(extent)]
    worth = count >= WORTH or is_worth_compiling(check, settings, np.zeros((0, 1), np.int16), *own, 0)
    if not worth or plain(check) is check:  # or numba is switched off
        return lambda rows, first: first
    return lambda rows, first: check(settings, rows, *own, first)


def same_rows(puzzle: Puzzle, extent: Extent, options: Any, others: Any) -> bool:
    """Whether levels have the same rows with both options."""
    if options == others:
        return True
    if puzzle.row_check is None:
        return False
    settings = puzzle.row_check.settings
    return np.array_equal(settings(options, extent), settings(others, extent))


def check_level(puzzle: Puzzle, level: Row, state: Row, extent: Extent, options: Any) -> None:
    """Raise ValueError unless the rows of one level and its start are valid; the message says why."""
    if puzzle.check_rows(level, state, options) != tuple(extent):
        raise ValueError("the board has another size")
    if puzzle.rules.outcome(level, state) != UNFINISHED:
        raise ValueError("the episode has ended")
    (shown,) = puzzle.parse(puzzle.format(level, state), "board")
    check_encoding(level, state, puzzle.encode(shown, extent, options))


class RowLevel(Level):
    """A level given by its rows.

    Args:
        puzzle: The puzzle.
        extent: The extent of its board.
        options: The options with which the rows were made.
        rows: (level, start state).
        name: Its title.
        generated: Whether the puzzle's own rules have generated it with these options.
    """

    _puzzle: Puzzle
    _options: Any
    _rows: tuple[Row, Row]
    _generated: bool

    def __init__(
        self,
        puzzle: Puzzle,
        extent: Extent,
        options: Any,
        rows: tuple[Row, Row],
        name: str,
        generated: bool = False,
    ) -> None:
        fields = {"extent": extent, "name": name, "puzzle": puzzle.module}
        self.__dict__.update(fields, _puzzle=puzzle, _options=options, _rows=rows, _generated=generated)  # frozen

    @property
    def content(self) -> Any:
        """The content parsed from the level's text."""
        (level,) = self._puzzle.parse(f"; {self.name}\n{self._puzzle.format(*self._rows)}", self.name)
        return level.content

    def rows_for(self, puzzle: Puzzle, extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Its rows, if they would be the same on such a board."""
        if puzzle is not self._puzzle or tuple(extent) != self.extent:
            return None
        generation = puzzle.generation if self._generated else None
        if generation is None:
            same = same_rows(puzzle, self.extent, options, self._options)
        else:
            same = generation.same_encoding(self._options, options)
        return self._rows if same else None


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
        self._level_size = puzzle.row_lengths(extent)[0]
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
        shape = sum(puzzle.row_lengths(extent))
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
