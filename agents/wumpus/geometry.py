"""The geometry and percepts of a cave, as all agents of the Wumpus World number them."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.puzzles.wumpus.rules import EAST, NORTH, SOUTH

HEIGHT, WIDTH = range(2)
"""The first two of every agent's ``settings``: the cave's size."""
STENCH_FELT, BREEZE_FELT, GLITTER_SEEN, BUMPED, SCREAMED = range(5)
"""``percepts`` int8[5], in the order of the observation."""


@rule
def neighbour(settings, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave."""
    height, width = settings[HEIGHT], settings[WIDTH]
    row, column = square // width, square % width
    if facing == NORTH:
        row -= 1
    elif facing == SOUTH:
        row += 1
    elif facing == EAST:
        column += 1
    else:
        column -= 1
    if row < 0 or row >= height or column < 0 or column >= width:
        return -1
    return row * width + column
