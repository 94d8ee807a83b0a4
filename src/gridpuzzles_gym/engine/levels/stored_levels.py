"""Levels that are known by their rows: those of level folders and of bundled packs."""

import abc
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..puzzle import Extent, Level, Puzzle
from .row_check import first_invalid, in_slices, same_rows
from .row_level import RowLevel

Rows = npt.NDArray[np.int16]


class StoredLevels(Sequence[Level]):
    """Levels with valid rows; a :class:`Level` is made when it is accessed.

    Args:
        puzzle: The puzzle.
        extent: The extent of the boards.
        made_with: The options with which the rows were made.
        rows: Arrays int16[K, L + S], which need not be in memory: for each level its level row, then its start row. All
            but the last have the same length.
    """

    def __init__(self, puzzle: Puzzle, extent: Extent, made_with: Any, rows: list[Rows]) -> None:
        self.puzzle, self.extent = puzzle, extent
        self._made_with, self._blocks = made_with, rows
        self._level_size = puzzle.sizes(extent)[0]

    @abc.abstractmethod
    def name(self, place: int) -> str:
        """Return the title of a level."""

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._level(place) for place in range(*index.indices(len(self)))]
        place = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= place < len(self):
            raise IndexError(f"there is no level {index}; there are {len(self):,}")
        return self._level(place)

    def _level(self, place: int) -> Level:
        row = np.array(self._row(place))
        rows = row[: self._level_size], row[self._level_size :]
        return RowLevel(self.puzzle, self.extent, self._made_with, rows, self.name(place))

    def _row(self, place: int) -> Rows:
        size = len(self._blocks[0])
        row: Rows = self._blocks[place // size][place % size]
        return row

    def blocks(self, extent: Extent, options: Any) -> list[Rows] | None:
        """Return the rows, or copies of them in memory if options change :attr:`.Puzzle.option_places`.

        Returns None if there are none for this extent and these options; then the levels must be encoded.
        """
        if tuple(extent) != self.extent:
            return None
        if same_rows(self.puzzle, self.extent, options, self._made_with):
            return self._blocks
        if self.puzzle.option_places:
            places, blocks = list(self.puzzle.option_places), [np.array(block) for block in self._blocks]
            values = np.concatenate(self.puzzle.encode(self._level(0), extent, options))[places]
            for block in blocks:
                block[:, places] = values
            return blocks
        slices = itertools.chain.from_iterable(map(in_slices, self._blocks))
        return self._blocks if first_invalid(self.puzzle, slices, len(self), extent, options) is None else None
