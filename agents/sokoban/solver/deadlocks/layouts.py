"""Frozen boxes as walls: how far other boxes then are from the goals.

They make paths longer, or close them, for boxes and for the player. That depends only on which boxes are frozen, so it
is stored by this layout.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int8, int16, int32, types, uint64

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ..board import FAR, NOWHERE, SIDES, Board, label_sides, move_from

LAYOUTS, MOST_DISTANCES = 64, 1 << 17
"""Number of layouts stored, at indices that later ones may overwrite; maximum number of distances of them all."""


class Layouts(NamedTuple):
    """Distances for layouts of frozen boxes, and scratch arrays; n squares, k goals."""

    key: npt.NDArray[np.uint64]
    """uint64[LAYOUTS]: the hash of the frozen boxes' squares, 0 if unused; empty on boards too large for this."""
    distance: npt.NDArray[np.int32]
    """int32[LAYOUTS, n, k]: see :class:`..board.Board`; that of a frozen box is 0 on its goal."""
    neighbours: npt.NDArray[np.int16]
    """int16[n, 4]: those of the board, with frozen boxes as walls."""
    side: npt.NDArray[np.int8]
    """int8[n, 4]: see :func:`..board.label_sides`."""
    steps: npt.NDArray[np.int32]
    """int32[2, 4n]: steps, and a queue."""


LAYOUTS_TYPE = types.NamedTuple(
    (
        uint64[::1],
        types.Array(int32, 3, "C"),
        types.Array(int16, 2, "C"),
        types.Array(int8, 2, "C"),
        types.Array(int32, 2, "C"),
    ),
    Layouts,
)


@routine
def number_of_layouts(squares: int, count: int) -> int:
    """Return how many layouts are stored: a power of two, or 0 on large boards."""
    layouts = LAYOUTS
    while layouts > 0 and layouts * squares * count > MOST_DISTANCES:
        layouts //= 2
    return layouts


@routine
def make_layouts(board: Board, count: int) -> Layouts:
    """Return arrays for positions with ``count`` boxes."""
    squares = board.neighbours.shape[0]
    number = number_of_layouts(squares, count)
    if number == 0:
        squares = 0
    return Layouts(
        np.zeros(number, np.uint64),
        np.empty((number, squares, count), np.int32),
        np.empty((squares, SIDES), np.int16),
        np.empty((squares, SIDES), np.int8),
        np.empty((2, squares * SIDES), np.int32),
    )


def layouts_bytes(board: Board, count: int) -> int:
    """Return the size of :func:`make_layouts` in bytes."""
    squares = len(board.neighbours)
    number = number_of_layouts(squares, count)
    return number * (8 + 4 * count * squares) + (2 + 1 + 2 * 4) * SIDES * squares


@rule
def key_of(board, boxes, frozen):
    """Return the key of the layout of the boxes that are ``frozen`` (uint8[n]), 0 if none is."""
    key = np.uint64(0)
    for box in boxes:
        if frozen[box]:
            key ^= board.code[box]
    return key


@routine
def distances_past(board, layouts, key, frozen):
    """Return the distances for a layout."""
    entry = np.int64(key & np.uint64(layouts.key.shape[0] - 1))
    if layouts.key[entry] != key:
        layouts.key[entry] = key
        measure_distances(board, layouts, frozen, layouts.distance[entry])
    return layouts.distance[entry]


@routine
def measure_distances(board, layouts, frozen, distance):
    """Fill ``distance`` (int32[n, k]) of a layout."""
    neighbours = layouts.neighbours
    for square in range(frozen.shape[0]):
        for side in range(SIDES):
            there = board.neighbours[square, side]
            neighbours[square, side] = NOWHERE if there < 0 or frozen[there] or frozen[square] else there
    label_sides(neighbours, layouts.side, layouts.steps[0], layouts.steps[1])
    distance[:] = FAR
    for goal in range(board.goals.shape[0]):
        square = board.goals[goal]
        distance[square, goal] = 0
        if not frozen[square]:
            move_from(neighbours, layouts.side, square, 0, goal, distance, layouts.steps[0], layouts.steps[1])
