"""The picture of a board: wooden tiles, those at home green, with the last move marked; next to it the goal."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.compile.compilation import rule
from ...engine.pictures.picture import Frame, Inset, Picture
from ...engine.pictures.placement import (
    ACTION,
    AFTER,
    ALWAYS,
    DURING,
    HEADINGS,
    KNOWN,
    NUMBER,
    UNIT,
    cover,
    move_from,
    put,
    show,
    stretch,
    turn,
)
from .rules import BLANK, HEIGHT, TILES, WIDTH, home

ARROWS = ("blank", "tile")
"""What the arrow keys can move, for people."""
TRAY_COLOR = "#1c120d"
SPRITES = (
    TRAY_COLOR, "slot", "tile", "tile_home", "#3d2410", "#24401a", "#fff6e2", "#f4fbe2", "moved", "trail", "wall",
)  # fmt: skip
TRAY, SLOT, TILE, TILE_HOME, INK, INK_HOME, LIGHT, LIGHT_HOME, MOVED, TRAIL, WALL = range(len(SPRITES))
MIDDLE, ENGRAVED = 470, 490
"""The middle of a number from the top of its tile, and that of the light below it."""


@rule
def area(level, out):
    """Write the size of the board, which is drawn whole."""
    rows, columns = level[HEIGHT], level[WIDTH]
    out[0], out[1], out[2], out[3], out[4], out[5] = rows, columns, 0, 0, rows, columns


@rule
def ground(level, scene, out):
    """Put the tray."""
    rows, columns = int(level[HEIGHT]), int(level[WIDTH])
    n = put(out, 0, TRAY, 0, columns * UNIT // 2, rows * UNIT // 2, columns * UNIT)
    stretch(out, n, rows * UNIT)
    return n


@rule
def put_tile(out, n, tile, square, start, at_home, digits, seen):
    """Put a tile with its number, which comes from a square: three rows."""
    n = cover(out, n, TILE_HOME if at_home else TILE, square)
    n = put(out, n, LIGHT_HOME if at_home else LIGHT, square, UNIT // 2, ENGRAVED, digits)
    n = put(out, n, INK_HOME if at_home else INK, square, UNIT // 2, MIDDLE, digits)
    out[n - 2, NUMBER] = out[n - 1, NUMBER] = tile
    for row in range(n - 2, n + 1):
        move_from(out, row, start)
        show(out, row, seen)
    return n


@rule
def digit_height(squares):
    """Return the height of digits, which is the same for all tiles of a board."""
    return 460 if squares <= 10 else 400


@rule
def pieces(level, start, before, state, scene, out):
    """Put the slot of the blank, the tiles, and the mark of the last move."""
    squares, hole, hole_before = state.shape[0] - TILES, state[BLANK], before[BLANK]
    was, now = np.empty(squares, np.int64), np.empty(squares, np.int64)
    for square in range(squares):
        was[before[TILES + square]], now[state[TILES + square]] = square, square
    n = 0
    if hole != hole_before:
        n = cover(out, n, SLOT, hole_before)
        show(out, n, DURING)
    n = cover(out, n, SLOT, hole)
    for tile in range(1, squares):
        at_home, left_home = home(level, tile) == now[tile], home(level, tile) == was[tile]
        seen = ALWAYS if at_home == left_home else DURING
        n = put_tile(out, n, tile, now[tile], was[tile], left_home, digit_height(squares), seen)
        if seen == DURING:
            n = put_tile(out, n, tile, now[tile], now[tile], at_home, digit_height(squares), AFTER)
    if scene[ACTION] < 0 or not scene[KNOWN]:
        return n
    turns = HEADINGS[scene[ACTION]]
    if hole == hole_before:
        n = cover(out, n, WALL, hole)
        turn(out, n, turns)
        show(out, n, AFTER)
        return n
    n = cover(out, n, MOVED, hole_before)
    show(out, n, AFTER)
    n = cover(out, n, TRAIL, hole)
    turn(out, n, turns + 2)
    show(out, n, AFTER)
    return n


@rule
def goal(level, scene, out):
    """Put the solved board, on which all tiles are plain."""
    squares = int(level[HEIGHT]) * int(level[WIDTH])
    n = ground(level, scene, out)
    n = cover(out, n, SLOT, home(level, 0))
    for tile in range(1, squares):
        square = home(level, tile)
        n = put_tile(out, n, tile, square, square, False, digit_height(squares), ALWAYS)
    return n


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=ground,
    pieces=pieces,
    frame=Frame("#4a3022", "#6d4a33", share=0.24, least=10, most=44),
    solved_frame=Frame("#555335", "#7ed07a", share=0.24, least=10, most=44),
    inset=Inset("goal", goal, TRAY_COLOR),
    settings={"arrows": ARROWS},
    tile=16,
    least_tile=10,
)
