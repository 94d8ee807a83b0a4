"""The terrain of a board, as rules: joined walls, the floor inside them, and the void outside."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.compile.compilation import rule
from ...engine.pictures.placement import QUARTER, cover
from .rules import CELLS, GOAL, STRIDE, WALL

SPRITES = ("void", "floor", "floor_shaded", "goal", "wall", "wall_row", "wall_column", "wall_cross", "wall_solid")
"""The first sprites of the picture."""
VOID_SPRITE, FLOOR_SPRITE, SHADED, GOAL_SPRITE, ALONE, ROW, COLUMN, CROSS, SOLID = range(len(SPRITES))
VOID, FLOOR, BUILT = range(3)
"""The kinds of a square: outside, floor, or a wall next to floor."""


@rule
def kinds(level, found):
    """Write the kind of each square of a board.

    Squares without a wall are floor, because levels have walls wherever the player cannot go. Walls that touch floor,
    at least diagonally, are BUILT; all others are VOID, so that neither padding nor thick walls are drawn.

    Args:
        level: int16[L], the level row.
        found: uint8[H + 2, W + 2], written, with a margin of VOID around the board.
    """
    columns = level[STRIDE]
    found[:, :] = VOID
    for square in range(level.shape[0] - CELLS):
        if not level[CELLS + square] & WALL:
            row, column = square // columns, square % columns
            found[row + 1, column + 1] = FLOOR
            for near in range(9):
                down, right = row + near // 3, column + near % 3
                if found[down, right] == VOID:
                    found[down, right] = BUILT
    for margin in (0, found.shape[0] - 1):
        found[margin] = VOID
    for margin in (0, found.shape[1] - 1):
        found[:, margin] = VOID


@rule
def form(found, row, column, quarter):
    """Return the sprite of a quarter of a wall."""
    up, left = quarter // 2 * 2 - 1, quarter % 2 * 2 - 1
    beside, above = found[row, column + left] == BUILT, found[row + up, column] == BUILT
    if beside and above:
        return SOLID if found[row + up, column + left] == BUILT else CROSS
    if beside:
        return ROW
    return COLUMN if above else ALONE


@rule
def is_inside(found, row, column, quarter):
    """Whether there is floor next to a quarter of a wall, so that it stands on floor."""
    up, left = quarter // 2 * 2 - 1, quarter % 2 * 2 - 1
    beside, above = found[row, column + left], found[row + up, column]
    return beside == FLOOR or above == FLOOR or found[row + up, column + left] == FLOOR


@rule
def put_quarter(out, n, sprite, square, quarter):
    """Write a row: a quarter of a sprite."""
    n = cover(out, n, sprite, square)
    out[n - 1, QUARTER] = quarter
    return n


@rule
def put_base(out, n, found, row, column, square):
    """Put what is seen where a wall is transparent: the void, and the floor."""
    floors = 0
    for quarter in range(4):
        floors += is_inside(found, row, column, quarter)
    n = cover(out, n, FLOOR_SPRITE if floors == 4 else VOID_SPRITE, square)
    for quarter in range(4):
        if floors < 4 and is_inside(found, row, column, quarter):
            n = put_quarter(out, n, FLOOR_SPRITE, square, quarter)
    return n


@rule
def put_wall(out, n, found, row, column, square):
    """Put a wall: its quarters, or all of it if they are of one sprite."""
    first, alike = form(found, row, column, 0), 0
    for quarter in range(4):
        alike += form(found, row, column, quarter) == first
    if alike == 4:
        return cover(out, n, first, square)
    for quarter in range(4):
        n = put_quarter(out, n, form(found, row, column, quarter), square, quarter)
    return n


@rule
def ground(level, scene, out):
    """Put the void, the floor, darker below a wall, and the goals; then the walls, whose edges nothing may cover."""
    columns, squares, n = level[STRIDE], level.shape[0] - CELLS, 0
    found = np.empty((squares // columns + 2, columns + 2), np.uint8)
    kinds(level, found)
    for square in range(squares):
        row, column = square // columns + 1, square % columns + 1
        if found[row, column] == BUILT:
            n = put_base(out, n, found, row, column, square)
        elif found[row, column] == VOID:
            n = cover(out, n, VOID_SPRITE, square)
        else:
            n = cover(out, n, SHADED if found[row - 1, column] == BUILT else FLOOR_SPRITE, square)
            if level[CELLS + square] & GOAL:
                n = cover(out, n, GOAL_SPRITE, square)
    for square in range(squares):
        row, column = square // columns + 1, square % columns + 1
        if found[row, column] == BUILT:
            n = put_wall(out, n, found, row, column, square)
    return n
