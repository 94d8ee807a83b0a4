"""The levels that environments play, as rows in blocks of memory that kernels only read.

A row of the pool is a level row, then its start row. The rows of a list of levels are one block, which environments
with the same levels share; the rows of :class:`.StoredLevels` are used where they are.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..puzzle import Extent, Level, Puzzle
from ..scene import Row
from .encoding import check_encoded, encoded
from .row_check import unsure
from .row_file import Rows, StoredLevels


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
        self._level_size = puzzle.sizes(extent)[0]
        self.addresses = np.array([block.ctypes.data for block in self.blocks], np.int64)
        self.block = max(len(self.blocks[0]), 1)

    def rows(self, place: int) -> tuple[Row, Row]:
        """Copies of the level row and the start row of the level at a place, from 0."""
        row = self.blocks[place // self.block][place % self.block]
        return row[: self._level_size].copy(), row[self._level_size :].copy()


MOST_BYTES = 2**24
"""The maximum size of the rows of a cached pool."""
_KNOWN: deque[tuple[Puzzle, Extent, Any, Sequence[Level], Rows]] = deque(maxlen=4)


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
    level_size, state_size = puzzle.sizes(extent)
    rows = np.empty((len(levels), level_size + state_size), np.int16)
    many = None if puzzle.encode_many is None else puzzle.encode_many(levels, extent, options)
    if many is not None:
        rows[:, :level_size], rows[:, level_size:] = many
    else:
        for row, level in zip(rows, levels, strict=True):
            row[:level_size], row[level_size:] = encoded(puzzle, level, extent, options)
    for place in unsure(puzzle, rows, extent, options):
        check_encoded(puzzle, levels[place], (rows[place, :level_size], rows[place, level_size:]), extent, options)
    rows.flags.writeable = False
    if rows.nbytes <= MOST_BYTES:
        _KNOWN.append((puzzle, extent, options, tuple(levels), rows))
    return rows
