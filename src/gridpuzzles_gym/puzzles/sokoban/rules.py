"""All rules of Sokoban (H. Imabayashi, Thinking Rabbit, 1982).

    level  int16[4 + N]                          state  int16[2 + ceil(N / 8)]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ STRIDE │ squares in a row           │      │ PLAYER │ square of the player                │
    │ COUNT  │ boxes                      │      │ ASTRAY │ boxes not on goals: 0 is solved     │
    │ SCHEME │ PEAS or BOXOBAN            │      │ BOXES… │ one bit per square, 8 per number:   │
    │ WATCH  │ 1: report deadlocks        │      │        │ 1 if there is a box                 │
    │ CELLS… │ bits of each square        │      └────────┴─────────────────────────────────────┘
    └────────┴────────────────────────────┘

A board has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``. A smaller level
is in its top left corner, surrounded by walls. Walls enclose everything that the player can reach, so that rules need
not check for the edge.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import routine, rule
from ...engine.puzzle import SOLVED, UNFINISHED

STRIDE, COUNT, SCHEME, WATCH, CELLS = range(5)
PLAYER, ASTRAY, BOXES = range(3)
UP, DOWN, LEFT, RIGHT = range(4)
# Bits of a cell. DEAD is derived by `finish`: a box there can never reach a goal.
WALL, GOAL, DEAD = (1 << bit for bit in range(3))
# level[SCHEME]: the reward scheme.
PEAS, BOXOBAN = range(2)
# metrics int64[4]: updated by `count`.
ON_GOALS, PUSHES, MOVES, DEADLOCK = range(4)

EACH_STEP, PRIZE = -1.0, 1000.0
BOXOBAN_STEP, BOXOBAN_BOX, BOXOBAN_PRIZE = -0.1, 1.0, 10.0


@rule
def ahead(level, square, action):
    """Return the adjacent square in the direction of an action; without a branch, as `step`."""
    stride = 1 + (level[STRIDE] - 1) * (action < LEFT)
    return square + ((action & 1) * 2 - 1) * stride


@rule
def box_on(state, square):
    """Return 1 if there is a box, otherwise 0."""
    return (state[BOXES + (square >> 3)] >> (square & 7)) & 1


@rule
def flip_box(state, square, flips=1):
    """Toggle the box on a square if ``flips`` is 1, not 0."""
    state[BOXES + (square >> 3)] ^= flips << (square & 7)


@rule
def blocked(level, state, square):
    """Return 1 if a box cannot be pushed there, otherwise 0."""
    return (level[CELLS + square] & WALL) | box_on(state, square)


@rule
def step(level, state, action, rng):
    """Apply one action in place, and return (reward, terminated).

    There is no branch, because in random play every second step would be mispredicted.
    """
    here = state[PLAYER]
    there = ahead(level, here, action)
    box = box_on(state, there)
    beyond = there + (there - here) * box  # the last square that must be free: without a box, the next one
    goes = 1 - ((level[CELLS + beyond] & WALL) | (box & box_on(state, beyond)))
    pushes = box & goes
    state[PLAYER] = here + (there - here) * goes
    flip_box(state, there, pushes)
    flip_box(state, beyond, pushes)
    change = pushes * ((level[CELLS + beyond] & GOAL) - (level[CELLS + there] & GOAL)) // GOAL
    state[ASTRAY] -= change
    done = state[ASTRAY] == 0
    if level[SCHEME] == BOXOBAN:
        return BOXOBAN_STEP + BOXOBAN_BOX * change + BOXOBAN_PRIZE * done, done
    return EACH_STEP + PRIZE * done, done


@rule
def solved(level, state):
    """Whether every box is on a goal."""
    return state[ASTRAY] == 0


@rule
def outcome(level, state):
    """Return the outcome."""
    return SOLVED if state[ASTRAY] == 0 else UNFINISHED


@rule
def legal(level, state, action):
    """Whether the action moves the player."""
    there = ahead(level, state[PLAYER], action)
    if level[CELLS + there] & WALL:
        return False
    return box_on(state, there) == 0 or not blocked(level, state, ahead(level, there, action))


@routine
def finish(level, state):
    """Derive COUNT, ASTRAY and the DEAD squares from the walls, goals and boxes.

    A square is dead unless a single box could be pulled to it from a goal, regardless of whether the player can walk
    around the box.
    """
    squares = level.shape[0] - CELLS
    level[COUNT] = state[ASTRAY] = 0
    for square in range(squares):
        cell = level[CELLS + square] & (WALL | GOAL)
        level[CELLS + square] = cell if cell & GOAL else cell | DEAD
        if box_on(state, square):
            level[COUNT] += 1
            if not cell & GOAL:
                state[ASTRAY] += 1
    found = True
    while found:
        found = False
        for square in range(squares):
            if level[CELLS + square] & (WALL | DEAD):
                continue
            for action in range(4):
                near = ahead(level, square, action)
                behind = ahead(level, near, action)
                if (
                    0 <= behind < squares
                    and level[CELLS + near] & (WALL | DEAD) == DEAD
                    and not level[CELLS + behind] & WALL
                ):
                    level[CELLS + near] ^= DEAD
                    found = True


@routine
def freeze(level, boxes):
    """Keep only the frozen boxes of a state row, in place, and those on dead squares.

    Boxes that could be pushed from some side are removed repeatedly; the remaining ones can never move. A box on a dead
    square remains, because it can only be pushed to dead squares.
    """
    squares = level.shape[0] - CELLS
    lifted = True
    while lifted:
        lifted = False
        for square in range(squares):
            if box_on(boxes, square):
                for action in (UP, LEFT):
                    one, other = ahead(level, square, action), ahead(level, square, action + 1)
                    if (
                        not blocked(level, boxes, one)
                        and not blocked(level, boxes, other)
                        and not level[CELLS + one] & level[CELLS + other] & DEAD
                    ):
                        flip_box(boxes, square)
                        lifted = True
                        break


@routine
def stuck(level, state):
    """Return 1 if a simple test shows that the level can no longer be solved, otherwise 0.

    This is so if a box is on a dead square, or frozen and not on a goal.
    """
    squares = level.shape[0] - CELLS
    for square in range(squares):  # far quicker than `freeze`
        if box_on(state, square) and level[CELLS + square] & DEAD:
            return 1
    boxes = state.copy()
    freeze(level, boxes)
    for square in range(squares):
        if box_on(boxes, square) and not level[CELLS + square] & GOAL:
            return 1
    return 0


@rule
def count(level, before, state, metrics):
    """Update the metrics after a step; ``before`` is ``state`` when an episode begins."""
    metrics[ON_GOALS] = level[COUNT] - state[ASTRAY]
    metrics[PUSHES] += box_on(before, state[PLAYER])
    metrics[MOVES] += before[PLAYER] != state[PLAYER]
    if level[WATCH]:
        metrics[DEADLOCK] = stuck(level, state)
