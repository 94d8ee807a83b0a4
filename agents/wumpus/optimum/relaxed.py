"""How good a piece of knowledge can be at best, wherever the agent stands: a bound from above.

Relaxed is the walking. However the agent came to have visited a region, it took at least the ``quickest``
steps, and to bring the gold home at least its ``tour``; so choices need no stance and no clock, and
there are few keys. Values count from the beginning of the episode: what the steps before have cost is in them.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compilation import routine
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
from .solver import BOUNDED, answer, begin, make_search, offer
from .world import CLIMB, LIMIT, SQUARES

FOREVER = 1 << 62


@routine
def expand_relaxed(world, percepts, stack):
    """The choices of the key on top: squares to enter, sets of lairs to shoot at."""
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
            upper, answers = (DEATH - world.quickest[larger]) * (total - alive) / total, 0
            for k in range(count):
                upper += percepts[k, FOUND] / total * (TREASURE - min(world.tour[larger] + 1, world.facts[LIMIT]))
                if percepts[k, NOT_FOUND]:
                    key = pack(entered, percepts[k, NEW_BREEZES], percepts[k, NEW_LAIRS], arrow, 0, 0, 0)
                    upper += answer(stack, answers, percepts[k, NOT_FOUND] / total, key, TREASURE)
                    answers += 1
            if count:
                offer(stack, square, answers, upper)
    if arrow == ARROW:
        for shooter in range(world.facts[SQUARES]):
            for facing in range(4):
                aimed = world.rays[shooter, facing] & lairs
                if visited >> shooter & 1 and aimed:
                    hit = caves(world, visited, row, aimed, 0) / total
                    upper = ARROW_COST + answer(stack, 0, hit, pack(visited, breezes, aimed, KILLED, 0, 0, 0), TREASURE)
                    answers = 1
                    if lairs & ~aimed:
                        key = pack(visited, breezes, lairs & ~aimed, MISSED, 0, 0, 0)
                        upper += answer(stack, 1, 1 - hit, key, TREASURE)
                        answers = 2
                    offer(stack, shooter, answers, upper)


search_relaxed = make_search(expand_relaxed)


@routine
def relaxed_value(world, bounds, key):
    """The bound of a key without held gold, stance and clock; solved now unless it is known."""
    memo, stack, percepts = bounds[:3]
    slot = place(memo.keys, key)
    if memo.keys[slot] != key or memo.moves[slot] == BOUNDED:
        begin(stack, key, -np.inf)
        search_relaxed(world, percepts, memo, stack, FOREVER)
        slot = place(memo.keys, key)
    return memo.values[slot]
