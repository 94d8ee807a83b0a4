"""The eight orientations of a board: rotated and mirrored."""

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt


def orientations(cells: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Return the eight orientations of an array [H, W]; views of it."""
    for image in (cells, cells.T):
        for down in (1, -1):
            for right in (1, -1):
                yield image[::down, ::right]


def first_orientation(cells: npt.NDArray[Any]) -> bytes:
    """Height and width, then the cells, of the lexicographically first orientation: equal for all eight.

    Args:
        cells: uint8[H, W].
    """
    return min(bytes(image.shape) + image.tobytes() for image in orientations(cells))
