"""Plays on from states that the optimal policy does not reach, and its table therefore lacks.

There the move with the highest bound is chosen: the bounds of :mod:`.exact` count the walk and the next percept
exactly, and what comes after them as the relaxed problem does (:mod:`.exact`), which is solved as far as needed.

Rows of memory have three more entries than those of :mod:`.playing`:

    ASTRAY   1 once it did something else than its move asked for: then the table says nothing about missing keys
    DOUBT    1 if that was after its move was chosen, so that another may be better now
    GOLD_AT  the square of gold that it has seen, and not taken or put down again, plus 1; 0 if there is none
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import GRAB

from .exact import STOP, expand_exact
from .exact import begin as begin_search
from .knowledge import pack
from .playing import (
    BREEZES,
    CLOCK,
    FACING,
    GLITTER,
    HAND,
    LAIRS,
    LAST,
    MEMORY,
    MOVE,
    NOTHING,
    SHOT,
    SQUARE,
    VISITED,
    begin,
    carry_out,
    perceive,
    towards,
)
from .world import CLIMB, LIMIT, place

ASTRAY, DOUBT, GOLD_AT = range(MEMORY, MEMORY + 3)
LONGER_MEMORY = MEMORY + 3


@routine
def promising(world, bounds, stack, key):
    """Return the move of a knowledge state whose bound is highest."""
    begin_search(stack, key, -np.inf)
    depth = stack.depth[0]
    stack.choices[depth] = 0
    expand_exact(world, bounds, stack)
    move, best = STOP, stack.best[depth]
    for choice in range(stack.choices[depth]):
        if stack.upper[depth, choice] > best:
            move, best = stack.moves[depth, choice], stack.upper[depth, choice]
    stack.depth[0] = -1
    return move


@rule
def fetch(world, memory):
    """Return the first action of a shortest way to gold that it has seen."""
    stance, best = 4 * memory[SQUARE] + memory[FACING], 4 * (memory[GOLD_AT] - 1)
    walk = world.walk[world.region[memory[VISITED]], stance]
    for goal in range(best, best + 4):
        if walk[goal] < walk[best]:
            best = goal
    return towards(world, memory[VISITED], stance, best)


@routine
def decide(world, keys, moves, bounds, stack, memory):
    """Return the next action, after the percepts."""
    if memory[GOLD_AT]:
        return GRAB if memory[GLITTER] else fetch(world, memory)
    if memory[MOVE] == NOTHING or memory[DOUBT]:
        stance = 4 * memory[SQUARE] + memory[FACING]
        clock = 0 if world.facts[CLIMB] else min(memory[CLOCK], world.facts[LIMIT])
        key = pack(memory[VISITED], memory[BREEZES], memory[LAIRS], memory[SHOT], memory[HAND], stance, clock)
        slot = place(keys, key)
        if keys[slot] == key:
            memory[MOVE] = moves[slot]
        else:
            memory[MOVE] = promising(world, bounds, stack, key) if memory[ASTRAY] else STOP
        memory[DOUBT] = 0
    return carry_out(world, memory, memory[MOVE])


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(world, keys, moves, bounds, stack, percepts, starting, facing, memory, actions)``.

    Like that of :mod:`.playing`, for rows int64[B, 14]; ``bounds`` and ``stack`` are those of the search.
    """

    def decide_batch(world, keys, moves, bounds, stack, percepts, starting, facing, memory, actions):
        world, bounds, stack = borrowed(world), borrowed(bounds), borrowed(stack)
        for i in range(memory.shape[0]):
            row = memory[i]
            if starting[i]:
                begin(world, row, facing)
            perceive(world, row, percepts[i])
            if row[HAND]:
                row[GOLD_AT] = 0
            elif row[GLITTER]:
                row[GOLD_AT] = row[SQUARE] + 1
            row[LAST] = actions[i] = decide(world, keys, moves, bounds, stack, row)

    return compiled(decide_batch, "wumpus-off-policy")
