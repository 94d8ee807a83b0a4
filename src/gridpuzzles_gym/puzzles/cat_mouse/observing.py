"""The observations of a maze, and their decoding."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import rule
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import (
    CAT_AT_EXIT,
    CAT_SYMBOL,
    CAUGHT,
    CAUGHT_AT_EXIT,
    EXIT_SYMBOL,
    FLOOR,
    HOME,
    LETTERS,
    MOUSE_SYMBOL,
    WALL_SYMBOL,
    Symbols,
    check_board,
    make_rows,
)
from .rules import CAT, CATS, CELLS, EXIT, MOUSE, WALL, cat_on

PLANES = ("wall", "floor", "exit", "cat", "mouse")
WALL_PLANE, FLOOR_PLANE, EXIT_PLANE, CAT_PLANE, MOUSE_PLANE = range(len(PLANES))


@rule
def show(level, state, view, there):
    """Set the planes of mouse and cats on their squares to 1, or clear them to 0."""
    view[MOUSE_PLANE, state[MOUSE]] = there
    for cat in range(level[CATS]):
        view[CAT_PLANE, state[CAT + cat]] = there


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[5, H*W]; floor is the complement of wall. Plane by plane, for vectorization."""
    for square in range(view.shape[1]):
        view[WALL_PLANE, square] = (level[CELLS + square] & WALL) // WALL
    for square in range(view.shape[1]):
        view[FLOOR_PLANE, square] = 1 - view[WALL_PLANE, square]
    for plane in range(EXIT_PLANE, len(PLANES)):
        for square in range(view.shape[1]):
            view[plane, square] = 0
    view[EXIT_PLANE, level[EXIT]] = 1
    show(level, state, view, 1)


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed."""
    show(level, before, view, 0)
    show(level, state, view, 1)


@rule
def symbol(level, state, square):
    """Return the symbol of a square that is not a wall."""
    exit, cat = square == level[EXIT], cat_on(level, state, square)
    if square == state[MOUSE]:
        if cat:
            return CAUGHT_AT_EXIT if exit else CAUGHT
        return HOME if exit else MOUSE_SYMBOL
    if cat:
        return CAT_AT_EXIT if exit else CAT_SYMBOL
    return EXIT_SYMBOL if exit else FLOOR


@rule
def put_symbols(level, state, squares, view):
    """Write the symbols of the squares of mouse and cats in the state ``squares``."""
    view[0, squares[MOUSE]] = symbol(level, state, squares[MOUSE])
    for cat in range(level[CATS]):
        view[0, squares[CAT + cat]] = symbol(level, state, squares[CAT + cat])


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: the index into LETTERS of each square's symbol."""
    for square in range(view.shape[1]):
        view[0, square] = WALL_SYMBOL if level[CELLS + square] & WALL else FLOOR
    view[0, level[EXIT]] = EXIT_SYMBOL
    put_symbols(level, state, state, view)


@rule
def refresh_symbols(level, before, state, view):
    """Write what one step changed."""
    put_symbols(level, state, before, view)
    put_symbols(level, state, state, view)


def decode_planes(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the maze shown by ``planes``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (len(PLANES), *extent):
        raise ValueError(f"planes of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    if not np.isin(seen, (0, 1)).all():
        raise ValueError("not an observation of a maze: planes must be 0 or 1")
    wall, floor, exit, cat, mouse = seen.astype(np.uint8)
    if (wall == floor).any() or (wall & (exit | cat | mouse)).any():
        raise ValueError("not an observation of a maze: each square must be wall or floor, and walls must be empty")
    kinds = np.array([FLOOR, EXIT_SYMBOL, CAT_SYMBOL, CAT_AT_EXIT, MOUSE_SYMBOL, HOME, CAUGHT, CAUGHT_AT_EXIT])
    return _decode(np.where(wall, WALL_SYMBOL, kinds[exit + 2 * cat + 4 * mouse]).astype(np.uint8), options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the maze shown by ``symbols``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"symbols of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    if not np.isin(seen, range(len(LETTERS))).all():
        raise ValueError(f"not an observation of a maze: symbols must be from 0 to {len(LETTERS) - 1}")
    return _decode(seen[0].astype(np.uint8), options)


def _decode(symbols: Symbols, options: Any) -> tuple[Row, Row]:
    fault = check_board(symbols)
    if fault:
        raise ValueError(f"not an observation of a maze: {fault}")
    return make_rows(symbols, options.cat_blocked)
