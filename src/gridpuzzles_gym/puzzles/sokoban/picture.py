"""The picture of a board: its terrain, the trail of the last move, the boxes and the player, in the chosen style."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from pathlib import Path
from typing import Any

from ...engine.compile.compilation import rule
from ...engine.pictures.picture import Frame, Picture, default_art
from ...engine.pictures.placement import (
    ACTION,
    AFTER,
    ALWAYS,
    DURING,
    HEADINGS,
    KNOWN,
    SETTINGS,
    cover,
    crop,
    move_from,
    put,
    put_on_edge,
    show,
    turn,
    when,
)
from . import terrain
from .rules import CELLS, DOWN, GOAL, PLAYER, STRIDE, WALL, box_on, freeze

STYLES = ("warehouse", "paper")
"""The names of the styles, folders of sprites; the first is the default.

Each wall is composed of quarters of five sprites, so that adjacent walls join: see :func:`.terrain.form`.
"""
POSES = ("_up", "", "_left", "_right")
"""The suffix of the player's sprite for each action."""
SPRITES = (
    *terrain.SPRITES, "box", "box_on_goal", "trail_walk", "trail_push", "bump", "deadlock",
    *(f"{name}{pose}" for name in ("player", "pusher") for pose in POSES),
)  # fmt: skip
BOX, BOX_ON_GOAL, TRAIL_WALK, TRAIL_PUSH, BUMP, DEADLOCK, PLAYERS = range(
    len(terrain.SPRITES), len(terrain.SPRITES) + 7
)
PUSHERS = PLAYERS + len(POSES)
NOWHERE = -1
WARN = SETTINGS


@rule
def area(level, out):
    """Write the size of the board, and the part of it that is drawn."""
    crop(level, CELLS, WALL, level[STRIDE], out)


@rule
def moved_box(squares, before, state):
    """Return the squares of the one box that is elsewhere than before, before and after; NOWHERE if there is none."""
    left, reached = NOWHERE, NOWHERE
    lefts, reaches = 0, 0
    for square in range(squares):
        was, now = box_on(before, square), box_on(state, square)
        if was and not now:
            left, lefts = square, lefts + 1
        elif now and not was:
            reached, reaches = square, reaches + 1
    if lefts == 1 and reaches == 1:
        return left, reached
    return NOWHERE, NOWHERE


@rule
def put_box(level, out, n, came, square, was, now):
    """Put a box that was before, or is now, or both; one that is pushed looks as it did until it arrives."""
    looked = BOX_ON_GOAL if level[CELLS + came] & GOAL else BOX
    looks = BOX_ON_GOAL if level[CELLS + square] & GOAL else BOX
    if was:
        n = cover(out, n, looked, square)
        move_from(out, n, came)
        show(out, n, ALWAYS if now and looked == looks else DURING)
    if now and not (was and looked == looks):
        n = cover(out, n, looks, square)
        show(out, n, AFTER)
    return n


@rule
def put_boxes(level, out, n, before, state, warn):
    """Put all boxes; those that can no longer reach a goal are marked if ``warn`` is not 0."""
    squares = level.shape[0] - CELLS
    left, reached = moved_box(squares, before, state)
    stuck_before, stuck = before.copy(), state.copy()
    if warn:
        freeze(level, stuck_before)
        freeze(level, stuck)
    for square in range(squares):
        came = left if square == reached else square
        was, now = box_on(before, came), box_on(state, square)
        if square == left or not (was or now):
            continue
        n = put_box(level, out, n, came, square, was, now)
        if warn:
            was = box_on(stuck_before, came) and not level[CELLS + came] & GOAL
            now = box_on(stuck, square) and not level[CELLS + square] & GOAL
            if was or now:
                n = put(out, n, DEADLOCK, square, 500, 500, 500)
                move_from(out, n, came)
                show(out, n, when(was, now))
    return n


@rule
def pieces(level, start, before, state, scene, out):
    """Put the trail, the boxes, the player, facing the direction of his last move, and what blocked him."""
    action, n = scene[ACTION], 0
    here, came = state[PLAYER], before[PLAYER]
    known = action >= 0 and scene[KNOWN]
    pushed = known and box_on(before, here)
    if known and here != came:
        n = cover(out, n, TRAIL_PUSH if pushed else TRAIL_WALK, came)
        turn(out, n, HEADINGS[action])
        show(out, n, AFTER)
    n = put_boxes(level, out, n, before, state, scene[WARN])
    facing = DOWN if action < 0 else action
    n = cover(out, n, (PUSHERS if pushed else PLAYERS) + facing, here)
    move_from(out, n, came)
    if known and here == came:
        n = put_on_edge(out, n, BUMP, here, facing, 1000)
        turn(out, n, HEADINGS[facing])
    return n


def file(options: Any, name: str) -> Path:
    """Return the file of a sprite in the chosen style, or else in the first, which has all that styles have."""
    folders = [Path(__file__).with_name("art") / style for style in (options.style, STYLES[0])]
    if options.style != STYLES[0] and name == "floor_shaded":
        name = "floor"
    found = (folder / f"{name}.svg" for folder in folders)
    return next(filter(Path.is_file, found), None) or default_art(__package__, name)


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=terrain.ground,
    pieces=pieces,
    frame=Frame("void", "#4d4149", share=0.24, least=6, most=40),
    solved_frame=Frame("void", "#7ed07a", share=0.24, least=6, most=40),
    cut=0.5,
    settings={"warn": (False, True)},
    metrics=("deadlock",),
    file=file,
)
