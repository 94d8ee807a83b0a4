"""Walks of the Bayesian agent: over squares that are visited or certainly safe, with costs in steps and turns."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import CLIMB_OUT, FORWARD, SHOOT, TURN_LEFT, TURN_RIGHT

from .belief import DANGER
from .geometry import HEIGHT, WIDTH
from .recollection import CELLS, CLIMB, FACING, SQUARE, START, VISITED, open_neighbour

CERTAIN = 1e-9
"""Probabilities below this are rounding errors."""
FAR = 1 << 14


@rule
def leave(settings, memory, belief):
    """Go back to the start, and climb out."""
    if memory[SQUARE] == memory[START]:
        return CLIMB_OUT if settings[CLIMB] else TURN_LEFT
    return approach(settings, memory, belief, memory[START], -1)


@rule
def passable(memory, belief, square):
    """Whether the agent can walk there without risk."""
    return memory[CELLS + square] & VISITED or belief[DANGER, square] < CERTAIN


@routine
def survey(settings, memory, belief, stance, steps, queue):
    """Fill ``steps`` (int16[4*H*W]): from a stance to all others over squares without risk, or onto one with risk."""
    steps[:] = FAR
    steps[stance] = 0
    queue[0] = stance
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        square, facing = here >> 2, here & 3
        if not passable(memory, belief, square):
            continue
        ahead = open_neighbour(settings, memory, square, facing)
        for there in (
            4 * ahead + facing if ahead >= 0 else here,
            4 * square + (facing + 3 & 3),
            4 * square + (facing + 1 & 3),
        ):
            if steps[there] == FAR:
                steps[there] = steps[here] + 1
                queue[tail] = there
                tail += 1


@rule
def nearest(steps, square):
    """Return the fewest steps to a square, in any facing."""
    return min(min(steps[4 * square], steps[4 * square + 1]), min(steps[4 * square + 2], steps[4 * square + 3]))


@routine
def approach(settings, memory, belief, square, facing):
    """One action towards a square (facing -1), or towards a stance to shoot from."""
    stances = 4 * settings[HEIGHT] * settings[WIDTH]
    steps, queue = np.empty(stances, np.int16), np.empty(stances, np.int16)
    here = 4 * memory[SQUARE] + memory[FACING]
    if facing >= 0 and here == 4 * square + facing:
        return SHOOT
    best, action = FAR, TURN_LEFT
    ahead = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    for first in range(3):
        if first == 0 and (ahead < 0 or not (passable(memory, belief, ahead) or ahead == square)):
            continue
        there = (
            4 * ahead + memory[FACING]
            if first == 0
            else here - memory[FACING] + (memory[FACING] + (0, 3, 1)[first]) % 4
        )
        if first == 0 and ahead == square and facing < 0:
            return FORWARD
        survey(settings, memory, belief, there, steps, queue)
        distance = nearest(steps, square) if facing < 0 else steps[4 * square + facing]
        if distance < best:
            best, action = distance, (FORWARD, TURN_LEFT, TURN_RIGHT)[first]
    return action
