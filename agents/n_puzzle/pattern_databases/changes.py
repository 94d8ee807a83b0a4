"""Incremental estimates from pattern databases: one digit of one rank changes, or a few.

numbers int64[FIRST + ways * WAY]: the number of look-ups, then for each::

    DIGIT    by tile: the place value of its digit in the packed ranks
    SHIFT    by tile: the offset of its pattern's rank in the packed ranks;  MASK: its width
    BEGIN    by tile: the offset of its pattern's distances in the tables
    PASSES   by tile and other tile: the change of the packed ranks as the tile passes the other one, moving up
    STRIDE   by action: the number of squares that it moves the tile by, on the standard board
    SIGN     by action: 1 if the tile's square number increases, -1 if it decreases
    PASSED   by action and the tile's square: the squares it passes, one byte each, with 128 added
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import DOWN, LEFT, MOVES, RIGHT, TILES, UP, WIDTH

from ...search.heuristic import Tables
from ..estimates import Numbers, homes_of
from .building import Squares, passing, weights_of
from .cache import HEADER, offsets
from .heuristic import FIRST_WAY, WAY_NUMBERS, ranks_of, shifts_of, sum_of, tiles_of, ways_to_look

DIGIT, SHIFT, MASK, BEGIN, PASSES, STRIDE, SIGN, PASSED, WAY = 0, 16, 32, 48, 64, 320, 324, 328, 392
FIRST = 1

# memory of a state: the estimate, and for each look-up the ranks and the sum.
LARGER, RANKS, SUM, PATTERN_MEMORY = 0, 1, 2, 5


def pattern_numbers(sizes: Squares, level: Row, tables: Tables) -> Numbers:
    """Return the numbers described above, for patterns of these sizes."""
    partition, ways = ways_to_look(level, sizes)
    homes = homes_of(level).tolist()
    numbers = np.zeros(FIRST + len(ways) * WAY, np.int64)
    numbers[0] = len(ways)
    for way, places in enumerate(ways):
        mine = numbers[FIRST + way * WAY :][:WAY]
        for k, pattern in enumerate(partition.patterns):
            weights, tiles = weights_of(partition.squares, len(pattern)), tiles_of(pattern, places, homes)
            shift, begin = shifts_of(partition)[k], offsets(partition)[k]
            mine[DIGIT + np.array(tiles)] = weights << shift
            mine[SHIFT + np.array(tiles)] = shift
            mine[MASK + np.array(tiles)] = (1 << partition.entries[k].bit_length()) - 1
            mine[BEGIN + np.array(tiles)] = begin
            passes = passing(weights) << shift
            for i, tile in enumerate(tiles):
                mine[PASSES + 16 * tile + np.array(tiles)] = passes[i]
        _note_moves(mine, level, places)
    return numbers


def _note_moves(mine: Numbers, level: Row, places: Squares) -> None:
    """Fill in STRIDE, SIGN and PASSED."""
    width = int(level[WIDTH])
    for action, step in ((UP, -width), (DOWN, width), (LEFT, -1), (RIGHT, 1)):
        for blank in range(len(places)):
            if level[MOVES + blank] >> action & 1 == 0:
                continue
            square = blank + step  # the tile's; it goes to where the blank is
            here, there = places[square], places[blank]
            passed = [places.index(place) for place in range(min(here, there) + 1, max(here, there))]
            mine[STRIDE + action] = abs(there - here)
            mine[SIGN + action] = 1 if there > here else -1
            mine[PASSED + 16 * action + square] = sum((128 + other) << 8 * k for k, other in enumerate(passed))


def pattern_start(level: Row, state: Row, tables: Tables, numbers: Numbers, memory: Numbers) -> None:
    """Fill in the memory of the start; see :mod:`.estimates`."""
    look_up = tables[:HEADER].view(np.int64)
    memory[LARGER] = 0
    for way in range(int(numbers[0])):
        ranks = ranks_of(look_up, FIRST_WAY + way * WAY_NUMBERS, state, TILES)
        memory[RANKS + 2 * way] = ranks
        memory[SUM + 2 * way] = sum_of(look_up, tables, ranks)
        memory[LARGER] = max(memory[LARGER], memory[SUM + 2 * way])


@rule
def pattern_change(tables, numbers, memory, at, board, tile, square, blank, action):
    """Return the change of the estimate as a tile slides from a square to the blank; see :mod:`.estimates`."""
    new = at + PATTERN_MEMORY
    larger = np.int64(0)
    for way in range(numbers[0]):
        mine = FIRST + way * WAY
        step = numbers[mine + STRIDE + action] * numbers[mine + DIGIT + tile]
        passed = numbers[mine + PASSED + (action << 4) + square]
        while passed != 0:
            step += numbers[mine + PASSES + (tile << 4) + np.int64(board[passed & 127])]
            passed >>= 8
        before = memory[at + RANKS + 2 * way]
        after = before + numbers[mine + SIGN + action] * step
        shift, mask, begin = numbers[mine + SHIFT + tile], numbers[mine + MASK + tile], numbers[mine + BEGIN + tile]
        total = memory[at + SUM + 2 * way]
        total += np.int64(tables[begin + ((after >> shift) & mask)])
        total -= np.int64(tables[begin + ((before >> shift) & mask)])
        memory[new + RANKS + 2 * way] = after
        memory[new + SUM + 2 * way] = total
        larger = max(larger, total)
    memory[new + LARGER] = larger
    return larger - memory[at + LARGER]
