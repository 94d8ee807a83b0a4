"""Mouse gestures: a click walks, a drag pushes a box."""

from collections.abc import Set
from typing import Any

from ...engine.board.gestures import Actions, Gestures, Square
from ...engine.board.paths import Pushing, reachable_from, shortest_path, squares_where, steps_on, until_over
from ...engine.puzzle import UNFINISHED
from ...engine.scene import Row
from .boards import squares_of
from .rules import PLAYER, STRIDE, outcome, step


def player_square(level: Row, state: Row) -> Square:
    """Return the square of the player."""
    row, column = divmod(int(state[PLAYER]), int(level[STRIDE]))
    return row, column


def read(level: Row, state: Row) -> tuple[Square, set[Square], set[Square]]:
    """Return the player's square, the squares free of walls and boxes, and those with boxes."""
    walls, _, boxes = squares_of(level, state)
    return player_square(level, state), squares_where(~(walls | boxes)), squares_where(boxes)


def click(level: Row, state: Row, options: Any, square: Square) -> Actions:
    """Return a shortest walk to a square; none if a box is in the way."""
    player, free, _ = read(level, state)
    path = shortest_path(player, square, steps_on(free)) if square in free else None
    return until_over(level, state, path or (), step, outcome)


def drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return the fewest moves that push the box from one square to another without moving any other box.

    They end early if the level is solved on the way.
    """
    player, free, boxes = read(level, state)
    path = Pushing(player, start, free, free).shortest(end) if start in boxes and end in free else None
    return until_over(level, state, path or (), step, outcome)


def reachable(level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
    """Return the squares to which the player can walk, or the grabbed box can be pushed."""
    player, free, boxes = read(level, state)
    if outcome(level, state) != UNFINISHED:
        return frozenset()
    if grabbed is None:
        return reachable_from(player, steps_on(free)) - {player}
    return Pushing(player, grabbed, free, free).reachable() if grabbed in boxes else frozenset()


GESTURES = Gestures(click, reachable, player_square, "walk there", drag, "push a box there by the fewest moves")
