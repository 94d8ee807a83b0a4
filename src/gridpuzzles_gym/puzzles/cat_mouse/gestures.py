"""Mouse gestures: a click takes one step, because the cats move after each."""

from collections.abc import Set
from typing import Any

from ...engine.board.gestures import Actions, Gestures, Square
from ...engine.board.paths import DIRECTIONS, reachable_from, shortest_path, squares_where, steps_on
from ...engine.puzzle import UNFINISHED
from ...engine.scene import Row
from .rules import CAT, CATS, CELLS, MOUSE, STRIDE, WALL, outcome


def mouse_square(level: Row, state: Row) -> Square:
    """Return the square of the mouse."""
    row, column = divmod(int(state[MOUSE]), int(level[STRIDE]))
    return row, column


def read(level: Row, state: Row) -> tuple[Square, set[Square]]:
    """Return the mouse's square, and the floor without the cats next to it, onto which it never steps."""
    width = int(level[STRIDE])
    row, column = mouse_square(level, state)
    floor = squares_where((level[CELLS:] & WALL == 0).reshape(-1, width))
    cats = [divmod(cat, width) for cat in state[CAT : CAT + level[CATS]].tolist()]
    return (row, column), floor - {cat for cat in cats if (cat[0] - row, cat[1] - column) in DIRECTIONS}


def click(level: Row, state: Row, options: Any, square: Square) -> Actions:
    """Return the first step of a shortest path to a square; none if a cat is there and next to the mouse."""
    mouse, floor = read(level, state)
    if square not in floor or outcome(level, state) != UNFINISHED:
        return ()
    path = shortest_path(mouse, square, steps_on(floor))
    return path[:1] if path else ()


def reachable(level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
    """Return the squares towards which the mouse can step; nothing can be grabbed."""
    mouse, floor = read(level, state)
    if grabbed is not None or outcome(level, state) != UNFINISHED:
        return frozenset()
    return reachable_from(mouse, steps_on(floor)) - {mouse}


GESTURES = Gestures(click, reachable, mouse_square, "step there, or one step towards it")
