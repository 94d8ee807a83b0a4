"""The rules. Both rows have 16-bit integers: ``level`` never changes during an episode, ``state`` does.

    level  HEIGHT WIDTH GOAL PRIZE, then for each square 1 for a wall, else 0
    state  the square of the player

Squares are numbered row by row from 0. A rule is a plain function: called from Python it can be debugged, and every
loop of the suite compiles it. It must not allocate arrays, and takes all randomness from ``rng``.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.puzzle import SOLVED, UNFINISHED

HEIGHT, WIDTH, GOAL, PRIZE, WALLS = range(5)
"""Where the numbers are in the level row; the walls are its last entries."""
UP, DOWN, LEFT, RIGHT = range(4)
"""The actions."""


@rule
def neighbour(level, square, action):
    """Return the square that an action leads to, or -1 if a wall or the edge is in the way."""
    row, column = square // level[WIDTH], square % level[WIDTH]
    if action < LEFT:
        row += 1 if action == DOWN else -1
    else:
        column += 1 if action == RIGHT else -1
    if row < 0 or row >= level[HEIGHT] or column < 0 or column >= level[WIDTH]:
        return -1
    there = row * level[WIDTH] + column
    return -1 if level[WALLS + there] else there


@rule
def step(level, state, action, rng):
    """Change ``state`` in place; return the reward, and whether the episode has ended."""
    there = neighbour(level, state[0], action)
    if there >= 0:
        state[0] = there
    if state[0] == level[GOAL]:
        return level[PRIZE] - 1.0, True
    return -1.0, False


@rule
def solved(level, state):
    """Whether the player has reached the goal; searches use this."""
    return state[0] == level[GOAL]


@rule
def outcome(level, state):
    """Return how the episode has ended; the value of ``info["outcome"]``."""
    return SOLVED if solved(level, state) else UNFINISHED


@rule
def legal(level, state, action):
    """Whether an action changes anything: the action mask."""
    return neighbour(level, state[0], action) >= 0


@rule
def observe(level, state, view):
    """Write the planes of walls, goal and player: ``view`` is uint8[3, squares]."""
    for square in range(view.shape[1]):
        view[0, square] = level[WALLS + square]
        view[1, square] = square == level[GOAL]
        view[2, square] = square == state[0]


@rule
def refresh(level, before, state, view):
    """Write only what a step has changed since the state ``before``; optional, and faster than :func:`observe`."""
    view[2, before[0]] = 0
    view[2, state[0]] = 1


@rule
def observe_place(level, state, view):
    """Write the player's row and column: a second, shorter observation."""
    view[0], view[1] = state[0] // level[WIDTH], state[0] % level[WIDTH]


@rule
def goal(level, state):
    """Write the solved state; with :func:`undo`, searches can begin at the goal too."""
    state[0] = level[GOAL]


@rule
def undo(level, state, action):
    """Go back to the state before an action, in place; return whether there is one."""
    there = neighbour(level, state[0], action ^ 1)  # the opposite direction
    if there >= 0:
        state[0] = there
    return there >= 0
