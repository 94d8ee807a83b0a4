"""Boards as tuples of tiles: the named goals, solvability, and the encoding as rows."""

from collections.abc import Callable

import numpy as np

from ...engine.puzzle import Extent
from ...engine.scene import Row
from .rules import HOMES_AT, TILES, finish, furnish

SMALLEST, LARGEST = 2, 10
"""The minimum and maximum number of squares per side."""
RUN_TOGETHER = 10
"""The maximum number of squares of a board that is written without spaces between the tiles."""

Tiles = tuple[int, ...]
"""The tile on each square, row by row from the top left; 0 is the blank."""


def sizes(extent: Extent) -> tuple[int, int]:
    """Return the lengths of level and state rows for boards of (height, width)."""
    squares = extent[0] * extent[1]
    return 3 + 2 * squares, TILES + squares


def _rows(height: int, width: int) -> Tiles:
    return (*range(1, height * width), 0)


def _blank_first(height: int, width: int) -> Tiles:
    return tuple(range(height * width))


def _spiral(height: int, width: int) -> Tiles:
    left = np.arange(height * width).reshape(height, width)
    way: list[int] = []
    while left.size:
        way.extend(left[0].tolist())
        left = np.rot90(left[1:])
    tiles = [0] * (height * width)
    for tile, square in enumerate(way[:-1], start=1):
        tiles[square] = tile
    return tuple(tiles)


GOALS: dict[str, Callable[[int, int], Tiles]] = {"rows": _rows, "spiral": _spiral, "blank-first": _blank_first}
"""The named goals, as functions of height and width."""


def arrange(goal: str | None, height: int, width: int) -> Tiles:
    """Return the solved board of that size; None is the goal ``"rows"``."""
    return GOALS[goal or "rows"](height, width)


def name_of(goal: Tiles, height: int, width: int) -> str | None:
    """Return the name of a solved board; None if it has none."""
    return next((name for name, make in GOALS.items() if make(height, width) == goal), None)


def why_unsolvable(tiles: Tiles, goal: Tiles, width: int) -> str:
    """Return the reason why a board cannot be solved; empty if it can.

    Each move swaps the blank with a tile, so the swaps that put everything in place are as many, even or odd, as the
    blank's steps to its goal: W. W. Johnson and W. E. Story, "Notes on the '15' puzzle", Am. J. Math. 2(4), 1879.
    """
    homes = {tile: square for square, tile in enumerate(goal)}
    swaps, seen = 0, [False] * len(tiles)
    for square in range(len(tiles)):
        while not seen[square]:  # a cycle of n squares takes n - 1 swaps
            seen[square] = True
            square = homes[tiles[square]]
            swaps += not seen[square]
    here, there = tiles.index(0), homes[0]
    moves = abs(here // width - there // width) + abs(here % width - there % width)
    if swaps % 2 == moves % 2:
        return ""
    return "this board cannot be solved: with any two tiles exchanged it could be"


def make_rows(tiles: Tiles, goal: Tiles, extent: Extent) -> tuple[Row, Row]:
    """Return the rows (level, state) of a board."""
    level, state = (np.zeros(size, np.int16) for size in sizes(extent))
    furnish(level, *extent)
    level[level[HOMES_AT] + np.array(goal)] = np.arange(len(goal))
    state[TILES:] = tiles
    finish(level, state)
    return level, state


def goal_tiles(level: Row) -> Tiles:
    """Return the solved board of a level."""
    homes = level[level[HOMES_AT] :]
    return tuple(np.argsort(homes).tolist())
