"""Mouse gestures: a click on a tile slides it and all tiles between it and the blank."""

from collections.abc import Set
from typing import Any

from ...engine.board.gestures import Actions, Gestures, Square
from ...engine.board.paths import ahead, until_over
from ...engine.puzzle import UNFINISHED
from ...engine.scene import Row
from .rules import BLANK, MOVES, WIDTH, outcome, step


def blank_square(level: Row, state: Row) -> Square:
    """Return the square of the blank."""
    row, column = divmod(int(state[BLANK]), int(level[WIDTH]))
    return row, column


def slides(level: Row, state: Row) -> dict[Square, list[int]]:
    """Return the moves of the blank to each other square in its row and column; none if the board is solved."""
    if outcome(level, state) != UNFINISHED:
        return {}
    width = int(level[WIDTH])
    found = {}
    for action in range(4):
        row, column = blank_square(level, state)
        moves: list[int] = []
        while int(level[MOVES + row * width + column]) >> action & 1:
            row, column = ahead((row, column), action)
            moves = [*moves, action]
            found[row, column] = moves
    return found


def click(level: Row, state: Row, options: Any, square: Square) -> Actions:
    """Return the moves of the blank to a square in its row or column; they end early if the board is solved."""
    return until_over(level, state, slides(level, state).get(square, ()), step, outcome)


def drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return what a click on the tile does, if it is dragged one square towards the blank."""
    return click(level, state, options, start) if end in reachable(level, state, options, start) else ()


def reachable(level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
    """Return the squares of the tiles that can slide, or the square to which the grabbed tile slides."""
    found = slides(level, state)
    if grabbed is None:
        return found.keys()
    return {ahead(grabbed, action ^ 1) for action in found.get(grabbed, ())}


GESTURES = Gestures(
    click,
    reachable,
    blank_square,
    "slide the tile, and those between it and the blank",
    drag,
    "slide the tile towards the blank",
)
