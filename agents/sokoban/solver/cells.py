"""The cells of a feature-space search: each has a heap of moves."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import rule

from .features import WEIGHT_AT, areas_in, astray_in, left_in
from .nodes import NO_NODE

NO_CELL = -1
REGIONS, STRAYS = 8, 16
"""Number of values that cells tell apart of the second and the fourth feature; higher ones are clipped."""
MOVES_PER_NODE = 2
"""Moves for which there is space: several may lead to the same position."""


class Heaps(NamedTuple):
    """Skew heaps of moves (D. Sleator and R. Tarjan, 1986), for c nodes and m moves."""

    features: npt.NDArray[np.int64]
    """int64[c]: the features of each node, and, once it is expanded, the weight of its path."""
    best: npt.NDArray[np.int64]
    """int64[c]: the best features on the path to an expanded node; 0 for others."""
    key: npt.NDArray[np.int64]
    """int64[m]: the weight and the features after each move; the lowest comes first, then the oldest move."""
    ends: npt.NDArray[np.int32]
    """int32[m, 2]: the nodes before and after each move."""
    push: npt.NDArray[np.int16]
    """int16[m, 2]: the box's old and new squares."""
    below: npt.NDArray[np.int32]
    """int32[m, 2]: the two moves below each one, or NO_NODE."""


_PAIRS = types.Array(int32, 2, "C")
HEAPS = types.NamedTuple((int64[::1], int64[::1], int64[::1], _PAIRS, types.Array(int16, 2, "C"), _PAIRS), Heaps)


def make_heaps(capacity: int) -> Heaps:
    """Return arrays for this number of nodes."""
    moves = MOVES_PER_NODE * capacity
    nodes, pairs = np.zeros((2, capacity), np.int64), (moves, 2)
    ends, push, below = np.zeros(pairs, np.int32), np.zeros(pairs, np.int16), np.zeros(pairs, np.int32)
    return Heaps(*nodes, np.zeros(moves, np.int64), ends, push, below)


def heaps_bytes(capacity: int) -> int:
    """Return the size of :func:`make_heaps` in bytes."""
    return (2 * 8 + MOVES_PER_NODE * (8 + 2 * 4 + 2 * 2 + 2 * 4)) * capacity


class Cells(NamedTuple):
    """The cells of a feature search; c cells."""

    top: npt.NDArray[np.int32]
    """int32[c]: the top of the heap of each cell, or NO_NODE."""
    after: npt.NDArray[np.int32]
    """int32[c]: the cell that has the next turn, in a ring; NO_CELL outside the ring."""
    tired: npt.NDArray[np.uint8]
    """uint8[c]: 1 once many turns of the best cell have led to nothing better."""


CELLS = types.NamedTuple((int32[::1], int32[::1], uint8[::1]), Cells)


def make_cells(count: int) -> Cells:
    """Return empty cells for positions with ``count`` boxes."""
    cells = (2 * count + 1) * REGIONS * STRAYS
    return Cells(np.full(cells, NO_NODE, np.int32), np.full(cells, NO_CELL, np.int32), np.zeros(cells, np.uint8))


def cells_bytes(count: int) -> int:
    """Return the size of :func:`make_cells` in bytes."""
    return (4 + 4 + 1) * (2 * count + 1) * REGIONS * STRAYS


@rule
def cell_of(features):
    """Return the cell of a position with these features."""
    row = left_in(features) * REGIONS + min(areas_in(features), REGIONS) - 1
    return row * STRAYS + min(astray_in(features), STRAYS - 1)


@rule
def features_at(heaps, node):
    """Return the features of a node."""
    return heaps.features[node] & ((1 << WEIGHT_AT) - 1)


@rule
def comes_first(heaps, one, other):
    """Whether a move comes before another."""
    return heaps.key[one] < heaps.key[other] or (heaps.key[one] == heaps.key[other] and one < other)


@rule
def merge_heaps(heaps, one, other):
    """Return the top of a heap with the moves of two, given their tops."""
    below = heaps.below
    if one == NO_NODE or other == NO_NODE:
        return max(one, other)
    if comes_first(heaps, other, one):
        one, other = other, one
    top = one
    while other != NO_NODE:
        right = np.int64(below[one, 1])
        below[one, 1] = below[one, 0]
        if right != NO_NODE and comes_first(heaps, right, other):
            right, other = other, right
        below[one, 0] = other
        one, other = other, right
    return top


@rule
def take_top(heaps, cells, cell):
    """Remove the first move of a cell, and return it."""
    top = np.int64(cells.top[cell])
    cells.top[cell] = merge_heaps(heaps, np.int64(heaps.below[top, 0]), np.int64(heaps.below[top, 1]))
    return top


@rule
def put_move(heaps, cells, cell, move, key, parent, child, source, target):
    """Add a move to the heap of a cell."""
    heaps.key[move], heaps.ends[move, 0], heaps.ends[move, 1] = key, parent, child
    heaps.push[move, 0], heaps.push[move, 1] = source, target
    heaps.below[move, 0] = heaps.below[move, 1] = NO_NODE
    cells.top[cell] = merge_heaps(heaps, np.int64(cells.top[cell]), move)
