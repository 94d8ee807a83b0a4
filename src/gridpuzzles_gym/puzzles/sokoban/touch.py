"""What the mouse does on a board: a click walks, a drag pushes a box."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board import touch
from ...engine.board.ways import ENTER, NEVER, ROOM, follow, push, pushable, walk
from ...engine.compile.compilation import rule
from ...engine.puzzle import UNFINISHED
from .picture import area
from .rules import CELLS, PLAYER, STRIDE, blocked, box_on, outcome, step

until_over = touch.cut_at_the_end(step, outcome)


@rule
def describe(level, state, squares):
    """Write what each square allows, for :mod:`~gridpuzzles_gym.engine.board.ways`: uint8[N]."""
    for square in range(squares.shape[0]):
        squares[square] = 0 if blocked(level, state, square) else ENTER | ROOM


@rule
def click(level, state, square, out):
    """Write a shortest walk to a square; none if a box is in the way."""
    squares = np.empty(level.shape[0] - CELLS, np.uint8)
    describe(level, state, squares)
    if not squares[square]:
        return 0
    steps = np.empty(squares.shape[0], np.int64)
    walk(squares, level[STRIDE], square, steps)
    return until_over(level, state, out, follow(steps, level[STRIDE], state[PLAYER], out))


@rule
def drag(level, state, start, end, out):
    """Write the fewest moves that push the box from one square to another without moving any other box.

    They end early if the level is solved on the way.
    """
    squares = np.empty(level.shape[0] - CELLS, np.uint8)
    describe(level, state, squares)
    if not box_on(state, start):
        return 0
    squares[start] = ENTER | ROOM
    n = push(squares, level[STRIDE], state[PLAYER], start, end, out)
    return 0 if n == NEVER else until_over(level, state, out, n)


@rule
def reach(level, state, grabbed, out):
    """Write the squares to which the player can walk, or the grabbed box can be pushed."""
    squares = np.empty(level.shape[0] - CELLS, np.uint8)
    describe(level, state, squares)
    out[:] = 0
    if outcome(level, state) != UNFINISHED:
        return
    if grabbed < 0:
        walk(squares, level[STRIDE], state[PLAYER], out)
        for square in range(squares.shape[0]):
            out[square] = out[square] > 0
    elif box_on(state, grabbed):
        squares[grabbed] = ENTER | ROOM
        pushable(squares, level[STRIDE], state[PLAYER], grabbed, out)


@rule
def actor(level, state):
    """Return the square of the player."""
    return state[PLAYER]


TOUCH = touch.Touch(
    "sokoban",
    touch.Rules(area, click, reach, actor, drag),
    click_words="walk there",
    drag_words="push a box there by the fewest moves",
)
