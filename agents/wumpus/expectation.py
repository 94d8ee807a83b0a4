"""Decisions of the Bayesian agent of the Wumpus World: maximises the expected return.

1. It grabs visible gold, and carries it home over squares that are visited or certainly safe.
2. It visits the nearest certainly safe square.
3. If there is none, it compares the expected returns of stopping, of each possible risk, and of each shot: first by
   their next percepts, then the best of them by :mod:`.lookahead`.

Stopping is climbing out, or turning on the spot until the step limit, which costs the remaining steps.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import compiled, routine
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.puzzles.wumpus.rules import GRAB, TURN_LEFT

from .belief import believe
from .geometry import HEIGHT, WIDTH
from .lookahead import (
    MARGIN,
    MODEL,
    STOP,
    WEIGHT,
    expected,
    is_best_stance,
    is_possible,
    look_around,
    nearest_safe,
    new_frames,
)
from .recollection import ARROW, CELLS, CLIMB, GLITTER, GOAL, HELD, LAST, SQUARE, begin, perceive
from .walking import approach, leave

WEIGHED = 4
"""How many choices are looked into."""
AT_ONCE = 2.0
"""A probability that nothing has: looks no further than the next percepts."""
LEAST = 0.02
"""The probability of the least likely future that is looked into."""
NOTHING, STAY = -1, -2
"""Values of GOAL: undecided; stop. Others: a square to enter, or H*W + 4 * square + facing to shoot from."""


@routine
def decide(settings, memory, percepts, chance, belief):
    """Return the next action; ``belief`` (float64[4, H*W]) is computed again if the memory has changed."""
    if perceive(settings, memory, percepts):
        memory[GOAL] = NOTHING
        believe(settings, memory, chance, belief)
    action = choose(settings, memory, chance, belief)
    memory[LAST] = action
    return action


@routine
def choose(settings, memory, chance, belief):
    """Return the next action, given memory and belief."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[CELLS + memory[SQUARE]] & GLITTER and not memory[HELD]:
        return GRAB
    if memory[HELD]:
        return leave(settings, memory, belief)
    if memory[GOAL] == NOTHING:
        memory[GOAL] = find_goal(settings, memory, chance, belief)
    goal = memory[GOAL]
    if goal == STAY:
        return leave(settings, memory, belief) if settings[CLIMB] else TURN_LEFT
    if goal < squares:
        return approach(settings, memory, belief, goal, -1)
    goal -= squares
    return approach(settings, memory, belief, goal >> 2, goal & 3)


@routine
def find_goal(settings, memory, chance, belief):
    """Return the next goal: see NOTHING and STAY."""
    squares = settings[HEIGHT] * settings[WIDTH]
    frames = new_frames(squares, len(memory))
    copy_row(memory, frames.memory[0])
    copy_row(belief, frames.belief[0])
    look_around(settings, frames, 0, np.empty(4 * squares, np.int16))
    steps = frames.steps[0]
    safe = nearest_safe(memory, belief, steps)
    if safe >= 0:
        return safe
    frames.reals[0, WEIGHT], frames.whole[0, MODEL] = believe(settings, memory, chance, belief)
    best, goal = frames.reals[0, STOP], STAY
    values = np.full(5 * squares, -np.inf)
    for square in range(squares):
        if is_possible(memory, steps, square):
            values[square] = expected(settings, chance, frames, square, AT_ONCE)
    for stance in range(4 * squares if memory[ARROW] else 0):
        if is_best_stance(settings, memory, belief, steps, stance):
            values[squares + stance] = expected(settings, chance, frames, squares + stance, AT_ONCE)
    least = max(best, values.max()) - MARGIN
    for _ in range(WEIGHED):
        choice = int(np.argmax(values))
        if values[choice] < least:
            break
        values[choice] = -np.inf
        value = expected(settings, chance, frames, choice, LEAST)
        if value > best:
            best, goal = value, choice
    return goal


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(settings, percepts, chance, starting, starts, known, memory, beliefs, actions)``, compiled once.

    ``starting`` (bool[B]) rows of ``memory`` (int16[B, M]) are reset to ``starts`` (int16[B, 2]: square,
    facing) and what is ``known`` of the squares (int16[B, H*W]: ROCK, OUTER); then every row decides, and
    ``actions`` (int64[B]) is filled. ``beliefs`` is float64[B, 4, H*W].
    """

    def decide_batch(settings, percepts, chance, starting, starts, known, memory, beliefs, actions):
        for i in range(len(actions)):
            if starting[i]:
                begin(memory[i], starts[i, 0], starts[i, 1])
                copy_row(known[i], memory[i, CELLS:])
            actions[i] = decide(settings, memory[i], percepts[i], chance, beliefs[i])

    return compiled(decide_batch, "wumpus-bayesian")
