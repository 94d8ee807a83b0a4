"""Boxes that will never move again.

A box can move along a row or column only if both its neighbours there can be free: the avatar stands on one, the box
goes to the other. So boxes that are blocked on both axes by walls, or by each other, are frozen for good.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.bait.rules import CELLS, DOWN, LEFT, RIGHT, THINGS, UP, WALL, ahead

OPEN, MOVABLE, SHUT = range(3)
"""Values of ``ground``: not permanently blocked; a box that may still move; a wall or a frozen box."""


@rule
def is_box(thing):
    """Whether there is a box; a mushroom is not one."""
    return 4 <= thing <= 6


@routine
def unpack(level, state):
    """Return the content of each square, uint8[N]."""
    things = np.empty(level.shape[0] - CELLS, np.uint8)
    for square in range(things.shape[0]):
        things[square] = (state[THINGS + (square >> 2)] >> ((square & 3) << 2)) & 7
    return things


@rule
def slides(level, ground, square, one, other):
    """Whether a box can move along the axis with these two directions, in the most favourable case."""
    before, beyond = ahead(level, square, one), ahead(level, square, other)
    return before != square and beyond != square and ground[before] != SHUT and ground[beyond] != SHUT


@routine
def survey(level, things):
    """Walls and frozen boxes, uint8[N]: see OPEN, MOVABLE, SHUT."""
    ground = np.zeros(things.shape[0], np.uint8)
    for square in range(things.shape[0]):
        if level[CELLS + square] & WALL or is_box(things[square]):
            ground[square] = SHUT
    # All boxes are assumed frozen; one that turns out to be movable may free others.
    waiting = np.empty(5 * things.shape[0], np.int16)
    count = 0
    for square in range(things.shape[0]):
        if is_box(things[square]):
            waiting[count] = square
            count += 1
    while count:
        count -= 1
        square = waiting[count]
        if ground[square] != SHUT:
            continue
        if not slides(level, ground, square, UP, DOWN) and not slides(level, ground, square, LEFT, RIGHT):
            continue
        ground[square] = MOVABLE
        for action in range(4):
            near = ahead(level, square, action)
            if ground[near] == SHUT and is_box(things[near]):
                waiting[count] = near
                count += 1
    return ground
