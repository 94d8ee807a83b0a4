"""What shows where on a board, boxes and player aside: walls that join, the floor inside them, the void without."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .rules import WALL

VOID, FLOOR, BUILT = range(3)
"""What a square shows: nothing, the player's world, or a wall around it."""
Kinds = npt.NDArray[np.int8]
"""VOID, FLOOR or BUILT for each square, with a rim of VOID around the board: int8[H + 2, W + 2]."""

# (left or right neighbour is a wall, upper or lower one is, the one between is) -> whose quarter a wall's quarter is
FORMS = {
    (False, False): "wall",
    (True, False): "wall_row",
    (False, True): "wall_column",
    (True, True): "wall_cross",
}


class Quarter(NamedTuple):
    """A corner of a wall's square."""

    form: str
    """The sprite it is a quarter of."""
    ground: str
    """The sprite that shows where that one is transparent."""


def kinds(cells: npt.NDArray[np.int16]) -> Kinds:
    """What each square of a board shows.

    Where no wall is, is floor: levels have walls wherever the player never comes. Of the walls those are built that
    touch floor, if only by a corner; the rest is void, so that neither padding nor thick walls show.

    Args:
        cells: The level's, int16[H, W].
    """
    floor = np.pad(cells & WALL == 0, 1)
    beside = floor.copy()
    beside[1:] |= floor[:-1]
    beside[:-1] |= floor[1:]
    near = beside.copy()
    near[:, 1:] |= beside[:, :-1]
    near[:, :-1] |= beside[:, 1:]
    found = np.where(floor, FLOOR, np.where(near, BUILT, VOID)).astype(np.int8)
    found[[0, -1]] = found[:, [0, -1]] = VOID
    return found


def ground_name(shown: Kinds, row: int, column: int) -> str:
    """The sprite of a square that is no wall."""
    if shown[row, column] == VOID:
        return "void"
    return "floor_shaded" if shown[row - 1, column] == BUILT else "floor"


def quarters(shown: Kinds, row: int, column: int) -> tuple[Quarter, ...]:
    """The quarters of a wall: the upper two, then the lower two."""
    found = []
    for up in (-1, 1):
        for left in (-1, 1):
            sides = shown[row, column + left], shown[row + up, column]
            corner = shown[row + up, column + left]
            form = FORMS[sides[0] == BUILT, sides[1] == BUILT]
            if form == "wall_cross" and corner == BUILT:
                form = "wall_solid"
            found.append(Quarter(form, "floor" if FLOOR in (*sides, corner) else "void"))
    return tuple(found)
