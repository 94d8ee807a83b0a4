"""The tables of a catalogue of pattern databases: numbers that say how to use them, then the databases.

The tables begin with int32[…] numbers; the first of them, the header, are counts and where the others begin:

SETS      numbers of sets of squares: :mod:`.placements`
HOMES     [N, 1 << HOMES_BITS] the Manhattan distance of a tile on a square
TILES     [W, N, TILE] for each way, a symmetry under which the board is seen, and each tile: its half, 0 or 1; where
          its list begins; its length. A list has for each cut of the half the look-up of the pattern that has the
          tile, and that of the other pattern
LOOKUPS   [L, LOOKUP] where the moves of orders begin, the number of tiles, the number of orders, the page where the
          database begins, where the places begin, and where the tiles begin
places    [N] the square of the database's board for each square
tiles     [k] the tiles of the pattern, in the order of the database
"""

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.puzzle import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, WIDTH

from ..parallel import TaskExecutor
from ..search.heuristic import Tables
from .catalogue import Catalogue, Shape, make_catalogue
from .catalogue_cache import build_databases, fill_tables
from .partitions import Squares, standard
from .placements import MOST_SQUARES, MOST_TILES, order_moves, set_numbers
from .tile_distances import TILE_BITS, homes_of, manhattan_tables

SQUARES, WAYS, COUNT, END, SETS, HOMES, TILES, LOOKUPS, HEADER = range(9)
HALF_OF, LIST, LENGTH, TILE = range(4)
ORDERS_AT, SIZE, ORDERS, PAGE, PLACES_AT, TILES_AT, LOOKUP = range(7)
HOMES_BITS = 5

SMALLEST = 6
"""The fewest squares of a board: each half then has two tiles."""
_MOST_WAYS = 2


def catalogue_tables(level: Row, progress: bool = False) -> Tables:
    """The tables described above, with databases that are built or read from the cache.

    Args:
        level: The board.
        progress: Show a bar while databases are built.

    Raises:
        ValueError: The board is too small or too large.
    """
    _check_board(level)
    key = (int(level[HEIGHT]), int(level[WIDTH]), homes_of(level).tobytes())
    if key not in _KEPT:
        _KEPT.clear()
        board, ways = standard(level)
        catalogue = make_catalogue(*board)

        def numbers(pages: dict[Shape, int]) -> Tables:
            return _Numbers(level, catalogue, ways[:_MOST_WAYS], pages).all().view(np.uint8)

        _KEPT[key] = fill_tables(catalogue.shapes(), numbers, progress)
    return _KEPT[key]


def build_catalogue(level: Row, executor: TaskExecutor, progress: bool = False) -> None:
    """Build the databases for :func:`catalogue_tables`, which are kept on disk, one a task.

    Args:
        level: The board.
        executor: Where they are built; it does not change them.
        progress: Show a bar.

    Raises:
        ValueError: The board is too small or too large.
    """
    _check_board(level)
    build_databases(make_catalogue(*standard(level)[0]).shapes(), executor, progress)


def _check_board(level: Row) -> None:
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    if not SMALLEST <= height * width <= MOST_SQUARES:
        raise ValueError(
            f"pdb-catalogue supports boards of {SMALLEST} to {MOST_SQUARES} squares; this one has {width}x{height}"
        )


_KEPT: dict[Any, Tables] = {}
"""The tables in use: the next search with the same goal does not have to read them again."""


class _Numbers:
    """Collects the numbers described above.

    Args:
        level: The board.
        catalogue: Of its standard form.
        ways: The symmetries that lead there.
        pages: The page where each database begins.
    """

    def __init__(self, level: Row, catalogue: Catalogue, ways: list[Squares], pages: dict[Shape, int]) -> None:
        self.homes, self.catalogue, self.pages = homes_of(level).tolist(), catalogue, pages
        self.header = np.zeros(HEADER, np.int32)
        self.parts: list[npt.NDArray[np.int32]] = [self.header]
        self.end = HEADER
        self.orders: dict[int, int] = {}
        self.lookups: list[tuple[int, ...]] = []
        squares = len(self.homes)
        self.header[[SQUARES, WAYS]] = squares, len(ways)
        self.header[SETS] = self._add(set_numbers(squares, MOST_TILES))
        manhattan = manhattan_tables(level).reshape(squares, 1 << TILE_BITS)
        self.header[HOMES] = self._add(manhattan[:, : 1 << HOMES_BITS])
        self.header[TILES] = self._add([self._way(way) for way in ways])
        self.header[LOOKUPS], self.header[COUNT] = self._add(self.lookups), len(self.lookups)

    def all(self) -> npt.NDArray[np.int32]:
        """All numbers."""
        self.header[END] = self.end
        return np.concatenate(self.parts)

    def _add(self, numbers: npt.ArrayLike) -> int:
        """Append numbers; return where they begin."""
        part = np.asarray(numbers, np.int32).reshape(-1)
        self.parts.append(part)
        self.end += len(part)
        return self.end - len(part)

    def _way(self, way: Squares) -> npt.NDArray[np.int32]:
        """The part of TILES for one symmetry."""
        mine = np.zeros((len(self.homes), TILE), np.int32)
        for number, half in enumerate(self.catalogue.halves):
            lookups = [[self._lookup(pattern, way) for pattern in cut] for cut in half]
            for home in itertools.chain(*half[0]):
                pairs = [
                    (first, other) if home in cut[0] else (other, first)
                    for cut, (first, other) in zip(half, lookups, strict=True)
                ]
                mine[self.homes.index(way.index(home))] = number, self._add(pairs), len(pairs)
        return mine

    def _lookup(self, pattern: Squares, way: Squares) -> int:
        """Append a look-up of a pattern; return its number."""
        found = self.catalogue.lookup(pattern)
        places = [found.places[place] for place in way]
        tiles = [self.homes.index(places.index(home)) for home in found.shape.pattern]
        size = len(tiles)
        if size not in self.orders:
            self.orders[size] = self._add(order_moves(size))
        page = self.pages[found.shape]
        row = self.orders[size], size, math.factorial(size), page, self._add(places), self._add(tiles)
        self.lookups.append(row)
        return len(self.lookups) - 1
