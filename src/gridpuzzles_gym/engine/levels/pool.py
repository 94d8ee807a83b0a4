"""Levels encoded as rows, and the pool that environments play: rows in blocks of memory that kernels only read.

A row of the pool is a level row, then its start row. The rows of a list of levels are one block, which environments
with the same levels share; the rows of :class:`.StoredLevels` are used where they are.
"""

import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..puzzle import Extent, Level, LevelError, Puzzle
from ..scene import Row
from .rows import Rows, StoredLevels, unsure

_ANY = (AttributeError, ArithmeticError, LookupError, TypeError, ValueError)
"""What a level raises that has any content: levels can also come from users' samplers and from pickles."""
MOST_POOL_BYTES = 2**24
"""The maximum size of the rows of a cached pool."""
_KNOWN: deque[tuple[Puzzle, Extent, Any, Sequence[Level], Rows]] = deque(maxlen=4)


class Encoder:
    """``encoder(level)`` is ``puzzle.encode`` with a check of the size and a cache, because samplers repeat levels.

    The rows of a level are forgotten when nothing else holds the level.

    Args:
        puzzle: The puzzle.
        extent: The environment's extent.
        options: The environment's options.
    """

    def __init__(self, puzzle: Puzzle, extent: Extent, options: Any) -> None:
        self.puzzle, self.extent, self.options = puzzle, extent, options
        self._known: dict[int, tuple[weakref.ref[Level], tuple[Row, Row]]] = {}

    def __call__(self, level: Level) -> tuple[Row, Row]:
        """Return the rows (level, start state), which must not be changed.

        Raises:
            LevelError: The level is too large for this environment, or cannot be played in it.
        """
        known, key = self._known, id(level)  # which is unique as long as the level exists
        if key in known:
            return known[key][1]
        rows = encoded(self.puzzle, level, self.extent, self.options)
        check_encoded(self.puzzle, level, rows, self.extent, self.options)
        known[key] = weakref.ref(level, lambda _: known.pop(key, None)), rows
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


class Pool:
    """The rows of some levels.

    Args:
        puzzle: The puzzle.
        levels: The levels; may be empty.
        extent: The extent of the boards.
        options: The options of the environments.

    Attributes:
        blocks: int16[K / M, L + S], M arrays: the rows.
        addresses: int64[M]: where each block begins in memory.
        block: The number of rows of each block; the last one may have fewer.

    Raises:
        LevelError: A level cannot be played on such boards, or with these options.
    """

    def __init__(self, puzzle: Puzzle, levels: Sequence[Level], extent: Extent, options: Any) -> None:
        stored = levels.rows_for(extent, options) if isinstance(levels, StoredLevels) else None
        self.blocks = [pool_rows(puzzle, levels, extent, options) if stored is None else stored]
        self._level_size = puzzle.row_lengths(extent)[0]
        self.addresses = np.array([block.ctypes.data for block in self.blocks], np.int64)
        self.block = max(len(self.blocks[0]), 1)

    def rows(self, place: int) -> tuple[Row, Row]:
        """Copies of the level row and the start row of the level at a place, from 0."""
        row = self.blocks[place // self.block][place % self.block]
        return row[: self._level_size].copy(), row[self._level_size :].copy()


def pool_rows(puzzle: Puzzle, levels: Sequence[Level], extent: Extent, options: Any) -> Rows:
    """Return the rows of many levels, which must not be changed; the last few pools are cached.

    A pack can have a thousand levels, and every environment of a vector of single environments encodes all of them.

    Returns:
        int16[K, L + S].

    Raises:
        LevelError: A level cannot be played on such boards, or with these options.
    """
    for its_puzzle, known_extent, known_options, known_levels, rows in _KNOWN:
        if (
            its_puzzle is puzzle
            and (known_extent, known_options) == (extent, options)
            and len(known_levels) == len(levels)
            and all(known is level for known, level in zip(known_levels, levels, strict=True))
        ):
            return rows
    level_size, state_size = puzzle.row_lengths(extent)
    rows = np.empty((len(levels), level_size + state_size), np.int16)
    for row, level in zip(rows, levels, strict=True):
        row[:level_size], row[level_size:] = encoded(puzzle, level, extent, options)
    for place in unsure(puzzle, rows, extent, options):
        check_encoded(puzzle, levels[place], (rows[place, :level_size], rows[place, level_size:]), extent, options)
    rows.flags.writeable = False
    if rows.nbytes <= MOST_POOL_BYTES:
        _KNOWN.append((puzzle, extent, options, tuple(levels), rows))
    return rows
