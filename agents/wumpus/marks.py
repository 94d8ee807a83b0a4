"""The memory of the online-search agent of the Wumpus World, and what it infers from its percepts.

One row per environment, ``memory int16[8 + 2*H*W]``:

    SQUARE  its square                     HELD    1 with the gold in hand
    FACING  its facing                     DEAD    1 once the wumpus has screamed
    START   the start square               LAST    its last action, -1 before the first
    ARROW   1 until it has shot            GOAL    the square it is going to, -1 for none
    MARKS…  twelve bits per square         then the facts per square: ROCK, NO_WUMPUS

Squares are numbered as in the rules, row by row from the top left. CURRENT, VISITED, GLITTER,
STENCH and BREEZE are perceived; :func:`conclude` derives the other marks from them, in one of two
ways. *Original*: a square next to two breezes is taken for a pit, next to two stenches for the wumpus,
even if another square could explain them. *Sound*: only what the percepts prove.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.puzzles.wumpus.rules import FORWARD, GRAB, RELEASE, SHOOT, TURN_LEFT, TURN_RIGHT

from .geometry import BREEZE_FELT, BUMPED, GLITTER_SEEN, HEIGHT, SCREAMED, STENCH_FELT, WIDTH, neighbour

SQUARE, FACING, START, ARROW, HELD, DEAD, LAST, GOAL, MARKS = range(9)

CURRENT, SAFE, VISITED, GLITTER, STENCH, BREEZE = 1, 2, 4, 8, 16, 32
MAYBE_GOLD, MAYBE_PIT, MAYBE_WUMPUS, SURE_GOLD, SURE_PIT, SURE_WUMPUS = 64, 128, 256, 512, 1024, 2048
PERCEIVED = CURRENT | VISITED | GLITTER | STENCH | BREEZE | SURE_GOLD
# Facts: the agent bumped into solid rock there; an arrow flew through without a scream.
ROCK, NO_WUMPUS = 1, 2

# settings int64[5]: the cave's size; SOUND marks or the original ones; may it take RISKs; is there a CLIMB action.
SOUND, RISK, CLIMB = range(2, 5)


@rule
def open_neighbour(settings, memory, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave or at known rock."""
    there = neighbour(settings, square, facing)
    rock = MARKS + settings[HEIGHT] * settings[WIDTH] + there
    return -1 if there < 0 or memory[rock] & ROCK else there


@rule
def begin(settings, memory, start, facing):
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
    """Update the memory: the effect of the last action, according to its percepts."""
    squares = settings[HEIGHT] * settings[WIDTH]
    last, left = memory[LAST], memory[SQUARE]
    fresh = last < 0
    if last == TURN_LEFT:
        memory[FACING] = (memory[FACING] + 3) % 4
    elif last == TURN_RIGHT:
        memory[FACING] = (memory[FACING] + 1) % 4
    elif last == GRAB:
        memory[HELD] |= memory[MARKS + left] & GLITTER != 0
    elif last == RELEASE:
        memory[HELD] = 0
    elif last == FORWARD:
        ahead = open_neighbour(settings, memory, left, memory[FACING])
        if ahead >= 0 and percepts[BUMPED]:
            memory[MARKS + squares + ahead] |= ROCK
            memory[GOAL] = -1
            fresh = True
        elif ahead >= 0:
            memory[SQUARE] = ahead
    elif last == SHOOT and memory[ARROW]:
        memory[ARROW] = 0
        fresh = True
        if not percepts[SCREAMED]:
            note_silence(settings, memory)
    if percepts[SCREAMED] and not memory[DEAD]:
        memory[DEAD] = 1
        fresh = True
    square = memory[SQUARE]
    memory[MARKS + left] &= ~(CURRENT | SURE_GOLD | GLITTER)
    if not memory[MARKS + square] & VISITED:
        fresh = True
        memory[MARKS + square] |= VISITED
        if percepts[STENCH_FELT]:
            memory[MARKS + square] |= STENCH
        if percepts[BREEZE_FELT]:
            memory[MARKS + square] |= BREEZE
    memory[MARKS + square] |= CURRENT
    if percepts[GLITTER_SEEN]:
        memory[MARKS + square] |= GLITTER | SURE_GOLD
    if memory[GOAL] == square:
        memory[GOAL] = -1
    if fresh:
        conclude(settings, memory)


@rule
def note_silence(settings, memory):
    """An arrow without a scream: no wumpus ahead, up to the first square that may be rock."""
    squares = settings[HEIGHT] * settings[WIDTH]
    there = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    while there >= 0:
        memory[MARKS + squares + there] |= NO_WUMPUS
        if not memory[MARKS + there] & VISITED:
            return
        there = open_neighbour(settings, memory, there, memory[FACING])


