"""level: HEIGHT WIDTH GOAL PRIZE walls...; state: the square of the player."""

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.puzzle import SOLVED, UNFINISHED

HEIGHT, WIDTH, GOAL, PRIZE, WALLS = range(5)


@rule
def beside(level, square, action):
    row, column = square // level[WIDTH], square % level[WIDTH]
    if action < 2:
        row += 1 if action == 1 else -1
    else:
        column += 1 if action == 3 else -1
    if row < 0 or row >= level[HEIGHT] or column < 0 or column >= level[WIDTH]:
        return -1
    there = row * level[WIDTH] + column
    return -1 if level[WALLS + there] else there


@rule
def step(level, state, action, rng):
    there = beside(level, state[0], action)
    if there >= 0:
        state[0] = there
    if state[0] == level[GOAL]:
        return level[PRIZE] - 1.0, True
    return -1.0, False


@rule
def solved(level, state):
    return state[0] == level[GOAL]


@rule
def outcome(level, state):
    return SOLVED if solved(level, state) else UNFINISHED


@rule
def legal(level, state, action):
    return beside(level, state[0], action) >= 0


@rule
def observe(level, state, view):
    for square in range(view.shape[1]):
        view[0, square] = level[WALLS + square]
        view[1, square] = square == level[GOAL]
        view[2, square] = square == state[0]


@rule
def refresh(level, before, state, view):
    view[2, before[0]] = 0
    view[2, state[0]] = 1


@rule
def observe_place(level, state, view):
    view[0], view[1] = state[0] // level[WIDTH], state[0] % level[WIDTH]


@rule
def goal(level, state):
    state[0] = level[GOAL]


@rule
def undo(level, state, action):
    there = beside(level, state[0], action ^ 1)
    if there >= 0:
        state[0] = there
    return there >= 0
