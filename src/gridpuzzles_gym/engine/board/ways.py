"""Shortest ways on boards, as routines for the rules of mouse and panel."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ..compile.compilation import routine, rule

UNREACHABLE = -1


@rule
def beside(square, side, columns, squares):
    """Return the adjacent square in the direction of an action (0 up, 1 down, 2 left, 3 right); -1 off the board."""
    if side == 0:
        return square - columns if square >= columns else -1
    if side == 1:
        return square + columns if square + columns < squares else -1
    column = square % columns
    if side == 2:
        return square - 1 if column > 0 else -1
    return square + 1 if column + 1 < columns else -1


@routine
def walk(free, columns, start, steps):
    """Fill ``steps`` with the number of steps to each square over free ones.

    Args:
        free: bool or uint8[N]; the start need not be free.
        columns: The number of squares in a row.
        start: The square to start from.
        steps: int64[N], written; UNREACHABLE where no way leads.
    """
    squares = free.shape[0]
    waiting = np.empty(squares, np.int64)
    for square in range(squares):
        steps[square] = UNREACHABLE
    waiting[0], steps[start] = start, 0
    first, count = 0, 1
    while first < count:
        square = waiting[first]
        first += 1
        for side in range(4):
            there = beside(square, side, columns, squares)
            if there >= 0 and free[there] and steps[there] == UNREACHABLE:
                steps[there] = steps[square] + 1
                waiting[count] = there
                count += 1


@routine
def follow(steps, columns, start, out):
    """Write the actions of a shortest way to the square from which ``steps`` are counted, and return their number.

    Of several ways, the first in the order of the actions is written.

    Args:
        steps: int64[N], from :func:`walk`.
        columns: The number of squares in a row.
        start: Where the way begins.
        out: int64[…], with an entry for each step.
    """
    count, here = 0, start
    while steps[here] > 0:
        for side in range(4):
            there = beside(here, side, columns, steps.shape[0])
            if there >= 0 and steps[there] == steps[here] - 1:
                out[count] = side
                count += 1
                here = there
                break
    return count
