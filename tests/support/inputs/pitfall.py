"""The toy maze with traps: a pit ends the episode unsolved, out of a hole there is no way, a chute leads one way."""

import dataclasses

import numpy as np
from toy import PUZZLE as TOY
from toy import text
from toy.rules import PRIZE, WALLS, neighbour

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED, Rules

FLOOR, WALL, PIT, HOLE, CHUTE = range(5)
GOAL = 2  # of level, as in the toy maze
SYMBOLS = {"o": PIT, "u": HOLE, ">": CHUTE}


@rule
def trap(level, state):
    """What is on the player's square: traps are behind the walls of the level."""
    squares = (level.shape[0] - WALLS) // 2
    return level[WALLS + squares + state[0]]


@rule
def legal(level, state, action):
    here = trap(level, state)
    return here != HOLE and (here != CHUTE or action == 3) and neighbour(level, state[0], action) >= 0


@rule
def outcome(level, state):
    if state[0] == level[GOAL]:
        return SOLVED
    return DIED if trap(level, state) == PIT else UNFINISHED


@rule
def solved(level, state):
    return state[0] == level[GOAL]


@rule
def step(level, state, action, rng):
    if legal(level, state, action):
        state[0] = neighbour(level, state[0], action)
    if state[0] == level[GOAL]:
        return level[PRIZE] - 1.0, True
    if trap(level, state) == PIT:
        return -1001.0, True
    return -1.0, False


PUZZLE = dataclasses.replace(
    TOY,
    name="pitfall",
    title="Toy maze with traps",
    rules=Rules(step, outcome, solved, legal),
    check=lambda level, state, options: TOY.check(level[: WALLS + (len(level) - WALLS) // 2], state, options),
)


def rows(board):
    """(level, state) of a board in the toy maze's text with traps among it."""
    plain = board
    for symbol in SYMBOLS:
        plain = plain.replace(symbol, ".")
    parsed = next(iter(text.read(plain, "board")))
    level, state = text.encode(parsed, parsed.extent, TOY.read_options())
    squares = "".join(line.ljust(parsed.extent[1], "#") for line in board.split())
    return np.concatenate([level, [SYMBOLS.get(symbol, FLOOR) for symbol in squares]]).astype(np.int16), state
