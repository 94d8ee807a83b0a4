"""An upper bound on the value of a knowledge state, whatever the agent's square.

The walking is relaxed. However the agent came to have visited a region, it took at least the ``quickest``
steps, and bringing the gold home takes at least its ``tour``; so choices need no stance and no clock, and
there are few keys. Values count from the start of the episode: they include the cost of past steps.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine
from gridpuzzles_gym.puzzles.wumpus.rules import ARROW_COST, DEATH, TREASURE

from .hashing import place
from .knowledge import (
    ARROW,
    FOUND,
    KILLED,
    MISSED,
    NEW_BREEZES,
    NEW_LAIRS,
    NOT_FOUND,
    caves,
    evidence_row,
    look,
    pack,
    unpack,
)
from .solver import BOUNDED, add_choice, add_outcome, begin, make_search
from .world import CLIMB, LIMIT, SQUARES

FOREVER = 1 << 62


@routine
def expand_relaxed(world, percepts, stack):
    """Write the choices of the key on top: squares to enter, sets of lairs to shoot at."""
    depth = stack.depth[0]
    visited, breezes, lairs, arrow, _, _, _ = unpack(stack.keys[depth])
    number = world.region[visited]
    stack.best[depth] = -1.0 - world.tour[number] if world.facts[CLIMB] else -1.0 * world.facts[LIMIT]
    row = evidence_row(world, visited, breezes)
    total = caves(world, visited, row, lairs, 0)
    for square in range(world.facts[SQUARES]):
        if visited >> square & 1 == 0 and world.around[square] & visited:
            count, alive = look(world, visited, breezes, lairs, arrow, 0, square, percepts)
            entered = visited | 1 << square
            larger = world.region[entered]
            upper, outcomes = (DEATH - world.quickest[larger]) * (total - alive) / total, 0
            for k in range(count):
                upper += percepts[k, FOUND] / total * (TREASURE - min(world.tour[larger] + 1, world.facts[LIMIT]))
                if percepts[k, NOT_FOUND]:
                    key = pack(entered, percepts[k, NEW_BREEZES], percepts[k, NEW_LAIRS], arrow, 0, 0, 0)
                    upper += add_outcome(stack, outcomes, percepts[k, NOT_FOUND] / total, key, TREASURE)
                    outcomes += 1
            if count:
                add_choice(stack, square, outcomes, upper)
    if arrow == ARROW:
        for shooter in range(world.facts[SQUARES]):
            for facing in range(4):
                aimed = world.rays[shooter, facing] & lairs
                if visited >> shooter & 1 and aimed:
                    hit = caves(world, visited, row, aimed, 0) / total
                    upper = ARROW_COST + add_outcome(
                        stack, 0, hit, pack(visited, breezes, aimed, KILLED, 0, 0, 0), TREASURE
                    )
                    outcomes = 1
                    if lairs & ~aimed:
                        key = pack(visited, breezes, lairs & ~aimed, MISSED, 0, 0, 0)
                        upper += add_outcome(stack, 1, 1 - hit, key, TREASURE)
                        outcomes = 2
                    add_choice(stack, shooter, outcomes, upper)


search_relaxed = make_search(expand_relaxed)


@routine
def relaxed_value(world, bounds, key):
    """Return the bound of a key without held gold, stance and clock; computed unless it is known."""
    memo, stack, percepts = bounds[:3]
    slot = place(memo.keys, key)
    if memo.keys[slot] != key or memo.moves[slot] == BOUNDED:
        begin(stack, key, -np.inf)
        search_relaxed(world, percepts, memo, stack, FOREVER)
        slot = place(memo.keys, key)
    return memo.values[slot]
