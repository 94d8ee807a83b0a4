"""Drawing of a board: a meadow between stone walls with the last move marked; the status on the right."""

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pygame

from ...engine.pictures import painting
from ...engine.pictures.drawing import BoardAndPanel, Layout, Rim, crop_to_floor
from ...engine.puzzle import DIED
from ...engine.scene import Row, Scene
from . import panel
from .boards import things_of
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
    STRIDE,
    WAIT,
    WALL,
    WORTH,
    ahead,
    outcome,
    thing_on,
)

FRAME, FRAME_EDGE = "#2b2a35", "#4b4959"
FLOORS, WALLS = 3, 2
SHADE, NIGHT = 70, 130
"""The opacity of the shadow below a wall, and of that over inner walls, up to 255."""
ALONE, UNDER, OVER = (0.5, 0.5, 0.86), (0.36, 0.36, 0.68), (0.62, 0.63, 0.66)
"""The (x, y, size) in squares of a thing alone on its square, of a thing under a box, and of a box over a thing."""
IN_DOOR = 0.32
"""How far an avatar that stands in an open door is moved aside, in squares; it is smaller by as much."""
ART = {KEY_HERE: "key", GOAL: "goal", HOLE: "hole", MUSHROOM: "mushroom", BOX: "box"}

sprite = functools.partial(painting.sprite, __package__)
ground = functools.partial(painting.ground, __package__)


def shape_of(scene: Scene) -> tuple[int, int]:
    """Return the board's (height, width) in squares."""
    width = int(scene.level[STRIDE])
    return (scene.level.size - CELLS) // width, width


def walls_of(scene: Scene) -> bytes:
    """Return the walls as the bytes of bool[rows * columns]."""
    walls: npt.NDArray[np.bool_] = scene.level[CELLS:] & WALL != 0
    return walls.tobytes()


