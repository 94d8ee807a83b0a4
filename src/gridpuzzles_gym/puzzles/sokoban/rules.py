"""The rules of Sokoban, all of them (H. Imabayashi, Thinking Rabbit, 1982).

    level  int16[4 + N]                          state  int16[2 + ceil(N / 8)]
    ┌────────┬────────────────────────────┐      ┌────────┬─────────────────────────────────────┐
    │ STRIDE │ squares in a row           │      │ PLAYER │ the square he stands on             │
    │ COUNT  │ boxes                      │      │ ASTRAY │ boxes off the goals: 0 is solved    │
    │ SCHEME │ PEAS or BOXOBAN            │      │ BOXES… │ a bit a square, 8 in each number:   │
    │ WATCH  │ 1: tell of deadlocks       │      │        │ 1 where a box is                    │
    │ CELLS… │ bits, a square each        │      └────────┴─────────────────────────────────────┘
    └────────┴────────────────────────────┘

A board has N squares, numbered row by row from the top left: ``square = row * STRIDE + column``. A smaller level
lies in its top left corner, walls around it. Walls enclose whatever the player can reach, so that no rule looks
out for the edge.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compilation import routine, rule
from ...engine.puzzle import SOLVED, UNFINISHED

STRIDE, COUNT, SCHEME, WATCH, CELLS = range(5)
PLAYER, ASTRAY, BOXES = range(3)
UP, DOWN, LEFT, RIGHT = range(4)
# Bits of a cell. DEAD follows from the others, by `finish`: no box there ever reaches a goal.
WALL, GOAL, DEAD = (1 << bit for bit in range(3))
# level[SCHEME]: which rewards.
PEAS, BOXOBAN = range(2)
# figures int64[4]: what `count` keeps of an episode.
ON_GOALS, PUSHES, MOVES, DEADLOCK = range(4)

EACH_STEP, PRIZE = -1.0, 1000.0
BOXOBAN_STEP, BOXOBAN_BOX, BOXOBAN_PRIZE = -0.1, 1.0, 10.0


@rule
def ahead(level, square, action):
    """The square next to one in the direction of an action."""
    stride = level[STRIDE] if action < LEFT else 1
    return square + ((action & 1) * 2 - 1) * stride


@rule
def box_on(state, square):
    """Is there a box? 1 or 0."""
    return (state[BOXES + (square >> 3)] >> (square & 7)) & 1


@rule
def flip_box(state, square):
    """Put a box where there is none, or take it away."""
    state[BOXES + (square >> 3)] ^= 1 << (square & 7)


@rule
def blocked(level, state, square):
    """Would a box that is pushed there stop? 1 or 0."""
    return (level[CELLS + square] & WALL) | box_on(state, square)


@rule
def step(level, state, action, rng):
    """Play one action in place; answer (reward, terminated)."""
    there = ahead(level, state[PLAYER], action)
    change = 0
    if level[CELLS + there] & WALL == 0:
        if box_on(state, there) == 0:
            state[PLAYER] = there
        else:
            beyond = ahead(level, there, action)
            if not blocked(level, state, beyond):
                flip_box(state, there)
                flip_box(state, beyond)
                state[PLAYER] = there
                change = int(level[CELLS + beyond] & GOAL) - int(level[CELLS + there] & GOAL)
                change //= GOAL
                state[ASTRAY] -= change
    done = state[ASTRAY] == 0
    if level[SCHEME] == BOXOBAN:
        return BOXOBAN_STEP + BOXOBAN_BOX * change + BOXOBAN_PRIZE * done, done
    return EACH_STEP + PRIZE * done, done


@rule
def solved(level, state):
    """Is every box on a goal?"""
    return state[ASTRAY] == 0


@rule
def outcome(level, state):
    """How the episode stands."""
    return SOLVED if state[ASTRAY] == 0 else UNFINISHED


@rule
def legal(level, state, action):
    """Does the action move the player?"""
    there = ahead(level, state[PLAYER], action)
    if level[CELLS + there] & WALL:
        return False
    return box_on(state, there) == 0 or not blocked(level, state, ahead(level, there, action))


@routine
def finish(level, state):
    """Derive what follows from the walls, goals and boxes: COUNT, ASTRAY, and the DEAD squares.

    A square is dead unless a box can be pulled to it from a goal, were it the only box. (The player's way around
    it is not looked at.)
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
                beside = ahead(level, square, action)
                behind = ahead(level, beside, action)
                if (
                    0 <= behind < squares
                    and level[CELLS + beside] & (WALL | DEAD) == DEAD
                    and not level[CELLS + behind] & WALL
                ):
                    level[CELLS + beside] ^= DEAD
                    found = True


@routine
def stuck(level, state):
    """Is it plain that this can no longer be solved? 1 or 0.

    It is where a box is on a dead square, or off the goals and frozen: lift, again and again, every box that could
    be pushed were the player beside it; what stays will never move.
    """
    squares = level.shape[0] - CELLS
    boxes = state.copy()
    lifted = True
    while lifted:
        lifted = False
        for square in range(squares):
            if box_on(boxes, square):
                if level[CELLS + square] & DEAD:
                    return 1
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
    for square in range(squares):
        if box_on(boxes, square) and not level[CELLS + square] & GOAL:
            return 1
    return 0


@rule
def count(level, before, state, metrics):
    """Keep the figures of an episode up to date after a step; ``before`` is ``state`` when it begins."""
    metrics[ON_GOALS] = level[COUNT] - state[ASTRAY]
    metrics[PUSHES] += box_on(before, state[PLAYER])
    metrics[MOVES] += before[PLAYER] != state[PLAYER]
    if level[WATCH]:
        metrics[DEADLOCK] = stuck(level, state)
