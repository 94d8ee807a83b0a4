"""All rules of Bait: those of GVGAI, with the order of events of its Java framework.

    level  int16[2 + N]                          state  int16[4 + ceil(N / 4)]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ STRIDE │ squares in a row           │      │ AVATAR │ square of the avatar                │
    │ SCHEME │ PEAS or GVGAI              │      │ KEY    │ 1: the key is in hand               │
    │ CELLS… │ bits of each square: is it │      │ GOALS  │ goals left: 0 is won                │
    │        │ a wall, and which of its   │      │ WORTH  │ GVGAI's score for what is left      │
    │        │ sides are                  │      │ THINGS…│ four bits per square, 4 squares per │
    └────────┴────────────────────────────┘      │        │ number: the things on it            │
                                                 └────────┴─────────────────────────────────────┘

A board has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``. Everything outside it
is wall. GOALS and WORTH are functions of the things on the board, so equal positions have equal bytes, and the score is
the decrease of WORTH. An avatar on a hole's square is dead.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.puzzle import DIED, SOLVED, UNFINISHED

STRIDE, SCHEME, CELLS = range(3)
AVATAR, KEY, GOALS, WORTH, THINGS = range(5)
UP, DOWN, LEFT, RIGHT, WAIT = range(5)
# Bits of a cell: bit `action` is set if that side is blocked; for WAIT it is always set.
WALL = 1 << 5
# The things on a square. A box's bit can be combined with a key's or a goal's; it blocks other boxes.
NOTHING, KEY_HERE, GOAL, HOLE, BOX, _, _, MUSHROOM = range(8)
# level[SCHEME]: the reward scheme.
PEAS, GVGAI = range(2)
# metrics int64[1]: updated by `count`.
SCORE = 0

EACH_STEP, PRIZE, DEATH = -1.0, 1000.0, -1000.0
BOX_WORTH, GOAL_WORTH, MUSHROOM_WORTH = 1, 5, 1


@rule
def ahead(level, square, action):
    """Return the adjacent square on that side; the same square at a wall, and for WAIT.

    There is no branch, because in random play every second one would be mispredicted.
    """
    stride = 1 + (level[STRIDE] - 1) * (action < LEFT)
    stays = (level[CELLS + square] >> action) & 1
    return square + ((action & 1) * 2 - 1) * stride * (1 - stays)


@rule
def thing_on(state, square):
    """Return the things on a square."""
    return (state[THINGS + (square >> 2)] >> ((square & 3) << 2)) & 7


@rule
def flip(state, square, bits):
    """Flip these bits of the things on a square."""
    state[THINGS + (square >> 2)] ^= bits << ((square & 3) << 2)


@rule
def push(level, state, there, action):
    """Push the box on a square if possible, and return whether it moved; in a hole, both vanish."""
    beyond = ahead(level, there, action)
    thing = thing_on(state, beyond)
    if thing & BOX:  # at a wall, it is the box itself
        return False
    flip(state, there, BOX)
    if thing == HOLE:
        flip(state, beyond, HOLE)
        state[WORTH] -= BOX_WORTH
    else:
        flip(state, beyond, BOX)
    return True


@rule
def turn(level, state, action):
    """Move the avatar, and the box that it pushes."""
    there = ahead(level, state[AVATAR], action)
    thing = thing_on(state, there)
    if thing == MUSHROOM:
        flip(state, there, MUSHROOM)
        state[WORTH] -= MUSHROOM_WORTH
    elif thing & BOX:
        if not push(level, state, there, action):
            return
        thing ^= BOX
    if thing == GOAL:
        if not state[KEY]:
            return  # it steps back
        flip(state, there, GOAL)
        state[GOALS] -= 1
        state[WORTH] -= GOAL_WORTH
    elif thing == KEY_HERE:  # a further key too
        flip(state, there, KEY_HERE)
        state[KEY] = 1
    state[AVATAR] = there


@rule
def step(level, state, action, rng):
    """Apply one action in place, and return (reward, terminated)."""
    worth = state[WORTH]
    turn(level, state, action)
    won, died = state[GOALS] == 0, thing_on(state, state[AVATAR]) == HOLE
    if level[SCHEME] == GVGAI:
        return float(worth - state[WORTH]), won or died
    return EACH_STEP + PRIZE * won + DEATH * died, won or died


@rule
def solved(level, state):
    """Whether no goal is left."""
    return state[GOALS] == 0


@rule
def outcome(level, state):
    """Return the outcome."""
    if state[GOALS] == 0:
        return SOLVED
    return DIED if thing_on(state, state[AVATAR]) == HOLE else UNFINISHED


@rule
def legal(level, state, action):
    """Whether the action moves anything, which includes falling into a hole, or pushing a box off a closed goal."""
    here = state[AVATAR]
    there = ahead(level, here, action)
    thing = thing_on(state, there)
    if thing & BOX and thing != MUSHROOM:
        return thing_on(state, ahead(level, there, action)) & BOX == 0
    return there != here and (thing != GOAL or state[KEY] == 1)


@rule
def count(level, before, state, metrics):
    """Update GVGAI's score after a step; ``before`` is ``state`` when an episode begins."""
    metrics[SCORE] += before[WORTH] - state[WORTH]
