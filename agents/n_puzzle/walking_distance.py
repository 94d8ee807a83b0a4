"""Walking distance: the moves that tiles need between rows, and between columns, including the blank.

Ignore the order within rows: a board becomes a matrix, the number of tiles on row i whose goal is in row j,
and a move up or down swaps the blank with any tile of the next row. The minimum number of such moves to
the goal's matrix, plus the same for columns, is a lower bound: each real move is one of the first kind
or one of the second. The idea is Ken'ichiro Takahashi's, from his 15-puzzle solver.

A matrix is encoded as a number, ITEM_BITS bits per entry, and looked up in a hash table:

    tables as int64[2 * ADDS + 2 * SLOTS]
    rows: square * SIDE² + tile → the tile's contribution to the number;  the same for columns
    rows' hash table: matrix | distance << DISTANCE_AT, 0 where empty;    the same for columns
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, TILES, WIDTH

from ..search.heuristic import Tables
from .tile_distances import homes_of

SIDE = 4
"""Maximum side: a 5×5 board has millions of matrices."""
ITEM_BITS = 3
DISTANCE_AT = ITEM_BITS * SIDE * SIDE
MATRIX = (1 << DISTANCE_AT) - 1
ADDS = SIDE**4
SLOTS = 1 << 16
"""Slots of a hash table; a 4×4 board has 24,964 matrices."""


@rule
def _slot(matrix):
    """Return the first slot to try for a matrix: its two halves, mixed without leaving 63 bits."""
    return ((((matrix ^ (matrix >> 24)) & 0xFFFFFF) * 0x4F1BBCDCB5) >> 32) & (SLOTS - 1)


@rule
def _distance(slots, first, matrix):
    """Return the distance of a matrix from the hash table that begins at ``first``; 0 if it is missing."""
    slot = _slot(matrix)
    while slots[first + slot] != 0:
        if slots[first + slot] & MATRIX == matrix:
            return slots[first + slot] >> DISTANCE_AT
        slot = (slot + 1) & (SLOTS - 1)
    return 0


@rule
def _enter(slots, matrix, distance):
    """Insert a matrix if it is new; return whether it was."""
    slot = _slot(matrix)
    while slots[slot] != 0:
        if slots[slot] & MATRIX == matrix:
            return False
        slot = (slot + 1) & (SLOTS - 1)
    slots[slot] = matrix | (distance << DISTANCE_AT)
    return True


def _walk(slots, matrices, blanks, distances, goal, blank, lines):
    """Breadth-first from the goal's matrix: fill the hash table ``slots``; return the number of matrices."""
    matrices[0], blanks[0], distances[0] = goal, blank, 0
    _enter(slots, goal, 0)
    count, done = 1, 0
    while done < count:
        for side in range(2):
            line = blanks[done] + 2 * side - 1
            if line < 0 or line >= lines:
                continue
            for home in range(lines):
                here = (line * SIDE + home) * ITEM_BITS
                there = (blanks[done] * SIDE + home) * ITEM_BITS
                if (matrices[done] >> here) & ((1 << ITEM_BITS) - 1) == 0:
                    continue
                matrix = matrices[done] - (1 << here) + (1 << there)
                if _enter(slots, matrix, distances[done] + 1):
                    matrices[count], blanks[count], distances[count] = matrix, line, distances[done] + 1
                    count += 1
        done += 1
    return count


def _make_walk():
    return compiled(_walk, "n_puzzle-walk")


def walking_distance_tables(level: Row, progress: bool = False) -> Tables:
    """Return the tables described above.

    Raises:
        ValueError: The board is too large.
    """
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    if max(height, width) > SIDE:
        raise ValueError(
            f"walking-distance supports boards of 2x2 to {SIDE}x{SIDE} squares; this one has {width}x{height}"
        )
    homes = homes_of(level)
    squares = np.arange(height * width)
    both = (_tables(squares // width, homes // width, height), _tables(squares % width, homes % width, width))
    return np.concatenate([part for parts in zip(*both, strict=True) for part in parts]).view(np.uint8)


def _tables(lines: npt.NDArray[np.int64], homes: Row, count: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Return (each tile's contribution, hash table) from the line of each square and of each tile's goal."""
    adds = np.zeros((SIDE * SIDE, SIDE * SIDE), np.int64)
    for square, line in enumerate(lines.tolist()):
        for tile, home in enumerate(homes.tolist()[1:], start=1):
            adds[square, tile] = 1 << (ITEM_BITS * (line * SIDE + home))
    goal = sum(1 << (ITEM_BITS * (home * SIDE + home)) for tile, home in enumerate(homes.tolist()) if tile)
    slots, queue = np.zeros(SLOTS, np.int64), np.empty((3, SLOTS), np.int64)
    kernel(_make_walk)(slots, *queue, goal, int(homes[0]), count)
    return adds.reshape(-1), slots


@rule
def walking_distance(level, state, tables):
    """Return the estimate, computed from scratch."""
    numbers = borrowed(tables).view(np.int64)
    rows = columns = np.int64(0)
    for square in range(state.shape[0] - TILES):
        at = square * SIDE * SIDE + state[TILES + square]
        rows += numbers[at]
        columns += numbers[ADDS + at]
    return _distance(numbers, 2 * ADDS, rows) + _distance(numbers, 2 * ADDS + SLOTS, columns)


# memory of a state: the matrices of rows and columns, and their distances.
ROWS, COLUMNS, ROWS_DISTANCE, COLUMNS_DISTANCE, WALKING_MEMORY = range(5)


@rule
def walking_distance_change(tables, numbers, memory, at, board, tile, square, blank, action):
    """Return the change of the estimate as a tile slides from a square to the blank; see :mod:`.incremental`."""
    which = action >> 1  # 0: between rows, 1: between columns
    add = which * ADDS + tile
    new = at + WALKING_MEMORY
    matrix = memory[at + which] + numbers[add + blank * SIDE * SIDE] - numbers[add + square * SIDE * SIDE]
    distance = _distance(numbers, 2 * ADDS + which * SLOTS, matrix)
    before = memory[at + ROWS_DISTANCE + which]
    memory[new + (which ^ 1)] = memory[at + (which ^ 1)]
    memory[new + which] = matrix
    memory[new + ROWS_DISTANCE + (which ^ 1)] = memory[at + ROWS_DISTANCE + (which ^ 1)]
    memory[new + ROWS_DISTANCE + which] = distance
    return distance - before


def walking_distance_start(level, state, tables, numbers, memory) -> None:
    """Fill in the memory of the start; see :mod:`.incremental`."""
    for which in (0, 1):
        adds = numbers[which * ADDS :]
        matrix = sum(int(adds[square * SIDE * SIDE + tile]) for square, tile in enumerate(state[TILES:].tolist()))
        memory[which] = matrix
        memory[ROWS_DISTANCE + which] = _distance(numbers, 2 * ADDS + which * SLOTS, matrix)
