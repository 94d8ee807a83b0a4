"""All rules of the Wumpus World (S. Russell and P. Norvig, "Artificial Intelligence", 7.2).

    level  int16[7 + H*W]                        state  int16[8 + H*W]
    ┌────────┬────────────────────────────┐      ┌────────┬───────────────────────────────────────┐
    │ HEIGHT │ rows of squares            │      │ SQUARE │ square of the agent                   │
    │ WIDTH  │ squares in a row           │      │ FACING │ NORTH, EAST, SOUTH or WEST            │
    │ START  │ square the agent begins on │      │ ARROW  │ 1 until it is shot                    │
    │ HEADING│ its facing at the start    │      │ ALIVE  │ 1 until the wumpus is killed          │
    │ GOLD_AT│ square of the gold         │      │ GOLD   │ square of the gold, or HELD           │
    │ CLIMB  │ 1: the action exists       │      │ BUMP   │ 1 after a step into a wall            │
    │ TEXTBOOK│1: pays for climbing out   │      │ SCREAM │ 1 after the step that killed it       │
    │ CELLS… │ bits of each square        │      │ ENDING │ RUNNING, or how the episode ended     │
    └────────┴────────────────────────────┘      │ SEEN…  │ 1 on each square visited              │
                                                 └────────┴───────────────────────────────────────┘

Squares are numbered row by row from the top left: ``square = row * WIDTH + column``.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.puzzle import DIED, LEFT, SOLVED, UNFINISHED
from ...engine.random import below, chance

HEIGHT, WIDTH, START, HEADING, GOLD_AT, CLIMB, TEXTBOOK, CELLS = range(8)
SQUARE, FACING, ARROW, ALIVE, GOLD, BUMP, SCREAM, ENDING, SEEN = range(9)

# Bits of a cell. The percepts and the passages (OPEN_NORTH << facing) are derived from the others by `finish`,
# so that a step need not look at adjacent squares.
WALL, PIT, WUMPUS, STENCH, BREEZE, OPEN_NORTH, OPEN_EAST, OPEN_SOUTH, OPEN_WEST = (1 << bit for bit in range(9))
HELD = -1
NORTH, EAST, SOUTH, WEST = range(4)
RUNNING, HOME, FELL, EATEN, CLIMBED = range(5)
TURN_LEFT, TURN_RIGHT, FORWARD, GRAB, RELEASE, SHOOT, CLIMB_OUT = range(7)

# settings int64[6]: what `generate` reads. PIT_WEIGHT is a probability times 2**32, or -1 for exactly PITS pits.
SET_HEIGHT, SET_WIDTH, PITS, PIT_WEIGHT, SET_CLIMB, SET_TEXTBOOK = range(6)

EACH_STEP, ARROW_COST, TREASURE, DEATH = -1.0, -10.0, 1000.0, -1000.0


@rule
def neighbour(level, square, facing):
    """Return the square ahead, or -1 if there is a wall."""
    if not level[CELLS + square] & (OPEN_NORTH << facing):
        return -1
    stride = level[WIDTH] if facing in (NORTH, SOUTH) else 1
    return square + stride if facing in (EAST, SOUTH) else square - stride


@rule
def mark_around(level, square, bit):
    """Set a percept's bit on a square and on those next to it."""
    level[CELLS + square] |= bit
    for facing in range(4):
        adjacent = neighbour(level, square, facing)
        if adjacent >= 0:
            level[CELLS + adjacent] |= bit


@rule
def finish(level):
    """Derive the passages between squares from the walls, then stench and breeze from wumpus and pits."""
    height, width = level[HEIGHT], level[WIDTH]
    square = CELLS
    for row in range(height):
        for column in range(width):
            if not level[square] & WALL:
                if row > 0 and not level[square - width] & WALL:
                    level[square] |= OPEN_NORTH
                if column + 1 < width and not level[square + 1] & WALL:
                    level[square] |= OPEN_EAST
                if row + 1 < height and not level[square + width] & WALL:
                    level[square] |= OPEN_SOUTH
                if column > 0 and not level[square - 1] & WALL:
                    level[square] |= OPEN_WEST
            square += 1
    for square in range(height * width):
        if level[CELLS + square] & WUMPUS:
            mark_around(level, square, STENCH)
        if level[CELLS + square] & PIT:
            mark_around(level, square, BREEZE)


@rule
def begin(level, state):
    """Write the start state of a level."""
    state[:] = 0
    state[SQUARE] = level[START]
    state[FACING] = level[HEADING]
    state[ARROW] = 1
    state[ALIVE] = 1
    state[GOLD] = level[GOLD_AT]
    state[SEEN + level[START]] = 1


@rule
def any_square(rng, squares, start):
    """Sample a square other than ``start`` uniformly."""
    square = below(rng, squares - 1)
    return square + 1 if square >= start else square


