"""Decisions of the Bayesian agent of the Wumpus World: maximises the expected return.

1. It grabs visible gold, and carries it home over squares that are visited or certainly safe.
2. It visits the nearest certainly safe square.
3. If there is none, it compares the expected returns of stopping, of each possible risk, and of each shot. The return
   of a risk is computed from what it would know next: for each possible percept, the gold on the squares that become
   certainly safe. Gold beyond those is found with the probability that it is on one of ``PROSPECT`` more squares.

Stopping is climbing out, or turning on the spot until the step limit, which costs the remaining steps.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compilation import compiled, routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import GRAB, TURN_LEFT

from .belief import DANGER, GOLD, LAIR, PIT, believe
from .geometry import HEIGHT, WIDTH
from .recollection import (
    ARROW,
    BREEZE,
    CELLS,
    CLIMB,
    CLOCK,
    DEAD,
    FACING,
    GLITTER,
    GOAL,
    HELD,
    HIT,
    LAST,
    LIMIT,
    MISSED,
    MODEL_PITS,
    ROCK,
    SQUARE,
    START,
    STENCH,
    VISITED,
    begin,
    beside,
    perceive,
)
from .walking import CERTAIN, FAR, approach, leave, nearest, survey

PROSPECT = 2.5
"""Number of further squares the agent expects to examine once all safe ones are visited; tuned."""
PROSPECT_OF_COUNT = 5.0
"""The same if the number of pits is known: the more of them were found, the safer is what is left."""
ARMED = 1.0
"""How many more squares it then expects to examine while it has its arrow; tuned."""
LIKELY = 0.1
"""The minimum probability of a hit for a shot to be considered."""
WEIGHED = 4
"""How many risks are evaluated in full after a shot."""
TREASURE, DEATH, ARROW_COST = 1000.0, 1000.0, 11.0
NOTHING, STAY = -1, -2
"""Values of GOAL: undecided; stop. Others: a square to enter, or H*W + 4 * square + facing to shoot from."""


@routine
def decide(settings, memory, percepts, chance, belief):
    """The next action; ``belief`` (float64[4, H*W]) is computed again if the memory has changed."""
    if perceive(settings, memory, percepts):
        memory[GOAL] = NOTHING
        believe(settings, memory, chance, belief)
    action = choose(settings, memory, chance, belief)
    memory[LAST] = action
    return action


@routine
def choose(settings, memory, chance, belief):
    """The next action, given memory and belief."""
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


@rule
def stop_value(settings, memory, home):
    """The value of stopping now, this many steps from home."""
    return -1.0 - home if settings[CLIMB] else -1.0 * (settings[LIMIT] - memory[CLOCK])


@routine
def find_goal(settings, memory, chance, belief):
    """The next goal: see NOTHING and STAY."""
    squares = settings[HEIGHT] * settings[WIDTH]
    steps, queue = np.empty(4 * squares, np.int16), np.empty(4 * squares, np.int16)
    survey(settings, memory, belief, 4 * memory[SQUARE] + memory[FACING], steps, queue)
    goal, least = STAY, FAR
    for square in range(squares):
        safe = not memory[CELLS + square] & VISITED and belief[DANGER, square] < CERTAIN
        if safe and nearest(steps, square) < least:
            goal, least = square, nearest(steps, square)
    if goal >= 0:
        return goal
    stop = stop_value(settings, memory, nearest(steps, memory[START]))
    best = stop
    guess, later = np.empty_like(belief), memory.copy()
    weighed = believe(settings, memory, chance, belief)
    for square in range(squares):
        if memory[CELLS + square] & VISITED or nearest(steps, square) == FAR:
            continue
        value = value_of_risk(settings, memory, chance, belief, weighed, square, stop, later, guess)
        value -= nearest(steps, square)
        if value > best:
            best, goal = value, square
    if memory[ARROW]:
        for stance in range(4 * squares):
            if is_best_stance(settings, memory, belief, steps, stance):
                value = value_of_shot(settings, memory, chance, belief, stance, stop, later, guess) - steps[stance]
                if value > best:
                    best, goal = value, squares + stance
    return goal


@rule
def aim(settings, memory, belief, stance):
    """The probability that an arrow from a stance hits; and the last square in its path where the wumpus may be."""
    hit, last, there = 0.0, -1, beside(settings, memory, stance >> 2, stance & 3)
    while there >= 0:
        if belief[LAIR, there] > 0:
            hit, last = hit + belief[LAIR, there], there
        there = beside(settings, memory, there, stance & 3)
    return hit, last


@routine
def is_best_stance(settings, memory, belief, steps, stance):
    """Is a hit likely enough from there, and no nearer stance as good?"""
    if steps[stance] == FAR or not memory[CELLS + (stance >> 2)] & VISITED:
        return False
    hit, last = aim(settings, memory, belief, stance)
    if hit < LIKELY:
        return False
    for other in range(stance & 3, len(steps), 4):
        nearer = steps[other] < steps[stance] or (steps[other] == steps[stance] and other < stance)
        nearer = nearer and memory[CELLS + (other >> 2)] & VISITED != 0
        if nearer and aim(settings, memory, belief, other) == (hit, last):
            return False
    return True


@routine
def value_of_risk(settings, memory, chance, belief, weighed, square, stop, later, guess):
    """The expected return of entering a square: death, gold, or new percepts; ``weighed`` is from `believe`."""
    danger = belief[DANGER, square]
    value = -danger * DEATH
    if value + (1 - danger) * TREASURE <= stop:
        return value
    for percept in range(4):
        likely = enter(settings, memory, chance, weighed, square, percept, later, guess)
        if likely > CERTAIN:
            value += likely * outlook(settings, later, guess, stop)
            danger += likely
    return value + max(1 - danger, 0.0) * TREASURE


@routine
def enter(settings, memory, chance, weighed, square, percept, later, guess):
    """The probability of entering a square alive, without finding the gold, and feeling one of four percepts there.

    Percepts are 1 for a stench plus 2 for a breeze. ``later`` and ``guess`` become the memory and belief after that;
    ``weighed`` is from `believe`.
    """
    later[:] = memory
    later[CELLS + square] |= VISITED | STENCH * (percept & 1) | BREEZE * (percept >> 1)
    weight, model = believe(settings, later, chance, guess)
    return weight / weighed[0] if model == weighed[1] else 0.0  # else no layout that was possible agrees


@routine
def value_of_shot(settings, memory, chance, belief, stance, stop, later, guess):
    """The expected return of an arrow from a stance: of a hit, and of a miss."""
    hit, _ = aim(settings, memory, belief, stance)
    value = -ARROW_COST
    for killed in range(2):
        likely = hit if killed else 1 - hit
        if likely > CERTAIN:
            later[:] = memory
            later[ARROW], later[DEAD] = 0, killed
            there = beside(settings, memory, stance >> 2, stance & 3)
            while there >= 0:
                later[CELLS + there] |= HIT if killed else MISSED
                there = beside(settings, memory, there, stance & 3)
            weighed = believe(settings, later, chance, guess)
            value += likely * value_unmoved(settings, later, chance, guess, weighed, stop)
    return value


@routine
def value_unmoved(settings, memory, chance, belief, weighed, stop):
    """The value of a belief: of the squares safe to visit, or of the best of the WEIGHED most promising risks."""
    best = outlook(settings, memory, belief, stop)
    further, looks = beyond(settings, memory, stop), np.full(belief.shape[1], -np.inf)
    for square in range(len(looks)):
        if on_edge(settings, memory, square):
            looks[square] = first_look(belief, square, further)
    guess, later = np.empty_like(belief), memory.copy()
    for _ in range(WEIGHED):
        risk = np.argmax(looks)
        if looks[risk] == -np.inf or belief[DANGER, risk] < CERTAIN:
            break
        looks[risk] = -np.inf
        best = max(best, value_of_risk(settings, memory, chance, belief, weighed, risk, stop, later, guess))
    return best


@routine
def outlook(settings, memory, belief, stop):
    """The value of a belief: the gold on squares that are safe to reach, and prospects beyond."""
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
            there = beside(settings, memory, square, facing)
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
    """The value of going on without a plan: stopping, or finding the gold."""
    unknown = 0
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        unknown += memory[CELLS + square] & (VISITED | ROCK) == 0
    prospect = PROSPECT if settings[MODEL_PITS] < 0 else PROSPECT_OF_COUNT + ARMED * memory[ARROW]
    share = min(prospect / max(unknown, 1), 0.5)
    return stop + share * (TREASURE - stop)


@routine
def best_risk(settings, memory, belief, stop):
    """The approximate value of the best risk."""
    best, further = stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            best = max(best, first_look(belief, square, further))
    return best


@routine
def best_shot(settings, memory, belief, stop, risk):
    """The approximate value of shooting where the wumpus most likely is, if a miss leaves the best risk."""
    hit, best, further = 0.0, stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            hit = max(hit, belief[LAIR, square])
            gold, pit = belief[GOLD, square], belief[PIT, square]
            best = max(best, gold * TREASURE - pit * DEATH + max(1 - pit - gold, 0.0) * further)
    return -ARROW_COST + hit * best + (1 - hit) * risk


@rule
def first_look(belief, square, further):
    """The approximate value of entering a square."""
    danger, gold = belief[DANGER, square], belief[GOLD, square]
    return gold * TREASURE - danger * DEATH + max(1 - danger - gold, 0.0) * further


@rule
def on_edge(settings, memory, square):
    """Not visited, but next to a visited square?"""
    if memory[CELLS + square] & (VISITED | ROCK):
        return False
    for facing in range(4):
        there = beside(settings, memory, square, facing)
        if there >= 0 and memory[CELLS + there] & VISITED:
            return True
    return False


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(settings, percepts, chance, starting, starts, rock, memory, beliefs, actions)``, compiled once.

    ``starting`` (bool[B]) rows of ``memory`` (int16[B, M]) are reset to ``starts`` (int16[B, 2]: square,
    facing) and the visible ``rock`` (bool[B, H*W]); then every row decides, and ``actions`` (int64[B]) is
    filled. ``beliefs`` is float64[B, 4, H*W].
    """

    def decide_batch(settings, percepts, chance, starting, starts, rock, memory, beliefs, actions):
        for i in range(len(actions)):
            if starting[i]:
                begin(memory[i], starts[i, 0], starts[i, 1])
                memory[i, CELLS:] = ROCK * rock[i]
            actions[i] = decide(settings, memory[i], percepts[i], chance, beliefs[i])

    return compiled(decide_batch, "wumpus-bayesian")
