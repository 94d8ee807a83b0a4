"""The observations of a board, and their decoding."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import rule
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import arrange, make_rows, read_goal, why_unsolvable
from .rules import BLANK, TILES


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[N, H*W]: one plane per tile, 1 on its square."""
    for tile in range(view.shape[0]):
        for square in range(view.shape[1]):
            view[tile, square] = 0
    for square in range(view.shape[1]):
        view[state[TILES + square], square] = 1


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed: the tile that moved, and the blank, each on two squares.

    If nothing moved, the "tile" is the blank itself, and the order of the writes leaves it in place.
    """
    left, entered = before[BLANK], state[BLANK]
    tile = state[TILES + left]
    view[0, left] = 0
    view[tile, entered] = 0
    view[0, entered] = 1
    view[tile, left] = 1


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: the tile on each square."""
    for square in range(view.shape[1]):
        view[0, square] = state[TILES + square]


@rule
def refresh_symbols(level, before, state, view):
    """Write the two squares that one step changed."""
    view[0, before[BLANK]] = state[TILES + before[BLANK]]
    view[0, state[BLANK]] = 0


def decode_planes(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``planes``, with the options' goal; see :meth:`Puzzle.decode`."""
    squares = extent[0] * extent[1]
    seen = np.asarray(seen)
    if seen.shape != (squares, *extent):
        raise ValueError(f"planes of shape {list(seen.shape)}; the shape must be {[squares, *extent]}")
    flat = seen.reshape(squares, squares)
    if not (((flat == 0) | (flat == 1)).all() and (flat.sum(0) == 1).all() and (flat.sum(1) == 1).all()):
        raise ValueError("not an observation of a board: every tile must be on exactly one square")
    return _decode(flat.argmax(0).tolist(), extent, options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``symbols``, with the options' goal; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"symbols of shape {list(seen.shape)}; the shape must be {[1, *extent]}")
    tiles = seen.ravel().tolist()
    if sorted(tiles) != list(range(len(tiles))):
        raise ValueError("not an observation of a board: every tile must be on exactly one square")
    return _decode(tiles, extent, options)


def _decode(tiles: list[int], extent: Extent, options: Any) -> tuple[Row, Row]:
    height, width = extent
    goal = arrange(read_goal("rows" if options.goal is None else options.goal), height, width)
    reason = why_unsolvable(tuple(tiles), goal, width)
    if reason:
        raise ValueError(f"not an observation of a solvable board: {reason}")
    return make_rows(tuple(tiles), goal, extent)
