"""The eight orientations of a board: rotated and mirrored."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""(row, column) of the actions up, down, left, right."""


def orientations(cells: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Return the eight orientations of an array [H, W]; views of it."""
    return (reorient(cells, way) for way in range(8))


def first_orientation(cells: npt.NDArray[Any]) -> bytes:
    """Height and width, then the cells, of the lexicographically first orientation: equal for all eight.

    Args:
        cells: uint8[H, W].
    """
    return min(bytes(image.shape) + image.tobytes() for image in orientations(cells))


def ways(height: int, width: int) -> range:
    """Return the numbers of the orientations in which a board keeps its shape: all eight if it is square, else four.

    The bits of a number: mirrored top to bottom (4), left to right (2), and along the main diagonal (1), in this order.
    """
    return range(8) if height == width else range(0, 8, 2)


def reorient(planes: npt.NDArray[Any], way: int) -> npt.NDArray[Any]:
    """Return planes ``[..., H, W]`` in the orientation of that number, :func:`ways`; a view."""
    if way & 4:
        planes = planes[..., ::-1, :]
    if way & 2:
        planes = planes[..., ::-1]
    return planes.swapaxes(-1, -2) if way & 1 else planes


def played_actions(way: int, actions: int) -> npt.NDArray[np.int64]:
    """Return, for each action on the reoriented board, the action on the board itself: int64[A].

    Args:
        way: The number of the orientation.
        actions: A, the number of actions: up, down, left, right, and others without a direction.
    """
    played = []
    for row, column in DIRECTIONS:
        if way & 1:
            row, column = column, row
        if way & 2:
            column = -column
        if way & 4:
            row = -row
        played.append(DIRECTIONS.index((row, column)))
    return np.array([*played, *range(len(DIRECTIONS), actions)], np.int64)
