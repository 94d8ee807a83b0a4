"""Estimates from pattern databases: the sum over disjoint patterns, the maximum over up to two look-ups.

The ranks of all patterns are packed into one 64-bit number, so a move changes one number; the
digits of a rank and the symmetries are explained in :mod:`.building`.

For each pattern only the blank's region nearest to the goal is looked up, not the blank's own.
So an estimate can change by 3 or even 5 in one move (in 1 to 3 of 100 moves of a random walk), and the
heuristic is not consistent, unless the pattern is all tiles: then it is the exact distance.

Measured on the first 20 of Korf's instances: with the second look-up IDA* generates half of the nodes for
patterns of 5-5-5 tiles and a quarter for 6-6-3, at two thirds of the speed.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np

from gridpuzzles_gym.engine.compile.bits import popcount
from gridpuzzles_gym.engine.compile.compilation import borrowed, rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, TILES, WIDTH

from ...parallel import TaskExecutor
from ...search.heuristic import DEAD_END, Tables
from ..estimates import homes_of
from .building import UNKNOWN, Partition, Squares, make_partition, standard, weights_of
from .cache import HEADER, load_or_build, offsets

# The first HEADER bytes of the tables, as int64: of each pattern, the bits of its rank in the packed ranks, and the
# offset of its distances; and for each look-up:
# SEEN: the board's square for each standard one; DIGIT: by tile, what 1 in its digit adds to the number;
# EARLIER: by tile, the earlier tiles of its pattern, as bits.
WAYS, PATTERNS, SHIFT, MASK, BEGIN = 0, 1, 8, 16, 24
SEEN, DIGIT, EARLIER, WAY_NUMBERS = 0, 16, 32, 48
FIRST_WAY = 32

MOST_SQUARES_ALL = 10
"""Maximum number of squares of a board for which the distances of all boards are stored."""


def make_tables(sizes: Squares, level: Row, progress: bool = False) -> Tables:
    """Return the databases of patterns with these sizes, after a header for this goal.

    Args:
        sizes: Tiles of each pattern; empty: one pattern of all tiles.
        level: The board.
        progress: Show a bar while they are built.

    Raises:
        ValueError: The board is of another size.
    """
    check_size(sizes, level)
    homes = homes_of(level)
    key = (int(level[HEIGHT]), int(level[WIDTH]), sizes, homes.tobytes())
    if key not in _LOADED:
        while len(_LOADED) >= _MAX_LOADED:
            _LOADED.pop(next(iter(_LOADED)), None)
        _LOADED[key] = _make_tables(level, sizes, progress)
    return _LOADED[key]


def build_tables(sizes: Squares, level: Row, executor: TaskExecutor, progress: bool = False) -> None:
    """Build the databases for :func:`make_tables`, which are stored on disk, one pattern per task.

    Args:
        sizes: Tiles of each pattern; empty: one pattern of all tiles.
        level: The board.
        executor: Runs the tasks; it does not affect the databases.
        progress: Show a bar.

    Raises:
        ValueError: The board is of another size.
    """
    check_size(sizes, level)
    load_or_build(ways_to_look(level, sizes)[0], progress, executor)


def check_size(sizes: Squares, level: Row) -> None:
    """Check that a board has databases of patterns with these sizes.

    Raises:
        ValueError: The board is of another size.
    """
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    name = "pdb" + "".join(f"-{size}" for size in sizes)
    if sizes and (height, width) != (4, 4):
        raise ValueError(f"{name} supports boards of 4x4 squares; this one has {width}x{height}")
    if height * width > MOST_SQUARES_ALL and not sizes:
        raise ValueError(
            f"{name} supports boards of up to {MOST_SQUARES_ALL} squares; this one has {width}x{height}; "
            "pdb-5-5-5, pdb-6-6-3 and pdb-7-8 support 4x4"
        )


_LOADED: dict[Any, Tables] = {}
"""Tables in use: the next search with the same goal does not have to check the file again."""
_MAX_LOADED = 4


def ways_to_look(level: Row, sizes: Squares) -> tuple[Partition, list[Squares]]:
    """Return the patterns on the standard board, and up to two symmetries that map to it."""
    board, symmetries = standard(level)
    squares = board[0] * board[1]
    # The exact distance gains nothing from a second look-up.
    return make_partition(*board, sizes or (squares - 1,)), symmetries[: 2 if sizes else 1]


def tiles_of(pattern: Squares, places: Squares, homes: list[int]) -> list[int]:
    """Return the tiles of a pattern, in its order, under one symmetry."""
    return [homes.index(places.index(home)) for home in pattern]


def shifts_of(partition: Partition) -> list[int]:
    """Return the bit offset of each pattern's rank in the packed ranks."""
    ends: list[int] = np.cumsum([0, *(entries.bit_length() for entries in partition.entries)]).tolist()
    return ends[:-1]


def _make_tables(level: Row, sizes: Squares, progress: bool) -> Tables:
    partition, ways = ways_to_look(level, sizes)
    homes = homes_of(level).tolist()
    tables = load_or_build(partition, progress)
    tables[:HEADER] = 0
    numbers = tables[:HEADER].view(np.int64)
    numbers[[WAYS, PATTERNS]] = len(ways), len(partition.patterns)
    shifts = shifts_of(partition)
    for k, entries in enumerate(partition.entries):
        numbers[[SHIFT + k, MASK + k]] = shifts[k], (1 << entries.bit_length()) - 1
        numbers[BEGIN + k] = offsets(partition)[k]
    for way, places in enumerate(ways):
        first = FIRST_WAY + way * WAY_NUMBERS
        for square, place in enumerate(places):
            numbers[first + SEEN + place] = square
        for k, pattern in enumerate(partition.patterns):
            weights = weights_of(partition.squares, len(pattern))
            tiles = tiles_of(pattern, places, homes)
            for i, tile in enumerate(tiles):
                numbers[first + DIGIT + tile] = int(weights[i]) << shifts[k]
                numbers[first + EARLIER + tile] = sum(1 << earlier for earlier in tiles[:i])
    return tables


@rule
def ranks_of(numbers, first, tiles, begin):
    """Return the packed ranks of all patterns, for one look-up."""
    ranks = np.int64(0)
    seen = np.int64(0)
    for place in range(tiles.shape[0] - begin):
        tile = tiles[begin + numbers[first + SEEN + place]]
        earlier = popcount(seen & numbers[first + EARLIER + tile])
        ranks += (place - earlier) * numbers[first + DIGIT + tile]
        seen |= np.int64(1) << tile
    return ranks


@rule
def sum_of(numbers, tables, ranks):
    """Return the sum of all patterns' distances, or DEAD_END."""
    total = np.int64(0)
    for k in range(numbers[PATTERNS]):
        distance = np.int64(tables[numbers[BEGIN + k] + ((ranks >> numbers[SHIFT + k]) & numbers[MASK + k])])
        if distance == UNKNOWN:
            return DEAD_END
        total += distance
    return total


@rule
def pattern_databases(level, state, tables):
    """Return the estimate, computed from scratch."""
    tables = borrowed(tables)
    numbers = tables[:HEADER].view(np.int64)
    most = 0
    for way in range(numbers[WAYS]):
        ranks = ranks_of(numbers, FIRST_WAY + way * WAY_NUMBERS, state, TILES)
        most = max(most, sum_of(numbers, tables, ranks))
    return most
