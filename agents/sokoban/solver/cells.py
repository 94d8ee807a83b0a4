"""The cells of a feature-space search: each has a heap of nodes."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types

from gridpuzzles_gym.engine.compile.compilation import rule

from .features import WEIGHT_AT, areas_in, astray_in, left_in
from .nodes import NO_NODE

NO_CELL = -1
REGIONS, STRAYS = 8, 16
"""Number of values that cells tell apart of the second and the third feature; higher ones are clipped."""


class Heaps(NamedTuple):
    """Skew heaps of nodes (D. Sleator and R. Tarjan, 1986); c is the capacity of the arrays."""

    key: npt.NDArray[np.int64]
    """int64[c]: the weight of the path to each node, and its features; the lowest comes first, then the oldest."""
    best: npt.NDArray[np.int64]
    """int64[c]: the best features on the path to an expanded node; 0 for others."""
    below: npt.NDArray[np.int32]
    """int32[c, 2]: the two nodes below it, or NO_NODE."""


HEAPS = types.NamedTuple((int64[::1], int64[::1], types.Array(int32, 2, "C")), Heaps)


def make_heaps(capacity: int) -> Heaps:
    """Return arrays for this number of nodes."""
    return Heaps(np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros((capacity, 2), np.int32))


def heaps_bytes(capacity: int) -> int:
    """Return the size of :func:`make_heaps` in bytes."""
    return (8 + 8 + 2 * 4) * capacity


class Cells(NamedTuple):
    """The cells of a feature search; c cells."""

    top: npt.NDArray[np.int32]
    """int32[c]: the top of the heap of each cell, or NO_NODE."""
    after: npt.NDArray[np.int32]
    """int32[c]: the cell that has the next turn, in a ring; NO_CELL outside the ring."""


CELLS = types.NamedUniTuple(int32[::1], 2, Cells)


def make_cells(count: int) -> Cells:
    """Return empty cells for positions with ``count`` boxes."""
    cells = (2 * count + 1) * REGIONS * STRAYS
    return Cells(np.full(cells, NO_NODE, np.int32), np.full(cells, NO_CELL, np.int32))


def cells_bytes(count: int) -> int:
    """Return the size of :func:`make_cells` in bytes."""
    return (4 + 4) * (2 * count + 1) * REGIONS * STRAYS


@rule
def cell_of(features):
    """Return the cell of a position with these features."""
    row = left_in(features) * REGIONS + min(areas_in(features), REGIONS) - 1
    return row * STRAYS + min(astray_in(features), STRAYS - 1)


@rule
def features_at(heaps, node):
    """Return the features of a node."""
    return heaps.key[node] & ((1 << WEIGHT_AT) - 1)


@rule
def comes_first(heaps, one, other):
    """Whether a node comes before another."""
    return heaps.key[one] < heaps.key[other] or (heaps.key[one] == heaps.key[other] and one < other)


@rule
def merge_heaps(heaps, one, other):
    """Return the top of a heap with the nodes of two, given their tops."""
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
    """Remove the first node of a cell, and return it; NO_NODE if there is none."""
    if cells.top[cell] == NO_NODE:
        return NO_NODE
    top = np.int64(cells.top[cell])
    cells.top[cell] = merge_heaps(heaps, np.int64(heaps.below[top, 0]), np.int64(heaps.below[top, 1]))
    return top


@rule
def put_in_cell(heaps, cells, cell, node):
    """Add a node to the heap of a cell."""
    heaps.below[node, 0] = heaps.below[node, 1] = NO_NODE
    cells.top[cell] = merge_heaps(heaps, np.int64(cells.top[cell]), node)