@rule
def generate(settings, rng, level, state):
    """Generate a random cave; the agent starts in the bottom left corner, facing east.

    With ``PITS``, wumpus, gold and pits are on distinct squares, and all such layouts are equally likely.
    With ``PIT_WEIGHT``, as in the textbook, each of them is placed independently.
    """
    height, width = settings[SET_HEIGHT], settings[SET_WIDTH]
    squares = height * width
    level[:] = 0
    level[HEIGHT] = height
    level[WIDTH] = width
    level[START] = start = squares - width
    level[HEADING] = EAST
    level[CLIMB] = settings[SET_CLIMB]
    level[TEXTBOOK] = settings[SET_TEXTBOOK]
    wumpus = any_square(rng, squares, start)
    gold = any_square(rng, squares, start)
    weight = settings[PIT_WEIGHT]
    if weight >= 0:
        for square in range(squares):
            if square != start and chance(rng, weight):
                level[CELLS + square] = PIT
    else:
        while gold == wumpus:
            gold = any_square(rng, squares, start)
        # Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): `missing` pits on `free` remaining squares.
        missing, free = settings[PITS], squares - 3
        for square in range(squares):
            if missing > 0 and square != start and square != wumpus and square != gold:
                if below(rng, free) < missing:
                    level[CELLS + square] = PIT
                    missing -= 1
                free -= 1
    level[CELLS + wumpus] |= WUMPUS
    level[GOLD_AT] = gold
    finish(level)
    begin(level, state)


@rule
def step(level, state, action, rng):
    """Apply one action in place, and return (reward, terminated)."""
    state[BUMP] = 0
    state[SCREAM] = 0
    reward = EACH_STEP
    if action == TURN_LEFT:
        state[FACING] = (state[FACING] + 3) % 4
    elif action == TURN_RIGHT:
        state[FACING] = (state[FACING] + 1) % 4
    elif action == FORWARD:
        reward += walk(level, state)
    elif action == GRAB:
        if state[GOLD] == state[SQUARE]:
            state[GOLD] = HELD
            reward += treasure(level)
    elif action == RELEASE:
        if state[GOLD] == HELD:
            state[GOLD] = state[SQUARE]
            reward -= treasure(level)
    elif action == SHOOT:
        if state[ARROW]:
            reward += ARROW_COST
            shoot(level, state)
    elif action == CLIMB_OUT and state[SQUARE] == level[START]:
        state[ENDING] = CLIMBED
        if level[TEXTBOOK] and state[GOLD] == HELD:
            reward += TREASURE
    if state[ENDING] == RUNNING and state[GOLD] == HELD and state[SQUARE] == level[START] and not level[TEXTBOOK]:
        state[ENDING] = HOME
    return reward, state[ENDING] != RUNNING


@rule
def treasure(level):
    """Return the reward for grabbing the gold; with textbook rewards, it is paid for climbing out instead."""
    return 0.0 if level[TEXTBOOK] else TREASURE


@rule
def walk(level, state):
    """Take one step ahead, and return its reward in addition to EACH_STEP."""
    ahead = neighbour(level, state[SQUARE], state[FACING])
    if ahead < 0:
        state[BUMP] = 1
        return 0.0
    state[SQUARE] = ahead
    state[SEEN + ahead] = 1
    if level[CELLS + ahead] & PIT:
        state[ENDING] = FELL
        return DEATH
    if level[CELLS + ahead] & WUMPUS and state[ALIVE]:
        state[ENDING] = EATEN
        return DEATH
    return 0.0


@rule
def shoot(level, state):
    """Shoot the arrow, which flies ahead until it hits the wumpus or a wall."""
    state[ARROW] = 0
    square = neighbour(level, state[SQUARE], state[FACING])
    while square >= 0:
        if level[CELLS + square] & WUMPUS and state[ALIVE]:
            state[ALIVE] = 0
            state[SCREAM] = 1
            return
        square = neighbour(level, square, state[FACING])


@rule
def outcome(level, state):
    """Return the outcome; climbing out is SOLVED with the gold and LEFT without it."""
    ending = state[ENDING]
    if ending == RUNNING:
        return UNFINISHED
    if ending in (FELL, EATEN):
        return DIED
    return SOLVED if state[GOLD] == HELD else LEFT


@rule
def solved(level, state):
    """Whether the agent is out of the cave, or on the start square, with the gold."""
    return outcome(level, state) == SOLVED


@rule
def legal(level, state, action):
    """Whether the action has any effect. It depends only on what the agent knows, which sees adjacent walls."""
    if action == FORWARD:
        return neighbour(level, state[SQUARE], state[FACING]) >= 0
    if action == GRAB:
        return state[GOLD] == state[SQUARE]
    if action == RELEASE:
        return state[GOLD] == HELD
    if action == SHOOT:
        return state[ARROW] == 1
    if action == CLIMB_OUT:
        return level[CLIMB] == 1 and state[SQUARE] == level[START]
    return True
