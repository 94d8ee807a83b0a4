"""Validation of the rows of a board."""

from typing import Any

from ...engine.checking import board_extent, check_encoding, check_number
from ...engine.puzzle import Extent, Row
from .boards import (
    LARGEST,
    SMALLEST,
    arrange,
    describe,
    goal_tiles,
    make_rows,
    name_of,
    read_goal,
    sizes,
    why_unsolvable,
)
from .rules import HOMES_AT, MOVES, TILES, WIDTH


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a solvable board, with the goal of the options if they have one.

    Returns:
        The extent of the board.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(state) - TILES, WIDTH, sizes)
    for name, side in (("height", height), ("width", width)):
        check_number(f"the {name} of the board", side, SMALLEST, LARGEST)
    tiles = tuple(state[TILES:].tolist())
    if sorted(tiles) != list(range(height * width)):
        raise ValueError(
            f"the tiles are {describe(tiles)}; each from 0 (the blank) to {len(tiles) - 1} must occur exactly once"
        )
    check_number("the index of the first home", level[HOMES_AT], MOVES + len(tiles), MOVES + len(tiles))
    goal = goal_tiles(level)
    check_encoding(level, state, make_rows(tiles, goal, extent))
    if options.goal is not None and arrange(read_goal(options.goal), height, width) != goal:
        raise ValueError(
            f"the goal is {describe(name_of(goal, height, width))}; with these options it must be "
            f"{describe(read_goal(options.goal))}"
        )
    reason = why_unsolvable(tiles, goal, width)
    if reason:
        raise ValueError(reason)
    return extent
