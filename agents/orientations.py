"""The eight orientations of a board: rotated and mirrored."""

from typing import Any

import numpy.typing as npt


def first_orientation(cells: npt.NDArray[Any]) -> bytes:
    """Height and width, then the cells, of the lexicographically first orientation: equal for all eight.

    Args:
        cells: uint8[H, W].
    """
    images = (image[::down, ::right] for image in (cells, cells.T) for down in (1, -1) for right in (1, -1))
    return min(bytes(image.shape) + image.tobytes() for image in images)
