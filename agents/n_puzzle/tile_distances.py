"""Misplaced tiles and Manhattan distance: sums of each tile's contribution.

    tables uint8[TILE_BYTES * N]: tables[(tile << TILE_BITS) | square], a tile's contribution on a square

The blank (tile 0) contributes nothing, so its first TILE_BYTES numbers are 0.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, HOMES_AT, MISPLACED, TILES, WIDTH

from ..search.heuristic import Tables

TILE_BITS = 7
TILE_BYTES = 1 << TILE_BITS
"""The stride of a tile in the tables: a power of two above the 100 squares of the largest board."""


def homes_of(level: Row) -> Row:
    """Return int16[N]: the goal square of each tile, starting with the blank."""
    homes: Row = level[level[HOMES_AT] :][: int(level[HEIGHT]) * int(level[WIDTH])]
    return homes


def manhattan_tables(level: Row, progress: bool = False) -> Tables:
    """Return the rows plus columns between each tile's home and each square, as described above."""
    squares, width = int(level[HEIGHT]) * int(level[WIDTH]), int(level[WIDTH])
    rows, columns = np.divmod(np.arange(squares), width)
    tables = np.zeros((squares, TILE_BYTES), np.uint8)
    for tile, square in enumerate(homes_of(level).tolist()[1:], start=1):
        tables[tile, :squares] = abs(rows - rows[square]) + abs(columns - columns[square])
    return tables.reshape(-1)


def misplaced_tables(level: Row, progress: bool = False) -> Tables:
    """Return 1 for each tile on each square that is not its home, as described above."""
    return np.minimum(manhattan_tables(level), np.uint8(1))


@rule
def misplaced(level, state, tables):
    """Return the number of misplaced tiles, which the state row stores."""
    return state[MISPLACED]


@rule
def tile_sum(level, state, tables):
    """Return the sum of the table entries of all tiles."""
    total = 0
    for square in range(state.shape[0] - TILES):
        total += tables[(np.int64(state[TILES + square]) << TILE_BITS) | square]
    return total


@rule
def tile_sum_change(tables, numbers, memory, at, board, tile, square, blank, action):
    """Return the change of the sum as a tile slides from a square to the blank; see :mod:`.incremental`."""
    return np.int64(tables[(tile << TILE_BITS) | blank]) - np.int64(tables[(tile << TILE_BITS) | square])
