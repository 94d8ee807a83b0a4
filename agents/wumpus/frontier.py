"""The sum over the frontier: the weight of all layouts of pits that explain the breezes, and where the pits are.

A breeze means that there is a pit on one of the unvisited squares next to it. Only squares next to
breezes, and next to no visited square without one, are constrained by that (the *frontier*). The sum proceeds square by
square. Its state is the set of active breezes that are explained so far, so the sum is as long as the frontier and as
wide as the number of overlapping breezes. Summing once from each end gives the probability of every square (the
forward-backward algorithm).
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .recollection import BREEZE, CELLS, VISITED, open_neighbour

CLEAR, FRONTIER, FREE, KNOWN = range(4)
"""Kinds of squares for pits: certainly none; next to breezes only; next to no visited square; visited or rock."""


@routine
def plan_sum(settings, memory, kinds):
    """Choose the order in which to sum over the frontier.

    Every active breeze has a bit, from the first square next to it to the last; bits are reused.

    Returns:
        int64[F, 3]: the square; the bits of the breezes it explains; those that must be explained after it.
        Also the number of bits; and whether every breeze has a square that can explain it.
    """
    squares = len(kinds)
    waiting = np.zeros(squares, np.int64)  # of each breeze: later frontier squares next to it
    bit_of = np.full(squares, -1)
    total, explained = 0, True
    for square in range(squares):
        total += kinds[square] == FRONTIER
        if memory[CELLS + square] & VISITED and memory[CELLS + square] & BREEZE:
            for facing in range(4):
                there = open_neighbour(settings, memory, square, facing)
                waiting[square] += there >= 0 and kinds[there] == FRONTIER
            explained = explained and waiting[square] > 0
    order, done = np.zeros((total, 3), np.int64), np.zeros(squares, np.bool_)
    used, width = 0, 0
    for step in range(total):
        best, least = -1, 99
        for square in range(squares):
            if kinds[square] == FRONTIER and not done[square]:
                opened = 0  # breezes it would activate, less those it would finish
                for facing in range(4):
                    there = open_neighbour(settings, memory, square, facing)
                    if there >= 0 and memory[CELLS + there] & VISITED:
                        opened += int(bit_of[there] < 0) - int(waiting[there] == 1)
                at_work = 0
                for facing in range(4):
                    there = open_neighbour(settings, memory, square, facing)
                    at_work += there >= 0 and bit_of[there] >= 0
                if 4 * opened - at_work < least:
                    best, least = square, 4 * opened - at_work
        done[best] = True
        order[step, 0] = best
        for facing in range(4):
            there = open_neighbour(settings, memory, best, facing)
            if there >= 0 and memory[CELLS + there] & VISITED:
                if bit_of[there] < 0:
                    bit = 0
                    while used >> bit & 1:
                        bit += 1
                    bit_of[there] = bit
                    used |= 1 << bit
                    width = max(width, bit + 1)
                waiting[there] -= 1
                order[step, 1] |= 1 << bit_of[there]
                if waiting[there] == 0:
                    order[step, 2] |= 1 << bit_of[there]
        used &= ~order[step, 2]
    return order, width, explained


@rule
def after(satisfied, order, step, pit):
    """Return the breezes explained after one more square, or -1 if one can no longer be explained."""
    if pit:
        satisfied |= order[step, 1]
    return satisfied & ~order[step, 2] if satisfied & order[step, 2] == order[step, 2] else -1


@routine
def ways_for_free(free, pits):
    """float64[pits + 1]: the number of ways to place the pits outside the frontier on the free squares."""
    ways = np.zeros(pits + 1)
    for used in range(pits + 1):
        left = pits - used
        if left <= free:
            ways[used] = 1.0
            for k in range(left):
                ways[used] *= (free - k) / (k + 1)
    return ways


@routine
def sum_frontier(order, width, taken, ways, counted, chance, scratch, pits):
    """The weight of all layouts of pits, and the probability of a pit on each square.

    Args:
        order: From :func:`plan_sum`.
        width: From :func:`plan_sum`.
        taken: The wumpus's square, which has no pit; -1 if it excludes none from the frontier.
        ways: float64[K + 1]: the weight of the squares outside the frontier, by the number of pits in it; K is 0
            in the independent model, which does not count pits.
        counted: Is the number of pits fixed (exact model)?
        chance: The probability of a pit in the independent model.
        scratch: float64[2, F + 1, 2**width * (K + 1)].
        pits: float64[F], output: the probability of a pit, in the frontier's order.

    Returns:
        The weight; and the mean number of pits in the frontier (0 if they are not counted).
    """
    steps, masks, counts = len(order), 1 << width, len(ways)
    with_pit, without = (1.0, 1.0) if counted else (chance, 1.0 - chance)
    one = 1 if counted else 0
    scratch[:] = 0.0
    ahead = scratch[0].reshape((steps + 1, masks, counts))
    behind = scratch[1].reshape((steps + 1, masks, counts))
    ahead[0, 0, 0] = 1.0
    for step in range(steps):
        for mask in range(masks):
            for k in range(counts):
                weight = ahead[step, mask, k]
                if weight == 0:
                    continue
                there = after(mask, order, step, False)
                if there >= 0:
                    ahead[step + 1, there, k] += weight * without
                there = after(mask, order, step, True)
                if there >= 0 and k + one < counts and order[step, 0] != taken:
                    ahead[step + 1, there, k + one] += weight * with_pit
    total, mean = 0.0, 0.0
    for k in range(counts):
        behind[steps, 0, k] = ways[k]
        total += ahead[steps, 0, k] * ways[k]
        mean += ahead[steps, 0, k] * ways[k] * k
    pits[:] = 0.0
    if total == 0:
        return 0.0, 0.0
    for step in range(steps - 1, -1, -1):
        for mask in range(masks):
            for k in range(counts):
                there = after(mask, order, step, False)
                weight = without * behind[step + 1, there, k] if there >= 0 else 0.0
                there = after(mask, order, step, True)
                if there >= 0 and k + one < counts and order[step, 0] != taken:
                    gained = with_pit * behind[step + 1, there, k + one]
                    weight += gained
                    pits[step] += ahead[step, mask, k] * gained / total
                behind[step, mask, k] = weight
    return total, mean / total
