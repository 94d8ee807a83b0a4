"""The cells of a feature-space search: each has a heap of nodes."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.kernels import kernel

from .board import SIDES, Board, make_aiming
from .features import ADVISORS, WEIGHT_AT, areas_in, astray_in, left_in
from .nodes import NO_NODE
from .rooms import MOST_ROOMS, ROOM_ROWS

NO_CELL = -1
REGIONS, STRAYS = 8, 16
"""Number of values that cells tell apart of the second and the third feature; higher ones are clipped."""


class Heaps(NamedTuple):
    """Skew heaps (D. Sleator and R. Tarjan, 1986); c is the capacity of the arrays."""

    key: npt.NDArray[np.int64]
    """int64[c]: the features of each node, and, once it is expanded, the weight of its path."""
    past: npt.NDArray[np.int64]
    """int64[c]: the best features on the path to a node that is expanded."""
    item: npt.NDArray[np.int64]
    """int64[m]: the key of each move in a heap; the lowest comes first."""
    ends: npt.NDArray[np.int32]
    """int32[m, 2]: the nodes before and after the move."""
    push: npt.NDArray[np.int16]
    """int16[m, 2]: the box's old and new squares."""
    below: npt.NDArray[np.int32]
    """int32[m, 2]: the two moves below it, or NO_NODE."""


HEAPS = types.NamedTuple(
    (
        int64[::1],
        int64[::1],
        int64[::1],
        types.Array(int32, 2, "C"),
        types.Array(int16, 2, "C"),
        types.Array(int32, 2, "C"),
    ),
    Heaps,
)
MOVES = 2
"""Moves for each node for which there is space."""


def make_heaps(capacity: int) -> Heaps:
    """Return arrays for this number of nodes."""
    moves = MOVES * capacity
    return Heaps(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(moves, np.int64),
        np.zeros((moves, 2), np.int32),
        np.zeros((moves, 2), np.int16),
        np.full((moves, 2), NO_NODE, np.int32),
    )


def heaps_bytes(capacity: int) -> int:
    """Return the size of :func:`make_heaps` in bytes."""
    return (8 + 8 + MOVES * (8 + 2 * 4 + 2 * 2 + 2 * 4)) * capacity


class Cells(NamedTuple):
    """The cells of a feature search, and scratch arrays for one expansion; n squares, k boxes, c cells."""

    top: npt.NDArray[np.int32]
    """int32[c]: the top of the heap of each cell, or NO_NODE."""
    after: npt.NDArray[np.int32]
    """int32[c]: the cell that has the next turn, in a ring; NO_CELL outside the ring."""
    tired: npt.NDArray[np.uint8]
    """uint8[c]: 1 once many turns of the best cell were in vain."""
    sides: npt.NDArray[np.uint8]
    """uint8[n, 4]: 1 if the moving box has been there, with the player on that side."""
    way: npt.NDArray[np.int32]
    """int32[4n, 2]: such positions, in the order they were found, and the number of steps to each."""
    made: npt.NDArray[np.int32]
    """int32[8n]: nodes generated in this expansion and not queued yet."""
    moved: npt.NDArray[np.int16]
    """int16[8n, 2]: the old and the new square of the box that was moved to get there."""
    advice: npt.NDArray[np.int64]
    """int64[2, ADVISORS]: see :mod:`.features`."""
    rooms: npt.NDArray[np.int16]
    """int16[4, n]: see :mod:`.rooms`."""
    beside: npt.NDArray[np.uint64]
    """uint64[n + 64]: see :mod:`.rooms`."""
    hotspots: npt.NDArray[np.uint8]
    """uint8[n, n]: see :mod:`.features`."""
    far: npt.NDArray[np.int32]
    """int32[n, live]: pushes from a square to another on the empty board."""
    ways: npt.NDArray[np.int16]
    """int16[2, n]: walks from the next square of the plan; pushes from the zone that boxes should leave."""
    walls: npt.NDArray[np.uint8]
    """uint8[n]: scratch"""


CELLS = types.NamedTuple(
    (
        int32[::1],
        int32[::1],
        uint8[::1],
        types.Array(uint8, 2, "C"),
        types.Array(int32, 2, "C"),
        int32[::1],
        types.Array(int16, 2, "C"),
        types.Array(int64, 2, "C"),
        types.Array(int16, 2, "C"),
        uint64[::1],
        types.Array(uint8, 2, "C"),
        types.Array(int32, 2, "C"),
        types.Array(int16, 2, "C"),
        uint8[::1],
    ),
    Cells,
)


def make_cells(board: Board, count: int) -> Cells:
    """Return empty cells for positions of a board with ``count`` boxes."""
    squares, cells = len(board.neighbours), (2 * count + 1) * REGIONS * STRAYS
    return Cells(
        np.full(cells, NO_NODE, np.int32),
        np.full(cells, NO_CELL, np.int32),
        np.zeros(cells, np.uint8),
        np.zeros((squares, SIDES), np.uint8),
        np.zeros((squares * SIDES, 2), np.int32),
        np.zeros(2 * SIDES * squares, np.int32),
        np.zeros((2 * SIDES * squares, 2), np.int16),
        np.zeros((2, ADVISORS), np.int64),
        np.zeros((ROOM_ROWS, squares), np.int16),
        np.zeros(squares + MOST_ROOMS, np.uint64),
        np.zeros((squares, squares), np.uint8),
        kernel(make_aiming)(board, np.arange(board.live, dtype=np.int16), board.pushed)[0],
        np.zeros((2, squares), np.int16),
        np.zeros(squares, np.uint8),
    )


def cells_bytes(board: Board, count: int) -> int:
    """Return the size of :func:`make_cells` in bytes."""
    squares, cells = len(board.neighbours), (2 * count + 1) * REGIONS * STRAYS
    rooms = 2 * ROOM_ROWS * squares + 8 * (squares + MOST_ROOMS)
    return (2 * 4 + 1) * cells + (1 + 2 * 4 + 2 * 4 + 2 * 4) * SIDES * squares + 2 * 8 * ADVISORS + rooms


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
def merge_heaps(heaps, one, other):
    """Return the top of a heap with the nodes of two, given their tops."""
    key, below = heaps.item, heaps.below
    if one == NO_NODE or other == NO_NODE:
        return max(one, other)
    if key[other] < key[one] or (key[other] == key[one] and other < one):
        one, other = other, one
    top = one
    while other != NO_NODE:
        right = np.int64(below[one, 1])
        below[one, 1] = below[one, 0]
        if right != NO_NODE and (key[right] < key[other] or (key[right] == key[other] and right < other)):
            right, other = other, right
        below[one, 0] = other
        one, other = other, right
    return top


@rule
def without_top(heaps, top):
    """Return the new top of a heap after its lowest node has been removed."""
    return merge_heaps(heaps, np.int64(heaps.below[top, 0]), np.int64(heaps.below[top, 1]))
