"""All rules of Cat and Mouse.

    level  int16[7 + N]                          state  int16[8]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ EXIT   │ square of the exit         │      │ MOUSE  │ square of the mouse                 │
    │ CATS   │ number of cats             │      │ CAT…   │ squares of the cats, ascending;     │
    │ BLOCKED│ 1: mouse and cats block    │      │        │ unused entries are -1               │
    │        │ each other                 │      └────────┴─────────────────────────────────────┘
    │ AHEAD… │ offsets of a step up,      │
    │        │ down, left, right          │
    │ CELLS… │ bits of each square: the   │
    │        │ open sides, and WALL       │
    └────────┴────────────────────────────┘

A maze has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``. STRIDE is the offset of
a step down. Everything outside a maze is wall.

In a turn the mouse moves first. On a cat's square it dies, even at the exit; at the exit it wins, and the cats do not
move. Then the cats move, one after another in the order of their squares, each to a random free adjacent square; a cat
that reaches the mouse's square catches it, which ends the turn. Mouse and cat therefore never swap squares.

If mouse and cats block each other, the cats have already moved once when an episode begins. This is the order of the
original program, in whose turns the cat moves first and the mouse sees its move.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.compile.compilation import rule
from ...engine.compile.memory import copy_row
from ...engine.puzzle import DIED, SOLVED, UNFINISHED
from ...engine.random import below

UP, DOWN, LEFT, RIGHT = range(4)
EXIT, CATS, BLOCKED, AHEAD = range(4)
STRIDE, CELLS = AHEAD + DOWN, AHEAD + 4
MOUSE, CAT = range(2)
MOST_CATS = 7

# Bits of a cell: bit `action` is set if that side is open.
SIDES, WALL = 15, 1 << 4
# For each set of sides: their number, and the first to fourth of them (four entries per set).
COUNTS = np.array([sides.bit_count() for sides in range(16)])
SIDE_AT = np.array([([side for side in range(4) if sides >> side & 1] + [0] * 4)[:4] for sides in range(16)]).ravel()

# settings int64[5]: what `generate` reads.
SET_HEIGHT, SET_WIDTH, SET_LOOPS, SET_CATS, SET_BLOCKED = range(5)

EACH_STEP, PRIZE, DEATH = -1.0, 1000.0, -1000.0


@rule
def neighbour(level, square, side):
    """Return the adjacent square on that side."""
    return square + level[AHEAD + side]


@rule
def cat_on(level, state, square):
    """Whether a cat is on that square."""
    for cat in range(level[CATS]):  # noqa: SIM110 - compiled
        if state[CAT + cat] == square:
            return True
    return False


@rule
def outcome(level, state):
    """Return the outcome."""
    if cat_on(level, state, state[MOUSE]):
        return DIED
    return SOLVED if state[MOUSE] == level[EXIT] else UNFINISHED


@rule
def solved(level, state):
    """Whether the mouse is at the exit, and alive."""
    return outcome(level, state) == SOLVED


@rule
def legal(level, state, action):
    """Whether there is no wall on that side of the mouse; against a wall, the mouse stays and the cats still move.

    Cats are ignored, even if they block the mouse, so that there is always a legal action.
    """
    return (level[CELLS + state[MOUSE]] >> action) & 1 == 1


@rule
def mouse_moves(level, state, action):
    """Apply the mouse's part of a turn."""
    here = state[MOUSE]
    there = neighbour(level, here, action)
    goes = (level[CELLS + here] >> action) & 1
    if level[BLOCKED] and cat_on(level, state, there):
        goes = 0
    state[MOUSE] = here + (there - here) * goes  # a branch would often be mispredicted


@rule
def free_sides(level, state, cat):
    """Return the sides, as bits, to which a cat can move, with equal probabilities; if there are none, it stays.

    They are free of walls, other cats and, if mouse and cats block each other, the mouse.
    """
    here = state[CAT + cat]
    sides = level[CELLS + here] & SIDES
    if level[BLOCKED] or level[CATS] > 1:
        for side in range(4):
            there = neighbour(level, here, side)
            if cat_on(level, state, there) or (level[BLOCKED] and there == state[MOUSE]):
                sides &= ~(1 << side)
    return sides


@rule
def cat_moves(level, state, cat, sides, n):
    """Move a cat to the n-th of some sides."""
    state[CAT + cat] = neighbour(level, state[CAT + cat], SIDE_AT[4 * sides + n])


@rule
def put_in_order(level, state):
    """Sort the cats by their squares, because they are indistinguishable."""
    for cat in range(1, level[CATS]):
        square, place = state[CAT + cat], CAT + cat
        while place > CAT and state[place - 1] > square:
            state[place] = state[place - 1]
            place -= 1
        state[place] = square


@rule
def pay(ending):
    """Return (reward, terminated) of a turn with that outcome."""
    if ending == UNFINISHED:
        return EACH_STEP, False
    return EACH_STEP + (PRIZE if ending == SOLVED else DEATH), True


@rule
def cats_move(level, state, rng):
    """Apply the cats' part of a turn, and return its outcome, UNFINISHED or DIED."""
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
    """Apply one action in place, and return (reward, terminated)."""
    mouse_moves(level, state, action)
    ending = outcome(level, state)
    if ending == UNFINISHED:
        ending = cats_move(level, state, rng)
    return pay(ending)


@rule
def beginnings(level, state, successors, chances):
    """Enumerate the states in which an episode can begin, with their probabilities; see `begin` and `outcomes`."""
    copy_row(state, successors[0])
    chances[0] = 1.0
    return all_cats_moves(level, successors, chances) if level[BLOCKED] else 1


@rule
def outcomes(level, state, action, successors, chances):
    """Enumerate the possible results of `step`, with their probabilities.

    Fills rows of ``successors`` (int16[4**CATS, S]) and ``chances`` (float64[4**CATS]), and returns their number.
    Several rows can hold the same state.
    """
    copy_row(state, successors[0])
    chances[0] = 1.0
    mouse_moves(level, successors[0], action)
    return all_cats_moves(level, successors, chances)


@rule
def all_cats_moves(level, successors, chances):
    """Replace the first row by all possible results of `cats_move`, and return their number."""
    count = 1
    for cat in range(level[CATS]):
        for row in range(count):  # rows added for this cat are expanded for the next one
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
    """Derive the open sides of every square from the walls and the number of squares in a row."""
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
    """Connect the rooms, which are on every second square, by a uniformly random spanning tree.

    A random walk opens a passage to each room that it visits for the first time (D. Aldous, "The random walk
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
    """Remove ``loops`` random walls between rooms, with equal probabilities; each creates a loop.

    Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): `missing` openings in `closed` remaining walls.
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
    """Generate a random maze, with the mouse top left, the exit bottom right, and the cats in random other rooms."""
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
