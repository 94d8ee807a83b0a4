"""Boards as tuples of tiles: the named goals, solvability, and the encoding as rows."""

import re
from collections.abc import Callable

import numpy as np

from ...engine.arguments import is_integer
from ...engine.messages import plural, quote
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .rules import HOMES_AT, TILES, finish, furnish

SMALLEST, LARGEST = 2, 10
"""The minimum and maximum number of squares per side."""
RUN_TOGETHER = 10
"""The maximum number of squares of a board that is written without spaces between the tiles."""

_SEPARATORS = re.compile("[,/|]")

Tiles = tuple[int, ...]
"""The tile on each square, row by row from the top left; 0 is the blank."""


def row_lengths(extent: Extent) -> tuple[int, int]:
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


def read_goal(goal: object) -> str | Tiles:
    """Return the name of a goal, or its tiles if it is given in full.

    Args:
        goal: A name in :data:`GOALS`, or the tiles row by row, as numbers or as text. In text, tiles are separated by
            spaces or commas, which may be omitted if there are at most ten tiles, and rows may be by ``/`` or ``|``.

    Raises:
        ValueError: It is none of these, or a tile is missing or duplicate.
    """
    named = ", ".join(map(repr, GOALS))
    allowed = f"allowed are {named}, and the tiles row by row, e.g. '123804765' (0 the blank)"
    number = is_integer(goal, 0, 10**RUN_TOGETHER)  # as a command line reads 123804765
    if isinstance(goal, str) or number:
        words = _SEPARATORS.sub(" ", str(goal)).split()
        if len(words) == 1 and words[0] in GOALS:
            return words[0]
        run_together = len(words) == 1 or len("".join(words)) <= RUN_TOGETHER
        numbers = ("".join(words) if run_together else words)[: LARGEST**2 + 1]  # one too many is enough
        if not numbers or not all(number.isascii() and number.isdigit() for number in numbers):
            raise ValueError(f"goal={quote(goal)} is not known; {allowed}")
        tiles = tuple(map(int, numbers))
    elif isinstance(goal, list | tuple) and all(is_integer(tile, 0, LARGEST**2) for tile in goal):
        tiles = tuple(map(int, goal))
    else:
        raise ValueError(f"goal={quote(goal)} is a {type(goal).__name__}; {allowed}")
    if sorted(tiles) != list(range(len(tiles))) or not SMALLEST**2 <= len(tiles) <= LARGEST**2:
        raise ValueError(
            f"goal={quote(goal)}: must have each tile from 0 (the blank) to the number of squares minus 1 exactly once"
        )
    return tiles


def arrange(goal: str | Tiles, height: int, width: int) -> Tiles:
    """Return the solved board of that size.

    Raises:
        ValueError: The goal is given in full for another number of squares.
    """
    if isinstance(goal, str):
        return GOALS[goal](height, width)
    if len(goal) != height * width:
        raise ValueError(
            f"the goal {describe(goal)} has {len(goal)} squares, but a board of {width}x{height} has {height * width}"
        )
    return goal


def describe(goal: str | Tiles) -> str:
    """Return a goal as text: its name, or its tiles on one line."""
    if isinstance(goal, str):
        return goal
    return ("" if len(goal) <= RUN_TOGETHER else " ").join(map(str, goal))


def name_of(goal: Tiles, height: int, width: int) -> str | Tiles:
    """Return the name of a solved board if it has one, otherwise the board itself."""
    return next((name for name, make in GOALS.items() if make(height, width) == goal), goal)


def swaps_and_moves(tiles: Tiles, goal: Tiles, width: int) -> tuple[int, int]:
    """Return the minimum number of swaps that turn a board into the goal, and its blank's distance from home."""
    homes = {tile: square for square, tile in enumerate(goal)}
    swaps, seen = 0, [False] * len(tiles)
    for square in range(len(tiles)):
        while not seen[square]:  # a cycle of n squares takes n - 1 swaps
            seen[square] = True
            square = homes[tiles[square]]
            swaps += not seen[square]
    here, there = tiles.index(0), homes[0]
    return swaps, abs(here // width - there // width) + abs(here % width - there % width)


def why_unsolvable(tiles: Tiles, goal: Tiles, width: int) -> str:
    """Return the reason why a board cannot be solved; empty if it can.

    W. W. Johnson and W. E. Story, "Notes on the '15' puzzle", Am. J. Math. 2(4), 1879.
    """
    swaps, moves = swaps_and_moves(tiles, goal, width)
    if swaps % 2 == moves % 2:
        return ""
    parity = ("even", "odd")
    return (
        "this board cannot be solved: each move swaps the blank with a tile, and the blank's square changes colour as "
        f"on a chessboard; the blank's way to its goal ({plural(moves, 'square')}) takes an "
        f"{parity[moves % 2]} number of moves, but putting everything in place takes an {parity[swaps % 2]} number of "
        f"swaps (at least {swaps}); with any two tiles exchanged it could be solved"
    )


def make_rows(tiles: Tiles, goal: Tiles, extent: Extent) -> tuple[Row, Row]:
    """Return the rows (level, state) of a board."""
    level, state = (np.zeros(size, np.int16) for size in row_lengths(extent))
    furnish(level, *extent)
    level[level[HOMES_AT] + np.array(goal)] = np.arange(len(goal))
    state[TILES:] = tiles
    finish(level, state)
    return level, state


def goal_tiles(level: Row) -> Tiles:
    """Return the solved board of a level."""
    homes = level[level[HOMES_AT] :]
    return tuple(np.argsort(homes).tolist())
