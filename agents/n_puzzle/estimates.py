"""Estimates for sliding tiles, and how IDA* updates them with each move.

**Misplaced tiles and Manhattan distance** are sums of each tile's contribution:

    tables uint8[TILE_BYTES * N]: tables[(tile << TILE_BITS) | square], a tile's contribution on a square

The blank (tile 0) contributes nothing, so its first TILE_BYTES numbers are 0.

**Linear conflict**: Manhattan distance, and 2 more for each tile that must leave its line to let another pass.

In each row, look at the tiles whose home is in that row too. Those that never leave the row stay in
the same order, so all but a longest increasing run of them (by home) have to leave it and come back: two
moves each that Manhattan distance does not count. The same holds for columns. A tile that leaves its row moves up or
down, one that leaves its column left or right, so no move is counted twice.

O. Hansson, A. Mayer and M. Yung, "Criticizing solutions to relaxed models yields powerful admissible
heuristics", Information Sciences 63, 1992.

    tables: those of Manhattan distance; then the home row and home column of each tile,
            and the row and column of each square: TILE_BYTES numbers each
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, HOMES_AT, MISPLACED, TILES, WIDTH

from ..search.heuristic import Heuristic, Tables

Numbers = npt.NDArray[np.int64]


def _level_numbers(level: Row, tables: Tables) -> Numbers:
    return level.astype(np.int64)


def _no_memory(level: Row, state: Row, tables: Tables, numbers: Numbers, memory: Numbers) -> None:
    return None


@dataclasses.dataclass(frozen=True)
class Incremental:
    """A heuristic that computes the change of its estimate with each move."""

    heuristic: Heuristic
    """The same estimate, computed from scratch."""
    change: Callable[..., Any]
    """``change(tables, numbers, memory, at, board, tile, square, blank, action) -> int``, a rule.

    The increase of the estimate as the blank, by ``action``, changes places with ``tile`` on ``square``;
    ``board`` (uint8[N], the tile on each square) is the one before the move, except that the blank's square is
    undefined. The memory of the state before is at ``memory[at]``, of the state after at ``memory[at + remembers]``."""
    remembers: int = 0
    """Number of integers that it stores per state."""
    numbers: Callable[[Row, Tables], Numbers] = _level_numbers
    """``numbers(level, tables) -> int64[…]``: further lookup tables."""
    start: Callable[..., None] = _no_memory
    """``start(level, state, tables, numbers, memory)``: fill in ``memory[:remembers]`` for a state."""


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
    """Return the change of the sum as a tile slides from a square to the blank; see :mod:`.estimates`."""
    return np.int64(tables[(tile << TILE_BITS) | blank]) - np.int64(tables[(tile << TILE_BITS) | square])


HOME_ROW, HOME_COLUMN, ROW, COLUMN = (k * TILE_BYTES for k in range(4))
NO_LINE = 63
"""The home row and column of the blank, which is never in conflict; must be a valid shift."""


def linear_conflict_tables(level: Row, progress: bool = False) -> Tables:
    """Return the tables described above."""
    homes, width = homes_of(level), int(level[WIDTH])
    lines = np.zeros((4, TILE_BYTES), np.uint8)
    lines[0, : len(homes)], lines[1, : len(homes)] = np.divmod(homes, width)
    lines[2, : len(homes)], lines[3, : len(homes)] = np.divmod(np.arange(len(homes)), width)
    lines[:2, 0] = NO_LINE
    return np.concatenate([manhattan_tables(level), lines.reshape(-1)])


@rule
def _pass(tops, bit):
    """Add a tile to the piles of patience sorting: (the tops of the piles, 1 if no new pile was needed).

    The number of piles is the length of the longest increasing run. Piles are represented by their tops, a tile
    by its home, as a bit; 0 is no tile. There is no branch, since it could not be predicted.
    """
    higher = tops & -bit
    return (tops ^ (higher & -higher)) | bit, (higher != 0) * 1


@rule
def linear_conflict(level, state, tables):
    """Return the estimate, computed from scratch."""
    height, width = np.int64(level[HEIGHT]), np.int64(level[WIDTH])
    lines = (height * width) << TILE_BITS
    total, leaving = 0, 0
    for row in range(height):
        tops = 0
        for column in range(width):
            square = row * width + column
            tile = np.int64(state[TILES + square])
            total += tables[(tile << TILE_BITS) | square]
            stays = (tables[lines + HOME_ROW + tile] == row) * 1
            tops, leaves = _pass(tops, stays << np.int64(tables[lines + HOME_COLUMN + tile]))
            leaving += leaves
    for column in range(width):
        tops = 0
        for row in range(height):
            tile = np.int64(state[TILES + row * width + column])
            stays = (tables[lines + HOME_COLUMN + tile] == column) * 1
            tops, leaves = _pass(tops, stays << np.int64(tables[lines + HOME_ROW + tile]))
            leaving += leaves
    return total + 2 * leaving


@rule
def _leaving(tables, board, first, stride, length, line, of, along, square, tile):
    """Return the number of tiles that must leave a line, with ``tile`` on one of its squares."""
    tops, leaving = 0, 0
    for k in range(length):
        here = first + k * stride
        other = tile if here == square else np.int64(board[here])
        stays = (tables[of + other] == line) * 1
        tops, leaves = _pass(tops, stays << np.int64(tables[along + other]))
        leaving += leaves
    return leaving


@rule
def linear_conflict_change(tables, numbers, memory, at, board, tile, square, blank, action):
    """Return the change of the estimate as a tile slides from a square to the blank; see :mod:`.estimates`.

    Only the line that the tile leaves and the one that it enters can change, and these only if
    the tile's home is in them: sliding along a line changes no order.
    """
    height, width = numbers[HEIGHT], numbers[WIDTH]
    lines = (height * width) << TILE_BITS
    change = np.int64(tables[(tile << TILE_BITS) | blank]) - np.int64(tables[(tile << TILE_BITS) | square])
    if action < 2:
        of, along, at_line = lines + HOME_ROW, lines + HOME_COLUMN, lines + ROW
        stride, across, length = 1, width, width
    else:
        of, along, at_line = lines + HOME_COLUMN, lines + HOME_ROW, lines + COLUMN
        stride, across, length = width, 1, height
    line = np.int64(tables[of + tile])
    if tables[at_line + square] == line:
        first = line * across
        change += 2 * _leaving(tables, board, first, stride, length, line, of, along, square, 0)
        change -= 2 * _leaving(tables, board, first, stride, length, line, of, along, square, tile)
    elif tables[at_line + blank] == line:
        first = line * across
        change += 2 * _leaving(tables, board, first, stride, length, line, of, along, blank, tile)
        change -= 2 * _leaving(tables, board, first, stride, length, line, of, along, blank, 0)
    return change
