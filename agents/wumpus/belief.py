"""The exact probabilities of a pit, the wumpus and the gold on every square, given all percepts so far.

Every layout that agrees with the percepts is weighted by the probability of generating it. There are two models:

*Exact*: the wumpus, the gold and a known number of pits lie on distinct squares, all layouts equally likely.
*Independent*: each square has a pit with a probability of its own; wumpus and gold lie anywhere.

In a given cave (``levels=``) the independent model counts, since nothing is known about the number of pits.

Pits outside the frontier are only counted. The position of the wumpus is enumerated; if pits and wumpus cannot share a
square, it excludes a pit there.

The memory of the agent is one row per environment, ``memory int16[9 + H*W]``:

    SQUARE  its square                HELD    1 with the gold in hand
    FACING  its facing                DEAD    1 once the wumpus has screamed
    START   the start square          LAST    its last action, -1 before the first
    ARROW   1 until it has shot       GOAL    its current goal, -1 for none
    CLOCK   steps taken               CELLS…  bits per square

The agent always knows its position: it sees no wall before it bumps, but it perceives the bump.

*The sum over the frontier* is the weight of all layouts of pits that explain the breezes, and where the pits are. A
breeze means that there is a pit on one of the unvisited squares next to it. Only squares next to
breezes, and next to no visited square without one, are constrained by that (the *frontier*). The sum proceeds square by
square. Its state is the set of active breezes that are explained so far, so the sum is as long as the frontier and as
wide as the number of overlapping breezes. Summing once from each end gives the probability of every square (the
forward-backward algorithm).
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import FORWARD, GRAB, RELEASE, SHOOT, TURN_LEFT, TURN_RIGHT

from .cave_agent import BREEZE_FELT, BUMPED, GLITTER_SEEN, HEIGHT, SCREAMED, STENCH_FELT, WIDTH, neighbour

SQUARE, FACING, START, ARROW, HELD, DEAD, LAST, GOAL, CLOCK, CELLS = range(10)
VISITED, STENCH, BREEZE, GLITTER, ROCK, MISSED, HIT = (1 << bit for bit in range(7))
"""MISSED: an arrow flew through without a scream. HIT: the arrow that flew through killed the wumpus."""

# settings int64[5]: the cave's size; the number of pits, -1 if each square has one at random; is there a CLIMB action;
# the step limit of an episode.
MODEL_PITS, CLIMB, LIMIT = range(2, 5)


@rule
def open_neighbour(settings, memory, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave or at known rock."""
    there = neighbour(settings, square, facing)
    return -1 if there < 0 or memory[CELLS + there] & ROCK else there


@rule
def begin(memory, start, facing):
    """The memory before the first percept."""
    memory[:] = 0
    memory[SQUARE] = start
    memory[START] = start
    memory[FACING] = facing
    memory[ARROW] = 1
    memory[LAST] = -1
    memory[GOAL] = -1


@rule
def perceive(settings, memory, percepts):
    """Update the memory by the percepts of the last action; returns whether anything is new."""
    last, fresh = memory[LAST], memory[LAST] < 0
    memory[CLOCK] = min(memory[CLOCK] + (last >= 0), 32000)
    if last == TURN_LEFT:
        memory[FACING] = (memory[FACING] + 3) % 4
    elif last == TURN_RIGHT:
        memory[FACING] = (memory[FACING] + 1) % 4
    elif last == GRAB and memory[CELLS + memory[SQUARE]] & GLITTER:
        memory[HELD] = 1
        fresh = True
    elif last == RELEASE and memory[HELD]:  # only a person does this
        memory[HELD] = 0
        fresh = True
    elif last == FORWARD:
        ahead = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
        if ahead >= 0 and percepts[BUMPED]:
            memory[CELLS + ahead] |= ROCK
            fresh = True
        elif ahead >= 0:
            memory[SQUARE] = ahead
    elif last == SHOOT and memory[ARROW]:
        fresh = True
        note_shot(settings, memory, percepts[SCREAMED])
    here = CELLS + memory[SQUARE]
    if not memory[here] & VISITED:
        fresh = True
    memory[here] &= ~GLITTER
    memory[here] |= VISITED | STENCH * percepts[STENCH_FELT] | BREEZE * percepts[BREEZE_FELT]
    memory[here] |= GLITTER * percepts[GLITTER_SEEN]
    return fresh


@rule
def note_shot(settings, memory, screamed):
    """Record a shot: the arrow is gone, and the wumpus was in its path or was not."""
    memory[ARROW] = 0
    memory[DEAD] = screamed
    there = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    while there >= 0:
        memory[CELLS + there] |= HIT if screamed else MISSED
        there = open_neighbour(settings, memory, there, memory[FACING])


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
def sort_squares(settings, memory, kinds):
    """Fill ``kinds`` (int64[H*W]) with CLEAR, FRONTIER, FREE or KNOWN; return the number of FREE and of not KNOWN."""
    free, unknown = 0, 0
    for square in range(len(kinds)):
        if memory[CELLS + square] & (VISITED | ROCK):
            kinds[square] = KNOWN
            continue
        felt, calm = count_felt(settings, memory, square, BREEZE)
        kinds[square] = CLEAR if calm else FRONTIER if felt else FREE
        free += kinds[square] == FREE
        unknown += 1
    return free, unknown


@routine
def believe(settings, memory, chance, belief):
    """Fill ``belief`` (float64[4, H*W]): PIT, LAIR, GOLD, DANGER.

    Args:
        settings: See :mod:`.belief`.
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
    free, unknown = sort_squares(settings, memory, kinds)
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
        weight = believe_independently(memory, chance, kinds, unknown, order, width, lairs[:count], belief)
    for square in range(squares):
        lair = 0.0 if memory[DEAD] else belief[LAIR, square]
        pit = belief[PIT, square]
        belief[DANGER, square] = min(1.0, pit + lair) if exact else 1 - (1 - pit) * (1 - lair)
    return weight, exact + 2 * (count > 0) + 4 * explained


@routine
def believe_independently(memory, chance, kinds, unknown, order, width, lairs, belief):
    """Pits, wumpus and gold independently of each other; returns the total weight."""
    pits = np.zeros(len(order))
    scratch = np.empty((2, len(order) + 1, 1 << width))
    weight, _ = sum_frontier(order, width, -1, np.ones(1), False, chance, scratch, pits)
    weight *= max(len(lairs), 1) * (1 if memory[HELD] else unknown)
    for square in range(len(kinds)):
        if kinds[square] == FREE:
            belief[PIT, square] = chance
        elif kinds[square] == CLEAR or memory[CELLS + square] & VISITED:
            weight *= 1 - chance
        if kinds[square] != KNOWN and not memory[HELD]:
            belief[GOLD, square] = 1.0 / unknown
    for step in range(len(order)):
        belief[PIT, order[step, 0]] = pits[step]
    for lair in lairs:
        belief[LAIR, lair] = 1.0 / len(lairs)
    return weight


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