@rule
def conclude(settings, memory):
    """Derive the marks that are not perceived, for all squares."""
    squares = settings[HEIGHT] * settings[WIDTH]
    for square in range(squares):
        memory[MARKS + square] &= PERCEIVED
        if memory[MARKS + square] & VISITED:
            memory[MARKS + square] |= SAFE
    if settings[SOUND]:
        conclude_soundly(settings, memory)
    else:
        conclude_hastily(settings, memory)


@rule
def count_beside(settings, memory, square, mask, value):
    """Return the number of neighbours with exactly ``value`` among the marks in ``mask``."""
    count = 0
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[MARKS + there] & mask == value:
            count += 1
    return count


@rule
def conclude_hastily(settings, memory):
    """Return the original program's inference: suspicions are counted, and two are taken for certainty."""
    squares = settings[HEIGHT] * settings[WIDTH]
    feared = BREEZE if memory[DEAD] else BREEZE | STENCH
    for square in range(squares):
        if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
            continue
        calm = count_beside(settings, memory, square, VISITED | feared, VISITED)
        breezes = count_beside(settings, memory, square, BREEZE, BREEZE)
        stenches = 0 if memory[DEAD] else count_beside(settings, memory, square, STENCH, STENCH)
        if calm:
            memory[MARKS + square] |= SAFE
            continue
        if breezes:
            memory[MARKS + square] |= SURE_PIT if breezes > 1 else MAYBE_PIT
        if stenches and not memory[MARKS + squares + square] & NO_WUMPUS:
            memory[MARKS + square] |= SURE_WUMPUS if stenches > 1 else MAYBE_WUMPUS
    mark_gold(settings, memory)


@rule
def pit_possible(settings, memory, square):
    """Whether the percepts allow a pit there: every visited neighbour must have had a breeze."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
        return False
    return count_beside(settings, memory, square, VISITED | BREEZE, VISITED) == 0


@rule
def wumpus_possible(settings, memory, square, stenches):
    """Whether the percepts allow the live wumpus there: it must explain all ``stenches``, and contradict no silence."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[DEAD] or memory[MARKS + square] & VISITED or memory[MARKS + squares + square]:
        return False
    if count_beside(settings, memory, square, VISITED | STENCH, VISITED):
        return False
    return count_beside(settings, memory, square, STENCH, STENCH) == stenches


@rule
def conclude_soundly(settings, memory):
    """Infer only what the percepts prove, without assumptions about the number of pits or shared squares.

    A square without a pit follows from one neighbour without a breeze, and a pit from a breeze
    that nothing else can explain. As breezes constrain pits independently, these two rules find every
    pit and every pit-free square that can be proved; the wumpus is found as the only
    square left that explains all stenches.
    """
    squares = settings[HEIGHT] * settings[WIDTH]
    stenches = 0
    for square in range(squares):
        if memory[MARKS + square] & STENCH:
            stenches += 1
    lairs, lair = 0, -1
    for square in range(squares):
        if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
            continue
        pit = pit_possible(settings, memory, square)
        wumpus = wumpus_possible(settings, memory, square, stenches)
        if not pit and not wumpus:
            memory[MARKS + square] |= SAFE
        if pit and count_beside(settings, memory, square, BREEZE, BREEZE):
            memory[MARKS + square] |= MAYBE_PIT
        if wumpus and stenches:
            memory[MARKS + square] |= MAYBE_WUMPUS
            lairs, lair = lairs + 1, square
    if lairs == 1:
        memory[MARKS + lair] = memory[MARKS + lair] & ~MAYBE_WUMPUS | SURE_WUMPUS
    for square in range(squares):
        if memory[MARKS + square] & BREEZE:
            blame_last_suspect(settings, memory, square)
    mark_gold(settings, memory)


@rule
def blame_last_suspect(settings, memory, square):
    """If only one neighbour can explain the breeze on ``square``, it is a pit."""
    suspects, suspect = 0, -1
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[MARKS + there] & (MAYBE_PIT | SURE_PIT):
            suspects, suspect = suspects + 1, there
    if suspects == 1:
        memory[MARKS + suspect] = memory[MARKS + suspect] & ~MAYBE_PIT | SURE_PIT


@rule
def mark_gold(settings, memory):
    """Until the gold is in hand, it may lie on each unvisited square the agent could enter next."""
    squares = settings[HEIGHT] * settings[WIDTH]
    for square in range(squares):
        if memory[HELD] == 0 and is_frontier(settings, memory, square):
            memory[MARKS + square] |= MAYBE_GOLD


@rule
def is_frontier(settings, memory, square):
    """Whether it is not visited, but next to a visited square, and not known to be rock."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
        return False
    return count_beside(settings, memory, square, VISITED, VISITED) > 0
