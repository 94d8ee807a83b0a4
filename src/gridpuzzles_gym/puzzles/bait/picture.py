"""The picture of a board: a meadow between stone walls, what is on it, and the effect of the last action."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.compile.compilation import routine, rule
from ...engine.pictures.picture import Frame, Picture
from ...engine.pictures.placement import (
    ACTION,
    AFTER,
    ALWAYS,
    ANGLE,
    DURING,
    FROM,
    HEADINGS,
    HEIGHT,
    KNOWN,
    OPACITY,
    SQUARE,
    UNIT,
    WIDTH,
    X,
    Y,
    cover,
    crop,
    put,
    put_on_edge,
    show,
    stretch,
    turn,
    when,
)
from ...engine.puzzle import DIED
from .rules import (
    AVATAR,
    BOX,
    CELLS,
    DOWN,
    GOAL,
    GOALS,
    HOLE,
    KEY,
    KEY_HERE,
    MUSHROOM,
    NOTHING,
    STRIDE,
    WAIT,
    WALL,
    WORTH,
    outcome,
    thing_on,
)

SPRITES = (
    "wall_1", "wall_2", "floor_1", "floor_2", "floor_3", "#000000", "shadow", "glow", "key", "goal", "hole", "box",
    "mushroom", "open", "filled", "avatar", "death", "sparkle", "bump",
)  # fmt: skip
(
    WALL_1, _, FLOOR_1, _, _, SHADE, SHADOW, GLOW, KEY_SPRITE, GOAL_SPRITE, HOLE_SPRITE, BOX_SPRITE,
    MUSHROOM_SPRITE, OPEN, FILLED, AVATAR_SPRITE, DEATH, SPARKLE, BUMP,
) = range(len(SPRITES))  # fmt: skip
WALLS, FLOORS = 2, 3
ART = np.array([-1, KEY_SPRITE, GOAL_SPRITE, HOLE_SPRITE, BOX_SPRITE, -1, -1, MUSHROOM_SPRITE])
"""The sprite of each thing."""
DARK, NIGHT = 70, 130
"""The opacity of the shadow below a wall, and of that over inner walls."""
ALL, IN_DOOR, ALONE, UNDER, OVER = range(5)
SPOTS = np.array([[500, 500, 1000], [660, 660, 680], [500, 500, 860], [360, 360, 680], [620, 630, 660]])
"""Parts of a square, each with its middle and its width: all of it; for an avatar in an open door; for a thing alone,
one under a box, and a box over a thing."""


@rule
def area(level, out):
    """Write the size of the board, and the part of it that is drawn."""
    crop(level, CELLS, WALL, level[STRIDE], out)


@rule
def wall_at(level, row, column):
    """Whether there is a wall; everything outside is."""
    columns = level[STRIDE]
    if row < 0 or column < 0 or column >= columns or row * columns + column >= level.shape[0] - CELLS:
        return True
    return level[CELLS + row * columns + column] & WALL != 0


@rule
def is_inner(level, row, column):
    """Whether there are walls on a square and all around it."""
    for down in range(-1, 2):
        for right in range(-1, 2):
            if not wall_at(level, row + down, column + right):
                return False
    return True


@rule
def ground(level, scene, out):
    """Put walls, darker inside, and the meadow, darker below a wall."""
    n = 0
    for square in range(level.shape[0] - CELLS):
        row, column = square // level[STRIDE], square % level[STRIDE]
        if wall_at(level, row, column):
            n = cover(out, n, WALL_1 + (row + column * 3 + row * column) % WALLS, square)
            if is_inner(level, row, column):
                n = cover(out, n, SHADE, square)
                out[n - 1, OPACITY] = NIGHT
            continue
        n = cover(out, n, FLOOR_1 + (row * 5 + column * 7 + row * column) % FLOORS, square)
        if row > 0 and wall_at(level, row - 1, column):
            n = put(out, n, SHADE, square, 500, 68, UNIT)
            stretch(out, n, 136)
            out[n - 1, OPACITY] = DARK
    return n


@rule
def is_box(thing):
    """Whether a box is among the things of a square."""
    return BOX <= thing < MUSHROOM


@rule
def below(thing):
    """Return the things of a square without a box."""
    return thing - BOX if is_box(thing) else thing


@rule
def is_open(start, state, square):
    """Whether a goal has been opened there; the last one even if the start of the level is not known."""
    if state[GOALS] == 0 and square == state[AVATAR]:
        return True
    return below(thing_on(start, square)) == GOAL and below(thing_on(state, square)) != GOAL


@rule
def moved_box(before, state, squares, ends):
    """Write where the box that was moved by the last action was and is; -1 if none was.

    A box that falls into a hole moves to its square, and both vanish.
    """
    found = 0
    ends[:] = -1
    for square in range(squares):
        was, now = thing_on(before, square), thing_on(state, square)
        if (is_box(was) or was == HOLE) != (is_box(now) or now == HOLE):
            if found < 2:
                ends[found] = square
            found += 1
    if found != 2:
        ends[:] = -1
    elif is_box(thing_on(before, ends[1])) or is_box(thing_on(state, ends[0])):
        ends[0], ends[1] = ends[1], ends[0]


@rule
def box_spot(start, state, square):
    """Return the spot of a box on a square."""
    thing = thing_on(state, square)
    return OVER if is_open(start, state, square) or (is_box(thing) and below(thing) != NOTHING) else ALONE


@rule
def fit(row, part, spot):
    """Move and reduce what a row puts on all of a square to a spot of it; ``part`` is 0, or FROM."""
    x, y, size = SPOTS[spot, 0], SPOTS[spot, 1], SPOTS[spot, 2]
    row[part + X] = x + (row[part + X] - 500) * size // UNIT
    row[part + Y] = y + (row[part + Y] - 500) * size // UNIT
    row[part + WIDTH] = row[part + WIDTH] * size // UNIT
    row[part + HEIGHT] = row[part + HEIGHT] * size // UNIT


@rule
def bring(out, n, start, came, goes, seen):
    """Let the last row come from a spot on a square to one on its own, and say when it is seen."""
    out[n - 1, FROM + SQUARE] = start
    fit(out[n - 1], FROM, came)
    fit(out[n - 1], 0, goes)
    show(out, n, seen)


@routine
def lay(out, n, thing, square, start, came, goes, seen):
    """Put a thing with its shadow, or a hole; it comes from a spot on a square to one on its own."""
    if thing == HOLE:
        n = cover(out, n, HOLE_SPRITE, square)
        show(out, n, seen)
        return n
    if thing == KEY_HERE:
        n = put(out, n, GLOW, square, 500, 500, 1100)
    else:
        n = put(out, n, SHADOW, square, 500, 900, 1060)
        stretch(out, n, 360)
    bring(out, n, start, came, goes, seen)
    n = cover(out, n, ART[thing], square)
    bring(out, n, start, came, goes, seen)
    return n


@rule
def put_things(out, n, start, before, state, squares):
    """Put the open doors and all things, the boxes above the others, and a moved box above all."""
    for square in range(squares):
        was_open, opened = is_open(start, before, square), is_open(start, state, square)
        if was_open or opened:
            n = cover(out, n, OPEN, square)
            show(out, n, when(was_open, opened))
        was, now = thing_on(before, square), thing_on(state, square)
        came, goes = UNDER if is_box(was) else ALONE, UNDER if is_box(now) else ALONE
        was, now = below(was), below(now)
        if was != NOTHING:
            n = lay(out, n, was, square, square, came, goes, when(True, was == now))
        if now != NOTHING and now != was:
            n = lay(out, n, now, square, square, goes, goes, AFTER)
    ends = np.empty(2, np.int64)
    moved_box(before, state, squares, ends)
    for square in range(squares):
        was_box, box = is_box(thing_on(before, square)), is_box(thing_on(state, square))
        if (was_box or box) and square != ends[0] and square != ends[1]:
            came, goes = box_spot(start, before, square), box_spot(start, state, square)
            n = lay(out, n, BOX, square, square, came, goes, when(was_box, box))
    if ends[0] >= 0:
        came, goes = box_spot(start, before, ends[0]), box_spot(start, state, ends[1])
        n = lay(out, n, BOX, ends[1], ends[0], came, goes, ALWAYS if is_box(thing_on(state, ends[1])) else DURING)
    return n


@rule
def put_avatar(out, n, level, start, before, state, action):
    """Put the avatar, facing the direction of its last move, with its key, or in a hole; in a door it is smaller."""
    here, there, dead = state[AVATAR], before[AVATAR], outcome(level, state) == DIED
    came = IN_DOOR if is_open(start, before, there) else ALL
    goes = IN_DOOR if is_open(start, state, here) else ALL
    seen = DURING if dead else ALWAYS
    n = put(out, n, SHADOW, here, 500, 540, 860)
    stretch(out, n, 600)
    bring(out, n, there, came, goes, seen)
    n = put(out, n, AVATAR_SPRITE, here, 500, 500, 960)
    turn(out, n, HEADINGS[DOWN if action < 0 or action == WAIT else action])
    bring(out, n, there, came, goes, seen)
    held, holds = before[KEY] == 1, state[KEY] == 1 and not dead
    if held or holds:
        n = put(out, n, KEY_SPRITE, here, 800, 800, 460)
        bring(out, n, there, came, goes, when(held, holds))
    if dead:
        n = put(out, n, AVATAR_SPRITE, here, 500, 550, 500)
        out[n - 1, ANGLE] = out[n - 1, FROM + ANGLE] = 210
        out[n - 1, OPACITY] = 170
        show(out, n, AFTER)
        n = put(out, n, DEATH, here, 780, 220, 500)
        show(out, n, AFTER)
    return n


@rule
def pieces(level, start, before, state, scene, out):
    """Put the things, the avatar, and the effect of the last action: a hole filled, a gain, or a blocked move."""
    squares, here, action = level.shape[0] - CELLS, state[AVATAR], scene[ACTION]
    n = put_things(out, 0, start, before, state, squares)
    acted, filled = scene[KNOWN] == 1 and action >= 0 and action != WAIT, 0
    for square in range(squares):
        if acted and thing_on(before, square) == HOLE and thing_on(state, square) != HOLE:
            n = cover(out, n, FILLED, square)
            show(out, n, AFTER)
            filled += 1
    n = put_avatar(out, n, level, start, before, state, action)
    if acted and (below(thing_on(before, here)) == KEY_HERE or before[WORTH] - state[WORTH] > filled):
        n = cover(out, n, SPARKLE, here)
        show(out, n, AFTER)
    if acted and here == before[AVATAR]:
        n = put_on_edge(out, n, BUMP, here, action, 420)
        show(out, n, AFTER)
    return n


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=ground,
    pieces=pieces,
    frame=Frame("#2b2a35", "#4b4959", share=0.12, least=5, most=20),
    metrics=("score",),
)
