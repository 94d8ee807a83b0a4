"""The heuristics for Bait: our own, and two of the original program.

The original ones count pixels, 50 per step, and ignore walls. Here they are converted to
steps, which is equivalent: the original A* added 50 per step.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.puzzles.bait.rules import (
    AVATAR,
    BOX,
    CELLS,
    GOAL,
    GOALS,
    HOLE,
    KEY,
    KEY_HERE,
    MUSHROOM,
    STRIDE,
    thing_on,
)

from ..search.heuristic import DEAD_END, Heuristic
from .first_times import NEVER, first_times
from .frozen import is_box, survey, unpack

_BOX_FACTOR, _HOLE_FACTOR = 4, 32


@rule
def estimate(level, state, tables):
    """Return the earliest time of the last goal; DEAD_END if it can never be reached."""
    if state[GOALS] == 0:
        return np.int64(0)
    things = unpack(level, state)
    if things[state[AVATAR]] == HOLE:
        return np.int64(DEAD_END)
    _, last = first_times(level, state, things, survey(level, things), False)
    return np.int64(DEAD_END if last == NEVER else last)


@rule
def straight(level, one, other):
    """Rows and columns between two squares."""
    stride = level[STRIDE]
    return abs(one // stride - other // stride) + abs(one % stride - other % stride)


@rule
def nearest(level, state, square, kind):
    """Rows and columns to the nearest key, goal, hole or (BOX) box of any kind; -1 if there is none."""
    least = -1
    for other in range(level.shape[0] - CELLS):
        thing = thing_on(state, other)
        if is_box(thing) if kind == BOX else (thing & 3 == kind and thing != MUSHROOM):
            distance = straight(level, square, other)
            if least < 0 or distance < least:
                least = distance
    return least


@rule
def original_walk(level, state, tables):
    """Return the distance to the key and from it to a goal; with a key in hand, to a goal."""
    if state[KEY] or state[GOALS] == 0:
        return np.int64(max(nearest(level, state, state[AVATAR], GOAL), 0))
    best = -1
    for square in range(level.shape[0] - CELLS):
        if thing_on(state, square) & 3 == KEY_HERE:
            way = straight(level, state[AVATAR], square) + nearest(level, state, square, GOAL)
            if best < 0 or way < best:
                best = way
    return np.int64(best)


@rule
def original_boxes(level, state, tables):
    """Distances to the key, to the nearest box, and from all boxes to their nearest holes; with a key, to a goal."""
    here = state[AVATAR]
    if state[KEY] or state[GOALS] == 0:
        return original_walk(level, state, tables)
    total = nearest(level, state, here, KEY_HERE) + _BOX_FACTOR * max(nearest(level, state, here, BOX), 0)
    for square in range(level.shape[0] - CELLS):
        if is_box(thing_on(state, square)):
            total += _HOLE_FACTOR * max(nearest(level, state, square, HOLE), 0)
    return np.int64(total)


HEURISTICS: dict[str, Heuristic] = {
    row.name: row
    for row in (
        Heuristic(
            "first-times",
            "earliest time to reach all goals if boxes never block each other; detects deadlocks",
            estimate,
            consistent=False,
        ),
        Heuristic(
            "original-walk",
            "rows and columns to the key and on to the goal: the original depth-limited search",
            original_walk,
            admissible=False,
            consistent=False,
        ),
        Heuristic(
            "original-boxes",
            "to the key, 4 × to a box, 32 × from each box to a hole: the original A*",
            original_boxes,
            admissible=False,
            consistent=False,
        ),
    )
}
"""Heuristics by name; the first is the default."""
