"""The agent's knowledge, packed into one number, and the probability of each next percept.

    key  uint64   bits  0-15  visited   squares it has been on, including the start
                       16-31  breezes   those where it felt a breeze
                       32-47  lairs     squares where the wumpus may be, dead or alive
                       48-49  arrow     ARROW in hand, MISSED, or KILLED the wumpus
                       50     held      is the gold in hand?
                       51-56  stance    4 * square + facing
                       57-63  clock     steps taken; 0 if only future steps count

All possible caves are equally likely. Pits enter by ``breezes`` alone and the
wumpus by ``lairs`` alone, except that both cannot share a square; the gold lies on any square that
is not visited and has neither, so a pair of wumpus and pits counts once for each such square.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.bits import lowest, popcount
from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .world import SPARE, place

ARROW, MISSED, KILLED = range(3)
BREEZES, LAIRS, ARROW_AT, HELD, STANCE, CLOCK = 16, 32, 48, 50, 51, 57
SET = (1 << 16) - 1
PERCEPTS = 4
"""Stench or not, breeze or not."""
# Columns of `percepts`: the sets of breezes and lairs; the numbers of caves with the gold there, and without.
NEW_BREEZES, NEW_LAIRS, FOUND, NOT_FOUND = range(4)


@rule
def pack(visited, breezes, lairs, arrow, held, stance, clock):
    """Return the key of a knowledge state."""
    low = visited | breezes << BREEZES | lairs << LAIRS | arrow << ARROW_AT | held << HELD | stance << STANCE
    return np.uint64(low) | np.uint64(clock) << np.uint64(CLOCK)


@rule
def unpack(key):
    """Return the arguments of :func:`pack`."""
    low, clock = np.int64(key & np.uint64((1 << CLOCK) - 1)), np.int64(key >> np.uint64(CLOCK))
    return (
        low & SET,
        low >> BREEZES & SET,
        low >> LAIRS & SET,
        low >> ARROW_AT & 3,
        low >> HELD & 1,
        low >> STANCE & 63,
        clock,
    )


@rule
def evidence_row(world, visited, breezes):
    """Return the row of ``world.pits`` for these breezes, or -1 if no layout of pits causes them."""
    key = np.uint64(visited | breezes << BREEZES)
    slot = place(world.breezes, key)
    return world.evidence[slot] if world.breezes[slot] == key else -1


@rule
def caves(world, visited, row, lairs, held):
    """Return the number of caves with the wumpus in ``lairs``, these pits, and the gold unvisited (or in hand)."""
    given, anywhere = both_caves(world, visited, row, lairs)
    return given if held else anywhere


@rule
def both_caves(world, visited, row, lairs):
    """Return the number of caves with the gold on one given square or in hand; and that on any unvisited square."""
    pits, given, visited_ones = world.pits[row], np.int64(0), np.int64(0)
    while lairs:
        square = lowest(lairs)
        layouts = pits[-1] - pits[square]
        given += layouts
        visited_ones += layouts * (visited >> square & 1)
        lairs &= lairs - 1
    return given, given * (world.facts[SPARE] - popcount(visited) - 1) + visited_ones


@routine
def look(world, visited, breezes, lairs, arrow, held, square, percepts):
    """The percepts that entering a new square may give.

    Fills ``percepts`` (int64[4, 4]), one row for each possible percept.

    Returns:
        The number of rows; and the number of caves in which the agent survives.
    """
    count, alive = 0, 0
    entered = visited | 1 << square
    smelly = world.around[square] | 1 << square
    if arrow != KILLED:
        lairs &= ~(1 << square)
    for breeze in range(2):
        felt = breezes | breeze << square
        row = evidence_row(world, entered, felt)
        if row < 0:
            continue
        for stench in range(2):
            left = lairs & smelly if stench else lairs & ~smelly
            if left == 0:
                continue
            given, anywhere = both_caves(world, entered, row, left)
            survived, found = given if held else anywhere, np.int64(0)
            if not held:
                here = left >> square & 1  # then the wumpus is dead, and its lair holds no gold
                found = given - here * (world.pits[row, -1] - world.pits[row, square])
            if survived + found:
                percepts[count, NEW_BREEZES], percepts[count, NEW_LAIRS] = felt, left
                percepts[count, FOUND], percepts[count, NOT_FOUND] = found, survived
                count += 1
                alive += survived + found
    return count, alive
