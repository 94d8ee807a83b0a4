"""Quick estimates of what a state of knowledge is worth: the leaves of :mod:`.lookahead`."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.wumpus import rules

from .belief import DANGER, GOLD, LAIR, PIT
from .geometry import HEIGHT, WIDTH
from .recollection import ARROW, CELLS, CLIMB, CLOCK, LIMIT, MODEL_PITS, ROCK, VISITED, open_neighbour
from .walking import CERTAIN

PROSPECT = 2.5
"""Number of further squares the agent expects to examine once all safe ones are visited; tuned."""
PROSPECT_OF_COUNT = 5.0
"""The same if the number of pits is known: the more of them were found, the safer is what is left."""
ARMED = 1.0
"""How many more squares it then expects to examine while it has its arrow; tuned."""
TREASURE, DEATH = rules.TREASURE, -rules.DEATH
ARROW_COST = -rules.ARROW_COST - rules.EACH_STEP


@rule
def stop_value(settings, memory, home):
    """Return the value of stopping now, this many steps from home."""
    return -1.0 - home if settings[CLIMB] else -1.0 * (settings[LIMIT] - memory[CLOCK])


@routine
def outlook(settings, memory, belief, stop):
    """Return the value of a belief: the gold on squares that are safe to reach, and prospects beyond."""
    squares = settings[HEIGHT] * settings[WIDTH]
    reached, queue = np.zeros(squares, np.bool_), np.empty(squares, np.int64)
    tail, gold, new = 0, 0.0, 0
    for square in range(squares):
        if memory[CELLS + square] & VISITED:
            reached[square] = True
            queue[tail] = square
            tail += 1
    head = 0
    while head < tail:
        square = queue[head]
        head += 1
        for facing in range(4):
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and not reached[there] and belief[DANGER, there] < CERTAIN:
                reached[there] = True
                queue[tail] = there
                tail += 1
                new += 1
                gold += belief[GOLD, there]
    if new == 0:
        risk = best_risk(settings, memory, belief, stop)
        return max(risk, best_shot(settings, memory, belief, stop, risk)) if memory[ARROW] else risk
    return gold * TREASURE + (1 - gold) * beyond(settings, memory, stop) - 2 * new


@rule
def beyond(settings, memory, stop):
    """Return the value of going on without a plan: stopping, or finding the gold."""
    unknown = 0
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        unknown += memory[CELLS + square] & (VISITED | ROCK) == 0
    prospect = PROSPECT if settings[MODEL_PITS] < 0 else PROSPECT_OF_COUNT + ARMED * memory[ARROW]
    share = min(prospect / max(unknown, 1), 0.5)
    return stop + share * (TREASURE - stop)


@routine
def best_risk(settings, memory, belief, stop):
    """Return the approximate value of the best risk."""
    best, further = stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            best = max(best, first_look(belief, square, further))
    return best


@routine
def best_shot(settings, memory, belief, stop, risk):
    """Return the approximate value of shooting where the wumpus most likely is, if a miss leaves the best risk."""
    hit, best, further = 0.0, stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            hit = max(hit, belief[LAIR, square])
            gold, pit = belief[GOLD, square], belief[PIT, square]
            best = max(best, gold * TREASURE - pit * DEATH + max(1 - pit - gold, 0.0) * further)
    return -ARROW_COST + hit * best + (1 - hit) * risk


@rule
def first_look(belief, square, further):
    """Return the approximate value of entering a square."""
    danger, gold = belief[DANGER, square], belief[GOLD, square]
    return gold * TREASURE - danger * DEATH + max(1 - danger - gold, 0.0) * further


@rule
def on_edge(settings, memory, square):
    """Whether it is not visited, but next to a visited square."""
    if memory[CELLS + square] & (VISITED | ROCK):
        return False
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[CELLS + there] & VISITED:
            return True
    return False
