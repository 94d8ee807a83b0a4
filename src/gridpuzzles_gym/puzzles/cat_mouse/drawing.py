"""Drawing of a maze: mouse, cats and their last moves on the left, the status on the right."""

import functools

import numpy as np
import numpy.typing as npt
import pygame

from ...engine.pictures import painting
from ...engine.pictures.drawing import BoardAndPanel, Layout, Rim, crop_to_floor
from ...engine.pictures.painting import TURNS
from ...engine.puzzle import DIED, SOLVED
from ...engine.scene import Row, Scene
from . import panel
from .rules import AHEAD, CAT, CATS, CELLS, DOWN, EXIT, LEFT, MOUSE, RIGHT, STRIDE, UP, WALL, outcome

FRAME, FRAME_EDGE = "#2b2d3f", "#4b4f6b"
FLOORS = 2
SHADE = 60
"""The opacity of the shadow below a wall, up to 255."""

sprite = functools.partial(painting.sprite, __package__)
ground = functools.partial(painting.ground, __package__)


def shape_of(scene: Scene) -> tuple[int, int]:
    """Return the maze's (height, width) in squares."""
    width = int(scene.level[STRIDE])
    return (scene.level.size - CELLS) // width, width


def walls_of(scene: Scene) -> bytes:
    """Return the walls as the bytes of bool[rows * columns]."""
    walls: npt.NDArray[np.bool_] = scene.level[CELLS:] & WALL != 0
    return walls.tobytes()


def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the footprints, the cheese, the cats and the mouse."""
    if not scene.moving:
        draw_tracks(surface, scene, place)
    ending = outcome(scene.level, scene.shown)
    if ending != SOLVED:
        draw_cheese(surface, place.numbered(int(scene.level[EXIT])), (0.5, 0.5, 0.8))
    for start, end in cat_steps(scene):
        if ending != DIED or end != scene.state[MOUSE]:
            draw_cat(surface, scene, (start, end), place, (0.5, 0.5, 0.98))
    draw_mouse(surface, scene, place, ending)


def draw_background(surface: pygame.Surface, walls: bytes, place: Layout) -> None:
    """Draw the maze's frame, walls and floor; ``walls`` is the result of :func:`walls_of`."""
    tile = place.tile
    painting.put_card(surface, place.frame, FRAME, FRAME_EDGE, place.rim)
    shade = pygame.Surface((tile, max(1, tile // 7)))
    shade.set_alpha(SHADE)
    around = np.pad(np.frombuffer(walls, np.bool_).reshape(-1, place.stride), 1, constant_values=True)
    for row, column in place.squares():
        box = place.square(row, column)
        if around[row + 1, column + 1]:
            surface.blit(ground("wall", tile), box)
            sides = {UP: (0, 1), RIGHT: (1, 2), DOWN: (2, 1), LEFT: (1, 0)}
            for side, (down, right) in sides.items():
                if not around[row + down, column + right]:
                    surface.blit(sprite("edge", tile, TURNS[side]), box)
        else:
            surface.blit(ground(f"floor_{(row + column) % FLOORS + 1}", tile), box)
            if around[row, column + 1]:
                surface.blit(shade, box)


def way_between(level: Row, start: int, end: int) -> int | None:
    """Return the side of ``start`` on which ``end`` is, if one step leads there."""
    sides = (side for side in (UP, DOWN, LEFT, RIGHT) if level[CELLS + start] >> side & 1)
    return next((side for side in sides if start + level[AHEAD + side] == end), None)


def cat_steps(scene: Scene) -> list[tuple[int, int]]:
    """Return the squares of each cat before and after the last action.

    Cats cannot be told apart; of several possibilities, a cat stayed rather than moved. If there is none, because it is
    unknown what was before, all stayed.
    """
    cats = slice(CAT, CAT + scene.level[CATS])
    after = scene.state[cats].tolist()
    steps = None if scene.before is None else paired(scene.level, scene.before[cats].tolist(), after)
    return [(square, square) for square in after] if steps is None else sorted(steps, key=lambda step: step[1])


def paired(level: Row, before: list[int], after: list[int]) -> list[tuple[int, int]] | None:
    """Return pairs of squares from two lists of which each is one step or none; None if that is impossible."""
    if not before:
        return []
    start = before[0]
    for end in sorted(after, key=lambda square: square != start):
        if end == start or way_between(level, start, end) is not None:
            others = paired(level, before[1:], [square for square in after if square != end])
            if others is not None:
                return [(start, end), *others]
    return None


def draw_tracks(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw footprints on the squares that mouse and cats have just left."""
    steps = cat_steps(scene)
    if scene.before is not None:
        steps.append((int(scene.before[MOUSE]), int(scene.state[MOUSE])))
    for start, end in steps:
        way = way_between(scene.level, start, end)
        if way is not None:
            paws = sprite("paws", round(0.8 * place.tile), TURNS[way])
            painting.paste(surface, paws, place.numbered(start).center)


def draw_cheese(surface: pygame.Surface, box: pygame.Rect, spot: tuple[float, float, float]) -> None:
    """Draw the cheese at the exit; ``spot`` is its (x, y, size) in squares."""
    tile = box.width
    painting.paste(surface, sprite("glow", round(1.15 * tile)), box.center)
    centre = (box.left + spot[0] * tile, box.top + spot[1] * tile)
    painting.paste(surface, sprite("cheese", round(spot[2] * tile)), centre)


def draw_cat(
    surface: pygame.Surface, scene: Scene, step: tuple[int, int], place: Layout, spot: tuple[float, float, float]
) -> None:
    """Draw a cat, facing the direction of its last step."""
    way = way_between(scene.level, *step)
    stand(surface, "cat", TURNS[DOWN if way is None else way], place.between(*step, scene.phase), spot)


def stand(surface: pygame.Surface, name: str, turns: int, box: pygame.Rect, spot: tuple[float, float, float]) -> None:
    """Draw an animal with its shadow."""
    size = round(spot[2] * box.width)
    x, y = box.left + spot[0] * box.width, box.top + spot[1] * box.width
    painting.paste(surface, painting.shadow(size, round(0.7 * size)), (x, y + 0.1 * size))
    painting.paste(surface, sprite(name, size, turns), (x, y))


def draw_mouse(surface: pygame.Surface, scene: Scene, place: Layout, ending: int) -> None:
    """Draw the mouse, facing the direction of the last action, with the cheese, or caught by a cat."""
    square = int(scene.state[MOUSE])
    box, tile = place.mover(scene, MOUSE), place.tile
    turns = TURNS[RIGHT if scene.action is None else scene.action]
    if ending == SOLVED:
        draw_cheese(surface, box, (0.6, 0.4, 0.7))
        stand(surface, "mouse", 1, box, (0.36, 0.64, 0.62))
        painting.paste(surface, sprite("sparkle", tile), box.center)
        return
    if ending == DIED:
        painting.paste(surface, sprite("bang", round(1.3 * tile)), box.center)
        cat = next(step for step in cat_steps(scene) if step[1] == square)
        draw_cat(surface, scene, cat, place, (0.42, 0.42, 0.9))
        stand(surface, "mouse", turns, box, (0.72, 0.72, 0.5))
        return
    stand(surface, "mouse", turns, box, (0.5, 0.5, 0.8))
    if scene.action is not None and scene.before is not None and scene.before[MOUSE] == square:
        painting.paste(surface, sprite("bump", round(0.36 * tile)), painting.edge_centre(box, scene.action))


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
