"""The terrain of a board: joined walls, the floor inside them, and the void outside."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .rules import WALL

VOID, FLOOR, BUILT = range(3)
"""The kinds of a square: outside, floor, or a wall next to floor."""
Kinds = npt.NDArray[np.int8]
"""VOID, FLOOR or BUILT for each square, with a margin of VOID around the board: int8[H + 2, W + 2]."""

# (is there a wall on the left or right, is there one above or below) -> the sprite of that quarter of a wall
SPRITES = {
    (False, False): "wall",
    (True, False): "wall_row",
    (False, True): "wall_column",
    (True, True): "wall_cross",
}


class Quarter(NamedTuple):
    """One quarter of a wall's square."""

    sprite: str
    """The sprite whose quarter is drawn."""
    ground: str
    """The sprite below it, visible where it is transparent."""


def kinds(cells: npt.NDArray[np.int16]) -> Kinds:
    """Return the kind of each square of a board.

    Squares without a wall are floor, because levels have walls wherever the player cannot go. Walls that touch floor,
    at least diagonally, are BUILT; all others are VOID, so that neither padding nor thick walls are drawn.

    Args:
        cells: The cells of the level row, int16[H, W].
    """
    floor = np.pad(cells & WALL == 0, 1)
    vertical = floor.copy()
    vertical[1:] |= floor[:-1]
    vertical[:-1] |= floor[1:]
    near = vertical.copy()
    near[:, 1:] |= vertical[:, :-1]
    near[:, :-1] |= vertical[:, 1:]
    found = np.where(floor, FLOOR, np.where(near, BUILT, VOID)).astype(np.int8)
    found[[0, -1]] = found[:, [0, -1]] = VOID
    return found


def ground_name(shown: Kinds, row: int, column: int) -> str:
    """Return the sprite of a square that is not a wall."""
    if shown[row, column] == VOID:
        return "void"
    return "floor_shaded" if shown[row - 1, column] == BUILT else "floor"


def quarters(shown: Kinds, row: int, column: int) -> tuple[Quarter, ...]:
    """Return the quarters of a wall: upper left, upper right, lower left, lower right."""
    found = []
    for up in (-1, 1):
        for left in (-1, 1):
            sides = shown[row, column + left], shown[row + up, column]
            corner = shown[row + up, column + left]
            sprite = SPRITES[sides[0] == BUILT, sides[1] == BUILT]
            if sprite == "wall_cross" and corner == BUILT:
                sprite = "wall_solid"
            found.append(Quarter(sprite, "floor" if FLOOR in (*sides, corner) else "void"))
    return tuple(found)
