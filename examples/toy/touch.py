"""What the mouse does; without this file, the puzzle is played by keys."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.board import touch
from gridpuzzles_gym.engine.board.ways import follow, walk
from gridpuzzles_gym.engine.compile.compilation import rule

from .picture import area
from .rules import GOAL, WALLS, WIDTH, neighbour, solved


@rule
def click(level, state, square, out):
    """Write the actions of a shortest way to a square, and return their number; it ends at the goal."""
    free, steps = level[WALLS:] == 0, np.empty(level.shape[0] - WALLS, np.int64)
    if solved(level, state) or not free[square]:
        return 0
    walk(free, level[WIDTH], square, steps)
    count, here = follow(steps, level[WIDTH], state[0], out), state[0]
    for k in range(count):
        here = neighbour(level, here, out[k])
        if here == level[GOAL]:
            return k + 1
    return count


@rule
def reach(level, state, grabbed, out):
    """Write for each square whether a click there has an effect; nothing can be grabbed."""
    walk(level[WALLS:] == 0, level[WIDTH], state[0], out)
    for square in range(level.shape[0] - WALLS):
        out[square] = out[square] > 0 and grabbed < 0 and not solved(level, state)


@rule
def actor(level, state):
    """Return the square of the player."""
    return state[0]


TOUCH = touch.Touch("toy", touch.Rules(area, click, reach, actor), click_words="walk there")
