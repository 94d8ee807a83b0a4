"""What the mouse does on a maze: a click takes one step, because the cats move after each."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board import touch
from ...engine.board.ways import follow, neighbour, walk
from ...engine.compile.compilation import rule
from ...engine.puzzle import UNFINISHED
from .picture import area
from .rules import CELLS, MOUSE, STRIDE, WALL, cat_on, outcome


@rule
def walkable(level, state, free):
    """Write where the mouse can go: the floor without the cats next to it, onto which it never steps."""
    for square in range(free.shape[0]):
        free[square] = not level[CELLS + square] & WALL
    for side in range(4):
        there = neighbour(state[MOUSE], side, level[STRIDE], free.shape[0])
        if there >= 0 and cat_on(level, state, there):
            free[there] = 0


@rule
def click(level, state, square, out):
    """Write the first step of a shortest way to a square; none if a cat is there and next to the mouse."""
    free = np.empty(level.shape[0] - CELLS, np.uint8)
    walkable(level, state, free)
    if not free[square] or outcome(level, state) != UNFINISHED:
        return 0
    steps = np.empty(free.shape[0], np.int64)
    walk(free, level[STRIDE], square, steps)
    return min(follow(steps, level[STRIDE], state[MOUSE], out), 1)


@rule
def reach(level, state, grabbed, out):
    """Write the squares towards which the mouse can step; nothing can be grabbed."""
    free = np.empty(level.shape[0] - CELLS, np.uint8)
    walkable(level, state, free)
    walk(free, level[STRIDE], state[MOUSE], out)
    for square in range(free.shape[0]):
        out[square] = out[square] > 0 and grabbed < 0 and outcome(level, state) == UNFINISHED


@rule
def actor(level, state):
    """Return the square of the mouse."""
    return state[MOUSE]


TOUCH = touch.Touch(
    "cat_mouse", touch.Rules(area, click, reach, actor), click_words="step there, or one step towards it"
)
