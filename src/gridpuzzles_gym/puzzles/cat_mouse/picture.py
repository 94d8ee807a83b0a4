"""The picture of a maze: walls and floor, the last moves, the cheese, the cats and the mouse."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board.ways import neighbour
from ...engine.compile.compilation import rule
from ...engine.pictures.picture import Frame, Picture
from ...engine.pictures.placement import (
    ACTION,
    AFTER,
    ALWAYS,
    DURING,
    HEADINGS,
    KNOWN,
    OPACITY,
    cover,
    crop,
    move_from,
    put,
    put_on_edge,
    show,
    stretch,
    turn,
    when,
)
from ...engine.puzzle import DIED, SOLVED, UNFINISHED
from .rules import AHEAD, CAT, CATS, CELLS, DOWN, EXIT, MOST_CATS, MOUSE, RIGHT, STRIDE, UP, WALL, outcome

SPRITES = (
    "wall", "edge", "floor_1", "floor_2", "#000000",
    "shadow", "paws", "glow", "cheese", "cat", "mouse", "bang", "sparkle", "bump",
)  # fmt: skip
(
    WALL_SPRITE, EDGE, FLOOR_1, FLOOR_2, SHADE,
    SHADOW, PAWS, GLOW, CHEESE, CAT_SPRITE, MOUSE_SPRITE, BANG, SPARKLE, BUMP,
) = range(len(SPRITES))  # fmt: skip
DARK = 60
"""The opacity of the shadow below a wall."""
STAYED = 4


@rule
def area(level, out):
    """Write the size of the maze, and the part of it that is drawn."""
    crop(level, CELLS, WALL, level[STRIDE], out)


@rule
def ground(level, scene, out):
    """Put walls with their edges, and the floor, darker below a wall."""
    columns, squares, n = level[STRIDE], level.shape[0] - CELLS, 0
    for square in range(squares):
        above = neighbour(square, UP, columns, squares)
        if level[CELLS + square] & WALL:
            n = cover(out, n, WALL_SPRITE, square)
            for side in range(4):
                there = neighbour(square, side, columns, squares)
                if there >= 0 and not level[CELLS + there] & WALL:
                    n = cover(out, n, EDGE, square)
                    turn(out, n, HEADINGS[side])
            continue
        n = cover(out, n, FLOOR_1 if (square // columns + square % columns) % 2 == 0 else FLOOR_2, square)
        if above < 0 or level[CELLS + above] & WALL:
            n = put(out, n, SHADE, square, 500, 68, 1000)
            stretch(out, n, 136)
            out[n - 1, OPACITY] = DARK
    return n


@rule
def way(level, start, end):
    """Return the side of a square on which another one is, if one step leads there; otherwise STAYED."""
    for side in range(4):
        if level[CELLS + start] >> side & 1 and start + level[AHEAD + side] == end:
            return side
    return STAYED


@rule
def cat_starts(level, before, state, starts):
    """Write where each cat was before the last action.

    Cats cannot be told apart; of several possibilities, a cat stayed rather than moved. If there is none, because it is
    unknown what was before, all stayed.
    """
    cats = level[CATS]
    ends, tried = np.full(MOST_CATS, -1), np.full(MOST_CATS, -1)
    cat = 0
    while 0 <= cat < cats:  # of those before; each tries to have stayed, then the squares in order
        here, found = before[CAT + cat], -1
        ends[cat] = -1
        while found < 0 and tried[cat] < cats:
            tried[cat] += 1
            if tried[cat] > 0:
                end = state[CAT + tried[cat] - 1]
                if end == here or way(level, here, end) == STAYED:
                    continue
            else:
                end = here
            for other in range(cats):
                if state[CAT + other] == end:
                    found = other
            for other in range(cat):
                if ends[other] == found:
                    found = -1
        ends[cat] = found
        if found >= 0:
            cat += 1
        else:
            tried[cat] = -1
            cat -= 1
    for one in range(cats):
        starts[one] = state[CAT + one]
    if cat >= 0:
        for one in range(cats):
            starts[ends[one]] = before[CAT + one]


@rule
def put_cheese(out, n, square, x, y, size, seen):
    """Put the cheese with its glow."""
    n = put(out, n, GLOW, square, 500, 500, 1150)
    show(out, n, seen)
    n = put(out, n, CHEESE, square, x, y, size)
    show(out, n, seen)
    return n


@rule
def stand(out, n, sprite, square, x, y, size):
    """Put an animal on its shadow: two rows."""
    n = put(out, n, SHADOW, square, x, y + size // 10, size)
    stretch(out, n, 7 * size // 10)
    return put(out, n, sprite, square, x, y, size)


@rule
def come(out, n, start, quarters, seen):
    """Let an animal and its shadow come from a square, turned, and say when they are seen."""
    move_from(out, n - 1, start)
    move_from(out, n, start)
    turn(out, n, quarters)
    show(out, n - 1, seen)
    show(out, n, seen)


@rule
def pieces(level, start, before, state, scene, out):
    """Put the footprints, the cheese, the cats and the mouse."""
    mouse, mouse_before, n = state[MOUSE], before[MOUSE], 0
    was, now = outcome(level, before), outcome(level, state)
    starts = np.empty(MOST_CATS, np.int64)
    cat_starts(level, before, state, starts)
    for cat in range(-1, level[CATS]):
        here, there = (starts[cat], state[CAT + cat]) if cat >= 0 else (mouse_before, mouse)
        side = way(level, here, there)
        if side != STAYED:
            n = put(out, n, PAWS, here, 500, 500, 800)
            turn(out, n, HEADINGS[side])
            show(out, n, AFTER)
    if was != SOLVED or now != SOLVED:
        n = put_cheese(out, n, level[EXIT], 500, 500, 800, when(was != SOLVED, now != SOLVED))
    catcher = -1
    for cat in range(level[CATS]):
        end = state[CAT + cat]
        side = way(level, starts[cat], end)
        if now == DIED and end == mouse:
            catcher = cat
        n = stand(out, n, CAT_SPRITE, end, 500, 500, 980)
        come(out, n, starts[cat], HEADINGS[DOWN if side == STAYED else side], DURING if catcher == cat else ALWAYS)
    facing = RIGHT if scene[ACTION] < 0 else scene[ACTION]
    n = stand(out, n, MOUSE_SPRITE, mouse, 500, 500, 800)
    come(out, n, mouse_before, HEADINGS[facing], ALWAYS if now == UNFINISHED else DURING)
    if now == SOLVED:
        n = put_cheese(out, n, mouse, 600, 400, 700, AFTER)
        n = stand(out, n, MOUSE_SPRITE, mouse, 360, 640, 620)
        come(out, n, mouse, 1, AFTER)
        n = cover(out, n, SPARKLE, mouse)
        show(out, n, AFTER)
    elif now == DIED:
        n = put(out, n, BANG, mouse, 500, 500, 1300)
        show(out, n, AFTER)
        side = way(level, starts[catcher], mouse)
        n = stand(out, n, CAT_SPRITE, mouse, 420, 420, 900)
        come(out, n, mouse, HEADINGS[DOWN if side == STAYED else side], AFTER)
        n = stand(out, n, MOUSE_SPRITE, mouse, 720, 720, 500)
        come(out, n, mouse, HEADINGS[facing], AFTER)
    elif scene[ACTION] >= 0 and scene[KNOWN] and mouse == mouse_before:
        n = put_on_edge(out, n, BUMP, mouse, facing, 360)
        show(out, n, AFTER)
    return n


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=ground,
    pieces=pieces,
    frame=Frame("#2b2d3f", "#4b4f6b", share=0.12, least=5, most=20),
)
