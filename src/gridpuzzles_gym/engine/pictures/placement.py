"""Placements: the rows of numbers that the picture rules of puzzles write, and every renderer draws.

A row, int32[COLUMNS], puts one sprite on one square. Lengths are in thousandths of a square (``UNIT``), angles in
degrees clockwise:

    SPRITE   index into the picture's sprites
    NUMBER   the number that is written, in the colour SPRITE; -1: SPRITE is drawn
    QUARTER  the only quarter that is drawn: upper left 0, upper right, lower left, lower right 3; -1: all of it
    OPACITY  from 0 to 255
    SEEN     ALWAYS; AFTER: only when every movement has ended; DURING: only until then
    SQUARE   number of the square, row by row
    X, Y     the middle, from the square's upper left corner
    WIDTH, HEIGHT
    ANGLE
    FROM + SQUARE, FROM + X …   the same six of where it was before the last action

Rules write rows from back to front with :func:`put`, and change the last one with the others.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ..compile.compilation import rule

SPRITE, NUMBER, QUARTER, OPACITY, SEEN, SQUARE, X, Y, WIDTH, HEIGHT, ANGLE = range(11)
FROM = 6
COLUMNS = ANGLE + FROM + 1
UNIT = 1000
ALWAYS, AFTER, DURING = range(3)
SOFTNESS = 4
"""A soft edge fades over a distance of 1 / SOFTNESS squares."""
LEAST_DIGIT, AROUND = 6, 4
"""Numbers on squares have at least this height, in pixels, if it leaves so many around them."""

AREA = ("ROWS", "COLUMNS", "TOP", "LEFT", "HEIGHT", "WIDTH")
"""What an ``area`` rule writes: the board's size in squares, then the part that is drawn."""
ACTION, KNOWN, STEPS, SETTINGS = range(4)
"""The numbers of a scene, int64[SETTINGS + …], that rules read: the last action (-1: none), whether the state before it
is known, the actions taken, then the picture's settings, then the puzzle's metrics."""


HEADINGS = np.array([0, 2, 3, 1])
"""The quarter turns of a sprite that points up, for each action: up, down, left and right."""
_EDGE_X, _EDGE_Y = np.array([500, 500, 0, 1000]), np.array([0, 1000, 500, 500])


@rule
def put(out, n, sprite, square, x, y, size):
    """Write a row, the n-th: a sprite at (x, y) of a square, as wide as high. Returns n + 1.

    Where there is no row left, the last one is replaced.
    """
    n = min(n, out.shape[0] - 1)
    row = out[n]
    row[SPRITE], row[NUMBER], row[QUARTER], row[OPACITY], row[SEEN] = sprite, -1, -1, 255, ALWAYS
    for place in (SQUARE, SQUARE + FROM):
        row[place] = square
        row[place + 1], row[place + 2], row[place + 3], row[place + 4], row[place + 5] = x, y, size, size, 0
    return n + 1


@rule
def cover(out, n, sprite, square):
    """Write a row: a sprite on all of a square. Returns n + 1."""
    return put(out, n, sprite, square, UNIT // 2, UNIT // 2, UNIT)


@rule
def put_on_edge(out, n, sprite, square, action, size):
    """Write a row: a sprite in the middle of a square's edge, in the direction of an action. Returns n + 1."""
    return put(out, n, sprite, square, _EDGE_X[action], _EDGE_Y[action], size)


@rule
def move_from(out, n, square):
    """Let the last row come from the same place on another square."""
    out[n - 1, FROM + SQUARE] = square


@rule
def turn(out, n, quarters):
    """Turn the last row by quarter turns clockwise, all the way."""
    out[n - 1, ANGLE] = out[n - 1, FROM + ANGLE] = 90 * (quarters % 4)


@rule
def stretch(out, n, height):
    """Give the last row another height than its width."""
    out[n - 1, HEIGHT] = out[n - 1, FROM + HEIGHT] = height


@rule
def show(out, n, seen):
    """Say when the last row is seen: ALWAYS, AFTER or DURING."""
    out[n - 1, SEEN] = seen


@rule
def digit_height(height, tile, inside):
    """Return the height of digits in pixels, on a square of that width or on the rim."""
    return max(height, min(LEAST_DIGIT, tile - AROUND)) if inside else height


@rule
def when(was, now):
    """Return when something is seen that was there before the last action, is there now, or both; one is true."""
    if was:
        return ALWAYS if now else DURING
    return AFTER


@rule
def crop(level, first, wall, columns, out):
    """Write the area of a board with walls: what is drawn is all squares without walls, and those around them.

    Args:
        level: int16[L], the level row.
        first: The index of the first square.
        wall: The bit of a wall.
        columns: The number of squares in a row.
        out: int64[6], the area.
    """
    rows = (level.shape[0] - first) // columns
    top, left, bottom, right = rows, columns, -1, -1
    for row in range(rows):
        for column in range(columns):
            if not level[first + row * columns + column] & wall:
                top, left = min(top, row), min(left, column)
                bottom, right = max(bottom, row), max(right, column)
    top, left, bottom, right = max(top - 1, 0), max(left - 1, 0), min(bottom + 2, rows), min(right + 2, columns)
    out[0], out[1], out[2], out[3], out[4], out[5] = rows, columns, top, left, bottom - top, right - left
