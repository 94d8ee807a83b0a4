"""Mouse gestures: a click walks, and changes nothing on the way; a drag pushes a box."""

from collections.abc import Iterator, Set
from typing import Any, NamedTuple, Self

import numpy as np

from ...engine.board.gestures import Actions, Gestures, Square
from ...engine.board.paths import (
    Pushing,
    ahead,
    reachable_from,
    shortest_path,
    shortest_paths,
    squares_where,
    steps_on,
    until_over,
)
from ...engine.puzzle import UNFINISHED
from ...engine.scene import Row
from .boards import things_of
from .rules import AVATAR, BOX, CELLS, GOAL, HOLE, KEY, KEY_HERE, MUSHROOM, NOTHING, STRIDE, WALL, outcome, step


def avatar_square(level: Row, state: Row) -> Square:
    """Return the square of the avatar."""
    row, column = divmod(int(state[AVATAR]), int(level[STRIDE]))
    return row, column


class Board(NamedTuple):
    """What the gestures need to know about a board."""

    avatar: Square
    empty: set[Square]
    """The squares without a wall or a thing, including the avatar's."""
    boxes: set[Square]
    """The squares of boxes below which nothing changes when they are pushed away."""
    covers: set[Square]
    """The squares of boxes on a key, or on a goal that the avatar can open."""
    enterable: set[Square]
    """The squares of keys, mushrooms and goals that the avatar can open."""
    closed: set[Square]
    """The squares of goals that the avatar cannot open, with or without a box."""
    ends: set[Square]
    """The squares of keys, holes and goals that the avatar can open: a box can be pushed onto them."""

    @classmethod
    def read(cls, level: Row, state: Row) -> Self:
        """Return the board of two rows."""
        width = int(level[STRIDE])
        things = np.where(level[CELLS:] & WALL, -1, things_of(level, state)).reshape(-1, width)

        def squares(*kinds: int) -> set[Square]:
            return set().union(*(squares_where(things == kind) for kind in kinds))

        avatar = avatar_square(level, state)
        goals = squares(GOAL), squares(GOAL | BOX)
        opened, opened_boxes = goals if state[KEY] else (set(), set())
        return cls(
            avatar,
            squares(NOTHING) | {avatar},
            squares(BOX) | goals[1] - opened_boxes,
            squares(BOX | KEY_HERE) | opened_boxes,
            squares(KEY_HERE, MUSHROOM) | opened,
            set().union(*goals) - opened - opened_boxes,
            squares(KEY_HERE, HOLE) | opened,
        )

    @property
    def targets(self) -> set[Square]:
        """The squares onto which a box can be pushed."""
        return (self.empty | self.closed | self.ends) - self.boxes

    def pushing(self, box: Square) -> Pushing:
        """Return the ways to push one of ``boxes``."""
        closed = self.closed - (self.boxes - {box})
        return Pushing(self.avatar, box, self.empty, self.empty, closed, self.ends)


def click(level: Row, state: Row, options: Any, square: Square) -> Actions:
    """Return a shortest walk over empty squares; only the last one may hold something, but never a hole."""
    board = Board.read(level, state)
    if square not in board.empty | board.enterable:
        return ()
    path = shortest_path(board.avatar, square, steps_on(board.empty | {square}))
    return until_over(level, state, path or (), step, outcome)


def drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return the fewest moves that push the box from one square to another, or into a hole there.

    Nothing else changes, except on the box's first square: what was below it is picked up, or opened with the key.
    """
    board = Board.read(level, state)
    path: Actions | None = None
    if end in board.targets:
        if start in board.boxes:
            path = board.pushing(start).shortest(end)
        elif start in board.covers:
            paths = [
                (*first, *rest)
                for first, box, after in first_pushes(level, state, board, start)
                if (rest := () if box == end else shortest_after(level, after, box, end)) is not None
            ]
            path = min(paths, key=len, default=None)
    return until_over(level, state, path or (), step, outcome)


def first_pushes(level: Row, state: Row, board: Board, box: Square) -> Iterator[tuple[Actions, Square, Row]]:
    """Push one of ``covers`` once in each direction; played by the rules, because what is below it changes.

    Yields:
        The walk and the push, the box's square after it, and the state after it.
    """
    sides = {ahead(box, action ^ 1): action for action in range(4)}
    for side, walk in shortest_paths(board.avatar, sides, steps_on(board.empty)).items():
        there = ahead(box, sides[side])
        if there in board.targets:
            after, actions = state.copy(), (*walk, sides[side])
            for action in actions:
                step(level, after, action, None)
            yield actions, there, after


def shortest_after(level: Row, state: Row, box: Square, end: Square) -> Actions | None:
    """Return the fewest moves from the state after a first push; None if there are none."""
    board = Board.read(level, state)
    over = outcome(level, state) != UNFINISHED
    return None if over or box not in board.boxes else board.pushing(box).shortest(end)


def reachable(level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
    """Return the squares to which the avatar can walk, or the grabbed box can be pushed."""
    board = Board.read(level, state)
    if outcome(level, state) != UNFINISHED:
        return frozenset()
    if grabbed is None:
        near = reachable_from(board.avatar, steps_on(board.empty))
        adjacent = {ahead(square, action) for square in near for action in range(4)}
        return (near | adjacent & board.enterable) - {board.avatar}
    if grabbed in board.boxes:
        return board.pushing(grabbed).reachable()
    found: set[Square] = set()
    if grabbed in board.covers:
        for _, box, after in first_pushes(level, state, board, grabbed):
            later = Board.read(level, after)
            found.add(box)
            if box in later.boxes and outcome(level, after) == UNFINISHED:
                found |= later.pushing(box).reachable()
    return found - {grabbed}


GESTURES = Gestures(
    click,
    reachable,
    avatar_square,
    "walk there; take, eat or open what is there",
    drag,
    "push a box there by the fewest moves",
)
