"""The rules of Cat and Mouse, all of them.

    level  int16[7 + N]                          state  int16[8]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ EXIT   │ its square                 │      │ MOUSE  │ the square it is on                 │
    │ CATS   │ how many there are         │      │ CAT…   │ the squares of the cats, ascending; │
    │ BLOCKED│ 1: mouse and cats are      │      │        │ slots that are not used are -1      │
    │        │ walls to each other        │      └────────┴─────────────────────────────────────┘
    │ AHEAD… │ what to add to a square's  │
    │        │ number to go up, down,     │
    │        │ left, right                │
    │ CELLS… │ bits, a square each: which │
    │        │ sides are open, is it wall │
    └────────┴────────────────────────────┘

A maze has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``, STRIDE being what a
step down adds. What lies outside a maze is wall.

A turn: the mouse moves. On a cat's square it is dead, even at the exit; at the exit it has won, and no cat moves any
more. Then the cats move, one after another in the order of their squares, each to a free side of its own, all equally
likely; a cat that comes to the mouse's square has caught it, and the turn is over. So mouse and cat never pass through
each other: who would swap squares with the other meets it.

Where mouse and cats are walls to each other, the cats have already moved once when an episode begins. That is the
order of the original program, whose turn is first the cat and then the mouse, which sees where the cat went.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.compilation import rule
from ...engine.memory import copy_row
from ...engine.puzzle import DIED, SOLVED, UNFINISHED
from ...engine.random import below

UP, DOWN, LEFT, RIGHT = range(4)
EXIT, CATS, BLOCKED, AHEAD = range(4)
STRIDE, CELLS = AHEAD + DOWN, AHEAD + 4
MOUSE, CAT = range(2)
MOST_CATS = 7

# Bits of a cell: bit `action` tells that that side is open.
SIDES, WALL = 15, 1 << 4
# For each set of sides: how many they are; and the first, second, third and fourth of them, four entries a set.
COUNTS = np.array([sides.bit_count() for sides in range(16)])
SIDE_AT = np.array([([side for side in range(4) if sides >> side & 1] + [0] * 4)[:4] for sides in range(16)]).ravel()

# settings int64[5]: what `generate` reads.
SET_HEIGHT, SET_WIDTH, SET_LOOPS, SET_CATS, SET_BLOCKED = range(5)

EACH_STEP, PRIZE, DEATH = -1.0, 1000.0, -1000.0


@rule
def beside(level, square, side):
    """The square on that side."""
    return square + level[AHEAD + side]


@rule
def cat_on(level, state, square):
    """Is a cat there?"""
    for cat in range(level[CATS]):  # noqa: SIM110 - compiled
        if state[CAT + cat] == square:
            return True
    return False


@rule
def outcome(level, state):
    """How the episode stands."""
    if cat_on(level, state, state[MOUSE]):
        return DIED
    return SOLVED if state[MOUSE] == level[EXIT] else UNFINISHED


@rule
def solved(level, state):
    """Is the mouse at the exit, and alive?"""
    return outcome(level, state) == SOLVED


@rule
def legal(level, state, action):
    """Is there no wall on that side of the mouse? Where there is one, it stays; the cats move all the same.

    A cat does not count, although it may be a wall too: so there always is a legal action.
    """
    return (level[CELLS + state[MOUSE]] >> action) & 1 == 1


@rule
def mouse_moves(level, state, action):
    """The mouse's half of a turn."""
    here = state[MOUSE]
    there = beside(level, here, action)
    goes = (level[CELLS + here] >> action) & 1
    if level[BLOCKED] and cat_on(level, state, there):
        goes = 0
    state[MOUSE] = here + (there - here) * goes  # a branch would be guessed wrong half of the time


@rule
def free_sides(level, state, cat):
    """The sides, as bits, to which a cat may step: all equally likely, and where there is none it stays.

    Free of walls and of other cats; and of the mouse, where that is a wall to it.
    """
    here = state[CAT + cat]
    sides = level[CELLS + here] & SIDES
    if level[BLOCKED] or level[CATS] > 1:
        for side in range(4):
            there = beside(level, here, side)
            if cat_on(level, state, there) or (level[BLOCKED] and there == state[MOUSE]):
                sides &= ~(1 << side)
    return sides


@rule
def cat_moves(level, state, cat, sides, n):
    """Move a cat to the n-th of some sides."""
    state[CAT + cat] = beside(level, state[CAT + cat], SIDE_AT[4 * sides + n])


@rule
def put_in_order(level, state):
    """Sort the cats by their squares: nobody can tell one from another."""
    for cat in range(1, level[CATS]):
        square, slot = state[CAT + cat], CAT + cat
        while slot > CAT and state[slot - 1] > square:
            state[slot] = state[slot - 1]
            slot -= 1
        state[slot] = square


@rule
def pay(ending):
    """What a turn that ended so paid, and whether it was the last: (reward, terminated)."""
    if ending == UNFINISHED:
        return EACH_STEP, False
    return EACH_STEP + (PRIZE if ending == SOLVED else DEATH), True


@rule
def cats_move(level, state, rng):
    """The cats' half of a turn; return whether it leaves the mouse UNFINISHED or DIED."""
    ending = UNFINISHED
    for cat in range(level[CATS]):
        sides = free_sides(level, state, cat)
        if sides:
            cat_moves(level, state, cat, sides, below(rng, COUNTS[sides]))
            if state[CAT + cat] == state[MOUSE]:
                ending = DIED
                break
    put_in_order(level, state)
    return ending


