"""The rules of Bait, all of them: GVGAI's, a turn as its Java framework plays it.

    level  int16[2 + N]                          state  int16[4 + ceil(N / 4)]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ STRIDE │ squares in a row           │      │ AVATAR │ the square it stands on             │
    │ SCHEME │ PEAS or GVGAI              │      │ KEY    │ 1: the key is in hand               │
    │ CELLS… │ bits, a square each: is it │      │ GOALS  │ how many are left: 0 is won         │
    │        │ a wall, and which of its   │      │ WORTH  │ GVGAI's score for all that is left  │
    │        │ sides are                  │      │ THINGS…│ four bits a square, 4 in each       │
    └────────┴────────────────────────────┘      │        │ number: what lies there             │
                                                 └────────┴─────────────────────────────────────┘

A board has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``. What lies outside
it is wall. GOALS and WORTH follow from what lies on the board, so equal positions have equal bytes; and a score is
what WORTH has fallen by. An avatar on a hole's square has died.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compilation import rule
from ...engine.puzzle import DIED, SOLVED, UNFINISHED

STRIDE, SCHEME, CELLS = range(3)
AVATAR, KEY, GOALS, WORTH, THINGS = range(5)
UP, DOWN, LEFT, RIGHT, WAIT = range(5)
# Bits of a cell: bit `action` tells that nothing moves on that way; for WAIT it is always set.
WALL = 1 << 5
# What lies on a square. A box's bit may come on top of a key or a goal; what has it stops a box.
NOTHING, KEY_HERE, GOAL, HOLE, BOX, _, _, MUSHROOM = range(8)
# level[SCHEME]: which rewards.
PEAS, GVGAI = range(2)
# figures int64[1]: what `count` keeps of an episode.
SCORE = 0

EACH_STEP, PRIZE, DEATH = -1.0, 1000.0, -1000.0
BOX_WORTH, GOAL_WORTH, MUSHROOM_WORTH = 1, 5, 1


@rule
def ahead(level, square, action):
    """The next square on that side; the same square where a wall is, and for WAIT."""
    stride = level[STRIDE] if action < LEFT else 1
    stays = (level[CELLS + square] >> action) & 1
    return square + ((action & 1) * 2 - 1) * stride * (1 - stays)


@rule
def thing_on(state, square):
    """What lies there."""
    return (state[THINGS + (square >> 2)] >> ((square & 3) << 2)) & 7


@rule
def flip(state, square, bits):
    """Change what lies there by these bits."""
    state[THINGS + (square >> 2)] ^= bits << ((square & 3) << 2)


@rule
def push(level, state, there, action):
    """Push the box on a square one on, if it can; answer whether it has gone. Into a hole: both vanish."""
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
    """Move the avatar, and whatever that moves."""
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
            return  # it has stepped back again
        flip(state, there, GOAL)
        state[GOALS] -= 1
        state[WORTH] -= GOAL_WORTH
    elif thing == KEY_HERE:  # a second one too
        flip(state, there, KEY_HERE)
        state[KEY] = 1
    state[AVATAR] = there


@rule
def step(level, state, action, rng):
    """Play one action in place; answer (reward, terminated)."""
    worth = state[WORTH]
    turn(level, state, action)
    won, died = state[GOALS] == 0, thing_on(state, state[AVATAR]) == HOLE
    if level[SCHEME] == GVGAI:
        return float(worth - state[WORTH]), won or died
    return EACH_STEP + PRIZE * won + DEATH * died, won or died


@rule
def solved(level, state):
    """Is no goal left?"""
    return state[GOALS] == 0


@rule
def outcome(level, state):
    """How the episode stands."""
    if state[GOALS] == 0:
        return SOLVED
    return DIED if thing_on(state, state[AVATAR]) == HOLE else UNFINISHED


@rule
def legal(level, state, action):
    """Does the action move anything? Walking into a hole does; so does pushing a box off a goal that stays shut."""
    here = state[AVATAR]
    there = ahead(level, here, action)
    thing = thing_on(state, there)
    if thing & BOX and thing != MUSHROOM:
        return thing_on(state, ahead(level, there, action)) & BOX == 0
    return there != here and (thing != GOAL or state[KEY] == 1)


@rule
def count(level, before, state, metrics):
    """Keep GVGAI's score up to date after a step; ``before`` is ``state`` when an episode begins."""
    metrics[SCORE] += before[WORTH] - state[WORTH]
