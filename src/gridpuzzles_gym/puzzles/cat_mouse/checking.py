"""Validation of the rows of a maze."""

from typing import Any

from ...engine.checking import board_extent, check_encoding, check_number, reachable
from ...engine.puzzle import Extent, Row
from .boards import CATS_THERE, LARGEST, MICE, WALL_SYMBOL, make_rows, sizes, symbols_of
from .rules import CAT, CATS, CELLS, EXIT, MOST_CATS, MOUSE, STRIDE


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a maze in play, or at the end of an episode.

    Returns:
        The extent of the maze.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    height, width = extent = board_extent(level, state, len(level) - CELLS, STRIDE, sizes)
    last = height * width - 1
    check_number("the longer side of the maze", max(extent), 1, LARGEST)
    exit = check_number("the square of the exit", level[EXIT], 0, last)
    mouse = check_number("the square of the mouse", state[MOUSE], 0, last)
    cats = check_number("the number of cats", level[CATS], 0, MOST_CATS)
    for cat in state[CAT : CAT + cats].tolist():
        check_number("the square of a cat", cat, 0, last)
    symbols = symbols_of(level, state)
    check_encoding(level, state, make_rows(symbols, options.cat_blocked))
    if options.cats not in (None, cats):
        raise ValueError(f"the number of cats is {cats}; with these options it must be {options.cats}")
    if options.cat_blocked and (CATS_THERE & MICE)[symbols].any():
        raise ValueError("a cat is on the mouse's square; with cat_blocked=True this is impossible")
    if not reachable(symbols != WALL_SYMBOL, mouse).ravel()[exit]:
        raise ValueError("the mouse cannot reach the exit: walls separate them")
    return extent
