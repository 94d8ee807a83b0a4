"""Estimates between two boards from a catalogue of pattern databases.

Two boards, *sides* 0 and 1, are a permutation of squares, whatever their tiles are called:

    squares uint8[2 * N]   for each side, by square of the other side: the square of the same tile

The blank is among the tiles. The tiles of a side have their squares on the other side as homes. The estimate of a side
is the Manhattan distance, which is the same for both, plus twice the sum of its databases' entries. The larger of the
two estimates counts: moves can be made on either side.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.bits import popcount
from gridpuzzles_gym.engine.compile.compilation import borrowed, rule
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, TILES, home

from .cache import PAGE_BITS
from .databases import MOST_TILES
from .tables import DISTANCES, HOMES, LOOKUP, LOOKUPS, PAGE, PATTERNS, PLACES_AT, WEIGHTS_AT

POSITIVE = (1 << 24) - 1


@rule
def entry_of(numbers, squares, own, row):
    """Return the index of the entry, in half bytes, of a pattern of a side.

    Args:
        numbers: The numbers of the tables.
        squares: The permutation.
        own: The index in ``squares`` where the side begins.
        row: The index of the pattern in LOOKUPS.
    """
    own, row = own & POSITIVE, row & POSITIVE  # shows the compiler that no index is negative
    places, weights, used = np.int64(numbers[row + PLACES_AT]), np.int64(numbers[row + WEIGHTS_AT]), np.int64(0)
    entry = np.int64(numbers[row + PAGE]) << (PAGE_BITS + 1)
    for k in range(MOST_TILES):
        place = np.int64(numbers[places + np.int64(squares[own + np.int64(numbers[row + HOMES + k])])])
        bit = np.int64(1) << place
        entry += np.int64(numbers[weights + k]) * (place - popcount(used & (bit - 1)))
        used |= bit
    return entry


@rule
def look_up(tables, entry):
    """Return an entry: (distance − Manhattan distance) / 2."""
    return (np.int64(tables[entry >> 1]) >> ((entry & 1) << 2)) & 15


@rule
def sides_distance(numbers, squares, blank):
    """Return the Manhattan distance between the sides, given the blank's square on the second side."""
    count, total = squares.shape[0] >> 1, np.int64(0)
    for square in range(count):
        if square != blank:
            row = np.int64(numbers[DISTANCES]) + square * count
            total += np.int64(numbers[row + np.int64(squares[square])])
    return total


@rule
def catalogue_estimate(level, state, tables):
    """Return the larger of the estimates from the state to the goal and back."""
    tables = borrowed(tables)
    numbers = tables[: (tables.shape[0] >> 2) << 2].view(np.uint32)
    count = state.shape[0] - TILES
    squares = np.zeros(2 * count, np.uint8)
    for square in range(count):
        goal = np.int64(home(level, state[TILES + square]))
        squares[goal], squares[count + square] = square, goal
    patterns, most = np.int64(numbers[PATTERNS]), np.int64(0)
    for side in range(2):
        facing = np.int64(state[BLANK]) if side == 1 else np.int64(home(level, 0))
        extra = np.int64(0)
        for pattern in range(patterns):
            row = np.int64(numbers[LOOKUPS]) + (facing * patterns + pattern) * LOOKUP
            extra += look_up(tables, entry_of(numbers, squares, side * count, row))
        most = max(most, extra)
    return sides_distance(numbers, squares, np.int64(home(level, 0))) + 2 * most
