"""What the mouse does on a board: a click walks, and changes nothing on the way; a drag pushes a box."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board import touch
from ...engine.board.ways import ENTER, NEVER, ROOM, STAYS, follow, neighbour, push, pushable, walk
from ...engine.compile.compilation import routine, rule
from ...engine.puzzle import UNFINISHED
from .picture import area, below, is_box
from .rules import AVATAR, CELLS, GOAL, HOLE, KEY, KEY_HERE, MUSHROOM, NOTHING, STRIDE, WALL, outcome, thing_on, turn


@routine
def describe(level, state, box, squares):
    """Write what each square allows a box that is pushed, in the bits of :mod:`~gridpuzzles_gym.engine.board.ways`.

    Nothing but the box may change: the avatar does not enter what it would take, open or fall into, so a box stays
    there. It cannot enter a closed goal.

    Args:
        level: int16[L]
        state: int16[S]
        box: The square of the box; -1 for none.
        squares: uint8[N], written.
    """
    for square in range(squares.shape[0]):
        thing = thing_on(state, square)
        if square == box:
            thing = below(thing)
        if level[CELLS + square] & WALL:
            squares[square] = 0
        elif square == state[AVATAR] or thing == NOTHING:
            squares[square] = ENTER | ROOM
        elif thing == GOAL and not state[KEY]:
            squares[square] = ROOM
        elif thing in (KEY_HERE, GOAL, HOLE):
            squares[square] = ROOM | STAYS
        else:
            squares[square] = 0


@routine
def first_push(level, squares, box, action, after, out):
    """Push a box off a key, or off a goal that the avatar can open: write the walk and the push.

    They are played by the rules, because what is below the box changes.

    Args:
        level: int16[L]
        squares: uint8[N], from :func:`describe`.
        box: The box's square.
        action: The direction in which it is pushed.
        after: int16[S], the state; changed to that after the push.
        out: int64[...], written.

    Returns:
        The number of actions; 0 if the push is impossible.
    """
    columns, count = level[STRIDE], squares.shape[0]
    side, there = neighbour(box, action ^ 1, columns, count), neighbour(box, action, columns, count)
    if side < 0 or there < 0 or not squares[side] & ENTER or not squares[there] & ROOM:
        return 0
    free, steps = squares & ENTER, np.empty(count, np.int64)
    walk(free, columns, side, steps)
    if steps[after[AVATAR]] < 0:
        return 0
    actions = follow(steps, columns, after[AVATAR], out)
    out[actions] = action
    for k in range(actions + 1):
        turn(level, after, out[k])
    return actions + 1


@rule
def can_go_on(level, state, box):
    """Whether a box is still there after its first push, and the game goes on."""
    return is_box(thing_on(state, box)) and outcome(level, state) == UNFINISHED


@rule
def click(level, state, square, out):
    """Write a shortest walk over empty squares; only the last one may hold something, but never a hole."""
    squares = np.empty(level.shape[0] - CELLS, np.uint8)
    describe(level, state, -1, squares)
    if outcome(level, state) != UNFINISHED or not (squares[square] & ENTER or can_enter(state, square)):
        return 0
    steps = np.empty(squares.shape[0], np.int64)
    walk(squares & ENTER, level[STRIDE], square, steps)
    return follow(steps, level[STRIDE], state[AVATAR], out)


@rule
def can_enter(state, square):
    """Whether the avatar can take, eat or open what is on a square."""
    thing = thing_on(state, square)
    return thing in (KEY_HERE, MUSHROOM) or (thing == GOAL and state[KEY] == 1)


@rule
def drag(level, state, start, end, out):
    """Write the fewest moves that push the box from one square to another, or into a hole there.

    Nothing else changes, except on the box's first square: what was below it is picked up, or opened with the key.
    """
    if outcome(level, state) != UNFINISHED or start == end or not is_box(thing_on(state, start)):
        return 0
    columns, squares = level[STRIDE], np.empty(level.shape[0] - CELLS, np.uint8)
    describe(level, state, start, squares)
    if not squares[start] & STAYS:
        return max(push(squares, columns, state[AVATAR], start, end, out), 0)
    best, tried, later = 0, np.empty(out.shape[0], np.int64), np.empty(squares.shape[0], np.uint8)
    for action in range(4):
        after, there = state.copy(), neighbour(start, action, columns, squares.shape[0])
        first = first_push(level, squares, start, action, after, tried)
        rest = 0 if there == end else NEVER
        if first > 0 and there != end and can_go_on(level, after, there):
            describe(level, after, there, later)
            rest = push(later, columns, after[AVATAR], there, end, tried[first:])
        if first > 0 and rest >= 0 and (best == 0 or first + rest < best):
            best = first + rest
            out[:best] = tried[:best]
    return best


@rule
def reach(level, state, grabbed, out):
    """Write the squares to which the avatar can walk, or the grabbed box can be pushed."""
    columns, squares = level[STRIDE], np.empty(level.shape[0] - CELLS, np.uint8)
    found = np.zeros(squares.shape[0], np.int64)
    out[:] = 0
    if outcome(level, state) != UNFINISHED:
        return
    describe(level, state, grabbed, squares)
    if grabbed < 0:
        walk(squares & ENTER, columns, state[AVATAR], found)
        for square in range(squares.shape[0]):
            near = found[square] > 0
            for side in range(4):
                there = neighbour(square, side, columns, squares.shape[0])
                near = near or (there >= 0 and found[there] >= 0 and can_enter(state, square))
            out[square] = near
    elif is_box(thing_on(state, grabbed)) and not squares[grabbed] & STAYS:
        pushable(squares, columns, state[AVATAR], grabbed, out)
    elif is_box(thing_on(state, grabbed)):
        scratch, later = np.empty(squares.shape[0] + 1, np.int64), np.empty(squares.shape[0], np.uint8)
        for action in range(4):
            after, there = state.copy(), neighbour(grabbed, action, columns, squares.shape[0])
            if first_push(level, squares, grabbed, action, after, scratch) == 0:
                continue
            out[there] = 1
            if can_go_on(level, after, there):
                describe(level, after, there, later)
                pushable(later, columns, after[AVATAR], there, found)
                out |= found
        out[grabbed] = 0


@rule
def actor(level, state):
    """Return the square of the avatar."""
    return state[AVATAR]


TOUCH = touch.Touch(
    "bait",
    touch.Rules(area, click, reach, actor, drag),
    click_words="walk there; take, eat or open what is there",
    drag_words="push a box there by the fewest moves",
)
