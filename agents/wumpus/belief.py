"""The exact probabilities of a pit, the wumpus and the gold on every square, given all percepts so far.

Every layout that agrees with the percepts is weighted by the probability of generating it. There are two models:

*Exact*: the wumpus, the gold and a known number of pits lie on distinct squares, all layouts equally likely.
*Independent*: each square has a pit with a probability of its own; wumpus and gold lie anywhere.

In a given cave (``levels=``) nothing is known about the number of pits, and two ways are considered equally likely
in which it was made: in the independent model, or by a university course whose programs confuse the rows and columns of
pits, and drop those that are outside then. There only the *square part* of the cave has pits: in a cave of 7×4 squares,
the four columns that begin with the agent's. The other squares are *outer* ones. In a square cave there are none.

Pits outside the frontier (:mod:`.frontier`) are only counted. The position of the wumpus is enumerated; if pits and
wumpus cannot share a square, it excludes a pit there.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .frontier import CLEAR, FREE, FRONTIER, KNOWN, plan_sum, sum_frontier, ways_for_free
from .geometry import HEIGHT, WIDTH
from .recollection import (
    BREEZE,
    CELLS,
    DEAD,
    HELD,
    HIT,
    MISSED,
    MODEL_PITS,
    OUTER,
    ROCK,
    STENCH,
    VISITED,
    open_neighbour,
)

PIT, LAIR, GOLD, DANGER = range(4)
"""Rows of a belief, float64[4, H*W]; DANGER is a pit or a live wumpus."""
FALLBACK = 0.2
"""The textbook's probability of a pit, used if percepts contradict the exact model (in a given cave)."""


@rule
def count_felt(settings, memory, square, bit):
    """Among the visited squares next to a square: how many felt ``bit``, and how many did not."""
    felt, calm = 0, 0
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[CELLS + there] & VISITED:
            if memory[CELLS + there] & bit:
                felt += 1
            else:
                calm += 1
    return felt, calm


@rule
def is_lair(settings, memory, square, stenches):
    """Whether the wumpus can be there, dead or alive, given all ``stenches`` and the result of the shot."""
    cell = memory[CELLS + square]
    if cell & (ROCK | MISSED) or memory[DEAD] != (cell & HIT != 0) or (cell & VISITED and not memory[DEAD]):
        return False
    felt, calm = count_felt(settings, memory, square, STENCH)
    if cell & VISITED:
        felt, calm = (felt + 1, calm) if cell & STENCH else (felt, calm + 1)
    return calm == 0 and felt == stenches


@routine
def sort_squares(settings, memory, pitless, kinds):
    """Fill ``kinds`` (int64[H*W]) with CLEAR, FRONTIER, FREE or KNOWN; return the number of FREE and of not KNOWN.

    Squares with the bit ``pitless`` are CLEAR unless they are KNOWN.
    """
    free, unknown = 0, 0
    for square in range(len(kinds)):
        if memory[CELLS + square] & (VISITED | ROCK):
            kinds[square] = KNOWN
            continue
        felt, calm = count_felt(settings, memory, square, BREEZE)
        clear = calm or memory[CELLS + square] & pitless
        kinds[square] = CLEAR if clear else FRONTIER if felt else FREE
        free += kinds[square] == FREE
        unknown += 1
    return free, unknown


@routine
def believe(settings, memory, chance, belief):
    """Fill ``belief`` (float64[4, H*W]): PIT, LAIR, GOLD, DANGER.

    Args:
        settings: See :mod:`.recollection`.
        memory: The percepts so far.
        chance: The probability of a pit in the independent model.
        belief: Output.

    Returns:
        The total weight of the possible layouts; and the model: 1 if it is the exact one, plus 2 if there is a wumpus,
        plus 4 if there are pits for all breezes. The ratio of two successive weights is a percept's probability; if
        the models differ, it is 0, because the first one excludes the percept.
    """
    squares = settings[HEIGHT] * settings[WIDTH]
    kinds = np.empty(squares, np.int64)
    free, unknown = sort_squares(settings, memory, 0, kinds)
    order, width, explained = plan_sum(settings, memory, kinds)
    stenches = 0
    for square in range(squares):
        stenches += memory[CELLS + square] & VISITED and memory[CELLS + square] & STENCH != 0
    lairs = np.empty(squares, np.int64)
    count = 0
    for square in range(squares):
        if is_lair(settings, memory, square, stenches):
            lairs[count] = square
            count += 1
    belief[:] = 0.0
    number, weight = settings[MODEL_PITS], 0.0
    if number >= 0:
        weight = believe_exactly(memory, number, kinds, free, unknown, order, width, lairs[:count], belief)
    exact = weight > 0
    if not exact:
        chance = FALLBACK if number >= 0 else chance
        weight = believe_independently(memory, chance, 0, kinds, unknown, order, width, lairs[:count], belief)
        if has_outer_squares(memory):
            weight = allow_for_square_part(settings, memory, chance, kinds, lairs[:count], weight, belief)
    for square in range(squares):
        lair = 0.0 if memory[DEAD] else belief[LAIR, square]
        pit = belief[PIT, square]
        belief[DANGER, square] = min(1.0, pit + lair) if exact else 1 - (1 - pit) * (1 - lair)
    return weight, exact + 2 * (count > 0) + 4 * explained


