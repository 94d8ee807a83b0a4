"""Validation of the rows of a board."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.board.checking import board_extent, check_encoding, check_number, same
from ...engine.compile.compilation import routine
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import (
    LARGEST,
    SMALLEST,
    arrange,
    describe,
    goal_tiles,
    make_rows,
    name_of,
    read_goal,
    row_lengths,
    why_unsolvable,
)
from .rules import BLANK, HOMES_AT, MISPLACED, MOVES, TILES, WIDTH, finish, furnish, home

# settings int64[2 + N]: what `is_level` reads. SET_GOAL: the tile on each square in the goal.
SET_HEIGHT, SET_WIDTH, SET_GOAL = range(3)


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a solvable board, with the goal of the options if they have one.

    Returns:
        The extent of the board.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(state) - TILES, WIDTH, row_lengths)
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


def settings(options: Any, extent: Extent) -> npt.NDArray[np.int64]:
    """Return the numbers that :func:`is_level` reads."""
    height, width = extent
    check_number("the shorter side of the board", min(extent), SMALLEST, LARGEST)
    check_number("the longer side of the board", max(extent), SMALLEST, LARGEST)
    goal = arrange(read_goal("rows" if options.goal is None else options.goal), height, width)
    return np.array([height, width, *goal], np.int64)


@routine
def is_level(settings, level, state, own_level, own_state):
    """Whether rows are those of a board; see :class:`~gridpuzzles_gym.engine.puzzle.RowCheck`.

    Everything but the tiles is derived from them and the goal again, and compared.
    """
    squares = state.shape[0] - TILES
    furnish(own_level, settings[SET_HEIGHT], settings[SET_WIDTH])
    for square in range(squares):
        own_level[own_level[HOMES_AT] + settings[SET_GOAL + square]] = square
    seen = np.zeros(squares, np.uint8)
    for square in range(squares):
        tile = state[TILES + square]
        if not 0 <= tile < squares or seen[tile]:
            return False
        seen[tile] = 1
        own_state[TILES + square] = tile
    finish(own_level, own_state)
    if own_state[MISPLACED] == 0 or not same(level, own_level) or not same(state, own_state):
        return False
    return is_solvable(own_level, own_state)


@routine
def is_solvable(level, state):
    """Whether a board can be solved; see :func:`~gridpuzzles_gym.puzzles.n_puzzle.boards.why_unsolvable`."""
    squares, width = state.shape[0] - TILES, level[WIDTH]
    here, there = state[BLANK], home(level, 0)
    odd = (here // width + here % width + there // width + there % width) & 1
    seen = np.zeros(squares, np.uint8)
    for first in range(squares):
        square = first
        while not seen[square]:  # a cycle of n squares takes n - 1 swaps
            seen[square] = 1
            square = home(level, state[TILES + square])
            odd ^= 1 - seen[square]
    return odd == 0