def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the things on the board, the avatar, and the effect of the last move."""
    things, doors = things_of(scene.level, scene.shown), open_doors(scene, scene.shown)
    moved = moved_box(scene) if scene.moving else ()
    for square in doors:
        surface.blit(sprite("open", place.tile), place.numbered(square))
    for square in np.flatnonzero(things).tolist():
        if square not in moved:
            draw_things(surface, int(things[square]), place.numbered(square), square in doors)
    if moved:
        draw_moved_box(surface, scene, moved, place)
    if scene.before is None or scene.moving:
        draw_avatar(surface, scene, place)
    else:
        draw_last_move(surface, scene, scene.before, place)


def draw_background(surface: pygame.Surface, walls: bytes, place: Layout) -> None:
    """Draw the board's frame, walls and meadow; ``walls`` is the result of :func:`walls_of`."""
    tile = place.tile
    painting.put_card(surface, place.frame, FRAME, FRAME_EDGE, place.rim)
    shade, night = pygame.Surface((tile, max(1, tile // 7))), pygame.Surface((tile, tile))
    shade.set_alpha(SHADE)
    night.set_alpha(NIGHT)
    around = np.pad(np.frombuffer(walls, np.bool_).reshape(-1, place.stride), 1, constant_values=True)
    for row, column in place.squares():
        box = place.square(row, column)
        if around[row + 1, column + 1]:
            surface.blit(ground(f"wall_{(row + column * 3 + row * column) % WALLS + 1}", tile), box)
            if around[row : row + 3, column : column + 3].all():
                surface.blit(night, box)
            continue
        surface.blit(ground(f"floor_{(row * 5 + column * 7 + row * column) % FLOORS + 1}", tile), box)
        if row and around[row, column + 1]:
            surface.blit(shade, box)


def draw_things(surface: pygame.Surface, thing: int, box: pygame.Rect, door: bool = False) -> None:
    """Draw the things on a square; a box is shifted a little, so that what is below it can be seen.

    Args:
        surface: What to draw on.
        thing: The things.
        box: The square.
        door: Whether there is an open door, which is drawn already.
    """
    tile = box.width
    if thing == HOLE:
        surface.blit(sprite("hole", tile), box)
    elif door:
        stand(surface, thing, OVER, box)
    elif thing in ART:
        stand(surface, thing, ALONE, box)
    else:
        stand(surface, thing ^ BOX, UNDER, box)
        stand(surface, BOX, OVER, box)


def draw_moved_box(surface: pygame.Surface, scene: Scene, moved: tuple[int, int], place: Layout) -> None:
    """Draw a box on its way, and what is below it on either square."""
    assert scene.before is not None
    before, after = (things_of(scene.level, state) for state in (scene.before, scene.state))
    for square in moved:
        below = int(before[square]) & ~BOX
        if below == HOLE:
            draw_things(surface, HOLE, place.numbered(square))
        elif below:
            start, end = (UNDER if things[square] == below | BOX else ALONE for things in (before, after))
            stand(surface, below, painting.blend(start, end, scene.phase), place.numbered(square))
    doors = open_doors(scene, scene.shown)
    start, end = (
        OVER if square in doors or (things[square] & ~BOX and is_box(things)[square]) else ALONE
        for things, square in zip((before, after), moved, strict=True)
    )
    stand(surface, BOX, painting.blend(start, end, scene.phase), place.between(*moved, scene.phase))


def stand(surface: pygame.Surface, thing: int, spot: Sequence[float], box: pygame.Rect) -> None:
    """Draw a thing on a square, with its shadow; ``spot`` is its (x, y, size) in squares."""
    x, y, size = box.left + spot[0] * box.width, box.top + spot[1] * box.width, spot[2] * box.width
    if thing == KEY_HERE:
        painting.paste(surface, sprite("glow", round(1.1 * size)), (x, y))
    else:
        painting.paste(surface, painting.shadow(round(1.06 * size), round(0.36 * size)), (x, y + 0.4 * size))
    painting.paste(surface, sprite(ART[thing], round(size)), (x, y))


def draw_avatar(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the avatar, facing the direction of its last move, with its key, or in a hole; in a door it is smaller."""
    box, state = place.mover(scene, AVATAR), scene.shown
    rows = (scene.before, scene.state) if scene.moving and scene.before is not None else (scene.state, scene.state)
    start, end = (float(int(row[AVATAR]) in open_doors(scene, row)) for row in rows)
    aside = round(IN_DOOR * (start + (end - start) * scene.phase) * place.tile)
    box = pygame.Rect(box.left + aside, box.top + aside, box.width - aside, box.height - aside)
    tile = box.width
    if outcome(scene.level, state) == DIED:
        fallen = pygame.transform.rotozoom(sprite("avatar", tile), 150, 0.5)
        fallen.set_alpha(170)
        painting.paste(surface, fallen, (box.centerx, box.centery + 0.05 * tile))
        painting.paste(surface, sprite("death", round(0.5 * tile)), (box.right - 0.22 * tile, box.top + 0.22 * tile))
        return
    turns = painting.TURNS[DOWN if scene.action is None or scene.action == WAIT else scene.action]
    painting.paste(surface, painting.shadow(round(0.86 * tile), round(0.6 * tile)), (box.centerx, box.centery + 3))
    painting.paste(surface, sprite("avatar", round(0.96 * tile), turns), box.center)
    if state[KEY]:
        painting.paste(surface, sprite("key", round(0.46 * tile)), (box.right - 0.2 * tile, box.bottom - 0.2 * tile))


def moved_box(scene: Scene) -> tuple[int, int] | tuple[()]:
    """Return the squares of the box that was moved by the last action, before and after it, if one was.

    A box that falls into a hole moves to its square, and both vanish.
    """
    assert scene.before is not None
    before, after = (things_of(scene.level, state) for state in (scene.before, scene.state))
    squares = np.flatnonzero(is_box_or_hole(before) != is_box_or_hole(after)).tolist()
    if len(squares) != 2:
        return ()
    start, end = squares
    return (end, start) if is_box(before[end]) or is_box(after[start]) else (start, end)


def is_box_or_hole(things: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    """Return on which squares there is a box or a hole."""
    found: npt.NDArray[np.bool_] = is_box(things) | (things == HOLE)
    return found


def is_box(things: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    """Return on which squares there is a box."""
    found: npt.NDArray[np.bool_] = (things & BOX != 0) & (things != MUSHROOM)
    return found


def open_doors(scene: Scene, state: Row) -> frozenset[int]:
    """Return the squares of the goals that have been opened.

    If the start of the level is not known, only the one that the avatar has just opened is.

    Args:
        scene: The scene.
        state: One of its states.
    """
    if scene.start is not None:
        were, are = (things_of(scene.level, row) & ~BOX == GOAL for row in (scene.start, state))
        return frozenset(np.flatnonzero(were & ~are).tolist())
    just = scene.before is not None and state[GOALS] < scene.before[GOALS]
    return frozenset((int(state[AVATAR]),)) if just or state[GOALS] == 0 else frozenset()


def draw_last_move(surface: pygame.Surface, scene: Scene, before: Row, place: Layout) -> None:
    """Draw the avatar and the effect of the last action: a hole filled, a thing gained, or a blocked move."""
    state, action = scene.state, scene.action
    if action is None or action == WAIT:
        draw_avatar(surface, scene, place)
        return
    here = int(state[AVATAR])
    box = place.numbered(here)
    filled = filled_hole(scene, before)
    if filled is not None:
        surface.blit(sprite("filled", place.tile), place.numbered(filled))
    draw_avatar(surface, scene, place)
    if thing_on(before, here) & 3 == KEY_HERE or before[WORTH] - state[WORTH] > (filled is not None):
        surface.blit(sprite("sparkle", place.tile), box)
    if here == before[AVATAR]:
        painting.paste(surface, sprite("bump", round(0.42 * place.tile)), painting.edge_centre(box, action))


def filled_hole(scene: Scene, before: Row) -> int | None:
    """Return the square of the hole that the last move filled, if any."""
    level, action = scene.level, scene.action
    square = ahead(level, ahead(level, before[AVATAR], action), action)
    return int(square) if thing_on(before, square) == HOLE and thing_on(scene.state, square) != HOLE else None


DRAWING = BoardAndPanel(
    shape=shape_of,
    rim=Rim(share=0.12, least=5, most=20),
    panel_rows=panel.ROWS,
    background=walls_of,
    draw_background=draw_background,
    draw_board=draw_board,
    draw_panel=panel.draw,
    crop=lambda scene: crop_to_floor(walls_of(scene), int(scene.level[STRIDE])),
)