@routine
def believe_independently(memory, chance, pitless, kinds, unknown, order, width, lairs, belief):
    """Pits, wumpus and gold independently of each other; returns the total weight.

    Squares with the bit ``pitless`` have no pits.
    """
    pits = np.zeros(len(order))
    scratch = np.empty((2, len(order) + 1, 1 << width))
    weight, _ = sum_frontier(order, width, -1, np.ones(1), False, chance, scratch, pits)
    weight *= max(len(lairs), 1) * (1 if memory[HELD] else unknown)
    for square in range(len(kinds)):
        if kinds[square] == FREE:
            belief[PIT, square] = chance
        elif not memory[CELLS + square] & pitless and (kinds[square] == CLEAR or memory[CELLS + square] & VISITED):
            weight *= 1 - chance
        if kinds[square] != KNOWN and not memory[HELD]:
            belief[GOLD, square] = 1.0 / unknown
    for step in range(len(order)):
        belief[PIT, order[step, 0]] = pits[step]
    for lair in lairs:
        belief[LAIR, lair] = 1.0 / len(lairs)
    return weight


@rule
def has_outer_squares(memory):
    """Whether there are squares outside the square part."""
    bits = 0
    for cell in memory[CELLS:]:
        bits |= cell
    return bits & OUTER != 0


@routine
def allow_for_square_part(settings, memory, chance, kinds, lairs, weight, belief):
    """Change PIT from the independent model, with this ``weight``, to the mean of both models; returns their weight."""
    _, unknown = sort_squares(settings, memory, OUTER, kinds)
    order, width, explained = plan_sum(settings, memory, kinds)
    if not explained:
        return weight
    other = np.zeros_like(belief)
    second = believe_independently(memory, chance, OUTER, kinds, unknown, order, width, lairs, other)
    total = max(weight + second, 1e-300)
    for square in range(len(kinds)):
        belief[PIT, square] = (weight * belief[PIT, square] + second * other[PIT, square]) / total
    return weight + second


@routine
def believe_exactly(memory, number, kinds, free, unknown, order, width, lairs, belief):
    """All layouts on distinct squares, by the wumpus's square; returns the total weight."""
    pits = np.zeros((2, len(order)))
    weights, means = np.full(2, -1.0), np.zeros(2)
    scratch = np.empty((2, len(order) + 1, (number + 1) << width))
    everything = 0.0
    for k in range(max(len(lairs), 1)):
        lair = lairs[k] if len(lairs) else -1
        kind = kinds[lair] if lair >= 0 else KNOWN
        # All free squares of the wumpus are equivalent, as are all those where it excludes no pit.
        case = 1 if kind == FREE else 0
        left = free - case
        if kind == FRONTIER or weights[case] < 0:
            taken = lair if kind == FRONTIER else -1
            weights[case], means[case] = sum_frontier(
                order, width, taken, ways_for_free(left, number), True, 0.0, scratch, pits[case]
            )
        golds = 1 if memory[HELD] else unknown - number - (lair >= 0 and kind != KNOWN)
        weight = weights[case] * golds
        if weight > 0:
            everything += weight
            elsewhere = (number - means[case]) / left if left else 0.0
            tally(belief, kinds, order, pits[case], lair, weight, elsewhere, 0.0 if memory[HELD] else weight / golds)
        if kind == FRONTIER:
            weights[case] = -1.0
    for row in range(DANGER):
        for square in range(len(kinds)):
            belief[row, square] /= max(everything, 1e-300)
    return everything


@routine
def tally(belief, kinds, order, pits, lair, weight, elsewhere, gold):
    """Add the layouts with the wumpus on one square; ``gold``: the weight of those with the gold on a given square."""
    if lair >= 0:
        belief[LAIR, lair] += weight
    for square in range(len(kinds)):
        if square != lair and kinds[square] == FREE:
            belief[PIT, square] += weight * elsewhere
            belief[GOLD, square] += gold * (1 - elsewhere)
        elif square != lair and kinds[square] == CLEAR:
            belief[GOLD, square] += gold
    for step in range(len(order)):
        if order[step, 0] != lair:
            belief[PIT, order[step, 0]] += weight * pits[step]
            belief[GOLD, order[step, 0]] += gold * (1 - pits[step])