@rule
def begin(level, state, rng):
    """Turn the start of a level into the state in which an episode begins."""
    if level[BLOCKED]:
        cats_move(level, state, rng)


@rule
def step(level, state, action, rng):
    """Play one action in place; return (reward, terminated)."""
    mouse_moves(level, state, action)
    ending = outcome(level, state)
    if ending == UNFINISHED:
        ending = cats_move(level, state, rng)
    return pay(ending)


@rule
def beginnings(level, state, successors, chances):
    """All states in which an episode may begin, each with its probability: `begin`, enumerated as by `outcomes`."""
    copy_row(state, successors[0])
    chances[0] = 1.0
    return all_cats_moves(level, successors, chances) if level[BLOCKED] else 1


@rule
def outcomes(level, state, action, successors, chances):
    """All that one step may lead to, each with its probability: `step`, with every draw of the cats enumerated.

    Fills rows of ``successors`` (int16[4**CATS, S]) and ``chances`` (float64[4**CATS]), and returns how many. Two
    rows may hold the same state.
    """
    copy_row(state, successors[0])
    chances[0] = 1.0
    mouse_moves(level, successors[0], action)
    return all_cats_moves(level, successors, chances)


@rule
def all_cats_moves(level, successors, chances):
    """Replace the first row by all that `cats_move` may make of it; return how many rows that are."""
    count = 1
    for cat in range(level[CATS]):
        for row in range(count):  # rows that this cat adds wait for the next
            here = successors[row]
            sides = free_sides(level, here, cat)
            if sides == 0 or outcome(level, here) != UNFINISHED:
                continue
            chances[row] /= COUNTS[sides]
            for n in range(1, COUNTS[sides]):
                copy_row(here, successors[count])
                cat_moves(level, successors[count], cat, sides, n)
                chances[count] = chances[row]
                count += 1
            cat_moves(level, here, cat, sides, 0)
    for row in range(count):
        put_in_order(level, successors[row])
    return count


@rule
def lay_out(level, stride):
    """Derive from the walls, and from how many squares are in a row, the ways from every square."""
    squares = level.shape[0] - CELLS
    level[AHEAD + UP], level[AHEAD + DOWN], level[AHEAD + LEFT], level[AHEAD + RIGHT] = -stride, stride, -1, 1
    column = 0
    for square in range(squares):
        cell = level[CELLS + square] & WALL
        if not cell:
            if square >= stride and not level[CELLS + square - stride] & WALL:
                cell |= 1 << UP
            if square + stride < squares and not level[CELLS + square + stride] & WALL:
                cell |= 1 << DOWN
            if column > 0 and not level[CELLS + square - 1] & WALL:
                cell |= 1 << LEFT
            if column + 1 < stride and not level[CELLS + square + 1] & WALL:
                cell |= 1 << RIGHT
        level[CELLS + square] = cell
        column = column + 1 if column + 1 < stride else 0


@rule
def grow(rng, level, stride, rows, columns):
    """Join rooms, on every second square, by a spanning tree; all trees are equally likely.

    A walk at random that opens a way to every room it comes to for the first time (D. Aldous, "The random walk
    construction of uniform spanning trees", SIAM J. Discrete Math. 3(4), 1990).
    """
    row, column = below(rng, rows), below(rng, columns)
    square = CELLS + (2 * row + 1) * stride + 2 * column + 1
    level[square] = 0
    missing = rows * columns - 1
    while missing > 0:
        side = below(rng, 4)
        ahead = (side & 1) * 2 - 1
        down, right = (ahead, 0) if side < LEFT else (0, ahead)
        if 0 <= row + down < rows and 0 <= column + right < columns:
            row += down
            column += right
            between = square + down * stride + right
            square = between + down * stride + right
            if level[square]:
                level[between] = level[square] = 0
                missing -= 1


@rule
def knock_out(rng, level, height, width, loops):
    """Open so many more of the walls between two rooms, every choice equally likely: each makes a loop.

    Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): `missing` openings among `closed` walls still to come.
    """
    missing, closed = loops, ((height - 1) // 2 - 1) * ((width - 1) // 2 - 1)
    for row in range(1, height - 1):
        for column in range(1 + row % 2, width - 1, 2):
            square = CELLS + row * width + column
            if missing > 0 and level[square]:
                if below(rng, closed) < missing:
                    level[square] = 0
                    missing -= 1
                closed -= 1


@rule
def generate(settings, rng, level, state):
    """A random maze: the mouse top left, the exit bottom right, the cats in other rooms, all equally likely."""
    height, width = settings[SET_HEIGHT], settings[SET_WIDTH]
    rows, columns = (height - 1) // 2, (width - 1) // 2
    level[EXIT] = (height - 2) * width + width - 2
    level[CATS] = settings[SET_CATS]
    level[BLOCKED] = settings[SET_BLOCKED]
    level[CELLS:] = WALL
    grow(rng, level, width, rows, columns)
    knock_out(rng, level, height, width, settings[SET_LOOPS])
    lay_out(level, width)
    state[:] = -1
    state[MOUSE] = width + 1
    cat = 0
    while cat < settings[SET_CATS]:
        room = 1 + below(rng, rows * columns - 2)
        square = (room // columns * 2 + 1) * width + room % columns * 2 + 1
        if not cat_on(level, state, square):
            state[CAT + cat] = square
            cat += 1
    put_in_order(level, state)
