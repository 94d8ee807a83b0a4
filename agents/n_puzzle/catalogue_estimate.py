"""Estimates from a catalogue of pattern databases: the Manhattan distance, and what patterns know beyond it.

A look-up's *word* is the mask of the squares of its tiles, the number of their order, and half of their extra moves.
Moving a tile changes the words of the patterns that have it, and with them the largest sum of one half, for each way.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.bits import lowest, popcount
from gridpuzzles_gym.engine.compilation import borrowed, rule
from gridpuzzles_gym.puzzles.n_puzzle.rules import TILES as BOARD_AT

from .catalogue_cache import PAGE_BITS
from .catalogue_tables import (
    COUNT,
    HALF_OF,
    HOMES,
    HOMES_BITS,
    LENGTH,
    LIST,
    LOOKUP,
    LOOKUPS,
    ORDERS,
    ORDERS_AT,
    PAGE,
    PLACES_AT,
    SETS,
    SIZE,
    SQUARES,
    TILE,
    TILES,
    TILES_AT,
    WAYS,
)
from .placements import HALF, LOW

# A word: the mask, the order from bit ORDER_AT on, the extra moves from bit EXTRA_AT on.
MASK, ORDER_AT, ORDER_MASK, EXTRA_AT = (1 << 25) - 1, 25, (1 << 13) - 1, 40


@rule
def word_of(tables, numbers, sets, at, mask, order):
    """The word of a placement, with its extra moves looked up; ``at``: the row of its look-up."""
    low = mask & LOW
    rank = np.int64(numbers[sets + low]) + np.int64(numbers[sets + ((1 + popcount(low)) << HALF) + (mask >> HALF)])
    rank = rank * numbers[at + ORDERS] + order
    packed = np.int64(tables[(np.int64(numbers[at + PAGE]) << PAGE_BITS) + (rank >> 1)])
    return mask | (order << ORDER_AT) | (((packed >> (4 * (rank & 1))) & 15) << EXTRA_AT)


@rule
def moved(tables, numbers, sets, at, word, square, blank):
    """The word of a look-up after a tile of its pattern has moved from a square to the blank's."""
    places = np.int64(numbers[at + PLACES_AT])
    here, there = np.int64(1) << numbers[places + square], np.int64(1) << numbers[places + blank]
    mask = word & MASK
    after = mask ^ (here | there)
    moves = popcount(mask & (here - 1)) * numbers[at + SIZE] + popcount(after & (there - 1))
    order = np.int64(
        numbers[numbers[at + ORDERS_AT] + moves * numbers[at + ORDERS] + ((word >> ORDER_AT) & ORDER_MASK)]
    )
    return word_of(tables, numbers, sets, at, after, order)


@rule
def first_word(tables, numbers, lookup, where):
    """The word of a look-up, computed from the square of each tile."""
    at = numbers[LOOKUPS] + lookup * LOOKUP
    places, pattern = numbers[at + PLACES_AT], numbers[at + TILES_AT]
    size, mask, order = np.int64(numbers[at + SIZE]), np.int64(0), np.int64(0)
    for i in range(size):
        mask |= np.int64(1) << numbers[places + where[numbers[pattern + i]]]
    rest = mask
    left = size
    unseen = (1 << size) - 1
    while rest:
        square = lowest(rest)
        rest &= rest - 1
        for i in range(size):
            if numbers[places + where[numbers[pattern + i]]] == square:
                order = order * left + popcount(unseen & ((1 << i) - 1))
                unseen ^= 1 << i
        left -= 1
    return word_of(tables, numbers, np.int64(numbers[SETS]), at, mask, order)


@rule
def half_sum(numbers, words, way, tile):
    """The largest sum of extra moves of the half with a tile."""
    at = numbers[TILES] + (way * numbers[SQUARES] + tile) * TILE
    first, most = numbers[at + LIST], np.int64(0)
    for k in range(numbers[at + LENGTH]):
        here, other = numbers[first + 2 * k], numbers[first + 2 * k + 1]
        most = max(most, (words[here] >> EXTRA_AT) + (words[other] >> EXTRA_AT))
    return most


@rule
def start_words(tables, numbers, where, words, halves):
    """Fill in the word of each look-up and the sum of each half [G, 2], from the square of each tile."""
    for lookup in range(numbers[COUNT]):
        words[lookup] = first_word(tables, numbers, lookup, where)
    for way in range(numbers[WAYS]):
        for tile in range(1, numbers[SQUARES]):
            half = numbers[numbers[TILES] + (way * numbers[SQUARES] + tile) * TILE + HALF_OF]
            halves[2 * way + half] = half_sum(numbers, words, way, tile)


@rule
def catalogue_estimate(level, state, tables):
    """The estimate, computed from scratch."""
    tables = borrowed(tables)
    numbers = tables[: (tables.shape[0] >> 2) << 2].view(np.int32)
    squares = state.shape[0] - BOARD_AT
    where = np.zeros(squares, np.int64)
    distance = np.int64(0)
    for square in range(squares):
        tile = state[BOARD_AT + square]
        where[tile] = square
        distance += numbers[numbers[HOMES] + (tile << HOMES_BITS) + square]
    words, halves = np.zeros(numbers[COUNT], np.int64), np.zeros(2 * numbers[WAYS], np.int64)
    start_words(tables, numbers, where, words, halves)
    most = np.int64(0)
    for way in range(numbers[WAYS]):
        most = max(most, halves[2 * way] + halves[2 * way + 1])
    return distance + 2 * most
