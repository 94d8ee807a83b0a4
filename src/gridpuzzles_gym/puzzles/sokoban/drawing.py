"""Drawing of a board: terrain, boxes and the player in the chosen style; the status on the right."""

import functools

import numpy as np
import numpy.typing as npt
import pygame

from ...engine.pictures import painting
from ...engine.pictures.drawing import BoardAndPanel, Layout, Rim, crop_to_floor
from ...engine.pictures.painting import TURNS
from ...engine.scene import Scene
from . import panel, terrain
from .boards import squares_of, stuck_boxes
from .last_move import Move, last_move
from .panel import sprite
from .rules import ASTRAY, CELLS, DOWN, GOAL, LEFT, PLAYER, RIGHT, STRIDE, UP, WALL
from .styles import Style
from .terrain import Quarter

EDGE, SOLVED_EDGE = "#4d4149", "#7ed07a"
WALLS_CUT = 0.5
"""The share of the outermost walls that is not drawn, so that the floor can be larger."""
POSES = {UP: "_up", DOWN: "", LEFT: "_left", RIGHT: "_right"}
"""The suffix of the player's sprite for each direction."""


def shape_of(scene: Scene) -> tuple[int, int]:
    """Return the board's (height, width) in squares."""
    columns = int(scene.level[STRIDE])
    return (len(scene.level) - CELLS) // columns, columns


def walls_of(scene: Scene) -> bytes:
    """Return the walls as the bytes of bool[rows * columns]."""
    walls: npt.NDArray[np.bool_] = scene.level[CELLS:] & WALL != 0
    return walls.tobytes()


def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the boxes, the player and his last step; the frame of a solved board has a green edge."""
    move = last_move(scene)
    if scene.shown[ASTRAY] == 0:
        width = max(2, corner(place) // 4)
        pygame.draw.rect(surface, SOLVED_EDGE, place.frame, width, corner(place))
    if move is not None and move.moved and not scene.moving:
        draw_trail(surface, scene, move, place)
    draw_boxes(surface, scene, place)
    draw_player(surface, scene, move, place)


def draw_background(surface: pygame.Surface, background: tuple[bytes, Style], place: Layout) -> None:
    """Draw the board's frame and terrain; ``background`` is the level row, as bytes, and the style."""
    level, style = background
    row = np.frombuffer(level, np.int16)
    void = "#{:02x}{:02x}{:02x}".format(*pygame.transform.average_color(sprite(style, "void", place.tile))[:3])
    painting.put_card(surface, place.frame, void, EDGE, corner(place), sheen=0.0)
    surface.set_clip(place.board)
    draw_terrain(surface, row[CELLS:].reshape(-1, row[STRIDE]), style, place)
    surface.set_clip(None)


def draw_terrain(surface: pygame.Surface, cells: npt.NDArray[np.int16], style: Style, place: Layout) -> None:
    """Draw walls, floor and goals."""
    shown, tile = terrain.kinds(cells), place.tile
    for row, column in place.squares():
        box = place.square(row, column)
        if shown[row + 1, column + 1] == terrain.BUILT:
            surface.blit(wall(style, terrain.quarters(shown, row + 1, column + 1), tile), box)
            continue
        surface.blit(sprite(style, terrain.ground_name(shown, row + 1, column + 1), tile), box)
        if cells[row, column] & GOAL:
            surface.blit(sprite(style, "goal", tile), box)


@functools.lru_cache(painting.SPRITES_KEPT)
def wall(style: Style, pieces: tuple[Quarter, ...], tile: int) -> pygame.Surface:
    """Draw a wall from its four quarters."""
    surface = pygame.Surface((tile, tile), 0, 32)
    half = tile // 2
    for place, piece in enumerate(pieces):
        down, right = divmod(place, 2)
        box = pygame.Rect(right * half, down * half, tile - half if right else half, tile - half if down else half)
        for name in (piece.ground, piece.sprite):
            surface.blit(sprite(style, name, tile), box, box)
    return surface


def corner(place: Layout) -> int:
    """Return the radius of the frame's corners."""
    return max(4, round(0.8 * place.rim))


def draw_boxes(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw all boxes, with a different sprite on goals; one that is pushed keeps its sprite until it arrives.

    With the option ``warn``, those that can no longer reach a goal are marked.
    """
    _, goals, boxes = squares_of(scene.level, scene.shown)
    moved = moved_box(scene) if scene.moving else None
    stuck = stuck_boxes(scene.level, scene.shown).ravel() if scene.options.warn else np.zeros(boxes.size, np.bool_)
    mark = painting.sprite(__package__, "deadlock", round(0.5 * place.tile))
    for square in np.flatnonzero(boxes).tolist():
        start, end = moved if moved is not None and moved[0] == square else (square, square)
        name = "box_on_goal" if goals.flat[square] else "box"
        box = place.between(start, end, scene.phase)
        surface.blit(sprite(scene.options.style, name, place.tile), box)
        if stuck[square]:
            painting.paste(surface, mark, box.center)


def moved_box(scene: Scene) -> tuple[int, int] | None:
    """Return the squares of the box that was moved by the last action, before and after it, if one was."""
    assert scene.before is not None
    before, after = (squares_of(scene.level, state)[2] for state in (scene.before, scene.state))
    left, reached = np.flatnonzero(before & ~after), np.flatnonzero(after & ~before)
    return (int(left[0]), int(reached[0])) if left.size == reached.size == 1 else None


def draw_trail(surface: pygame.Surface, scene: Scene, move: Move, place: Layout) -> None:
    """Mark the square that the player left."""
    assert scene.before is not None
    left = place.numbered(int(scene.before[PLAYER]))
    name = "trail_push" if move.pushed else "trail_walk"
    surface.blit(sprite(scene.options.style, name, place.tile, TURNS[move.action]), left)


def draw_player(surface: pygame.Surface, scene: Scene, move: Move | None, place: Layout) -> None:
    """Draw the player, facing the direction of his last move, and what blocked him."""
    style, tile = scene.options.style, place.tile
    here = place.mover(scene, PLAYER)
    facing = DOWN if scene.action is None else scene.action
    pose = "pusher" if move is not None and move.pushed else "player"
    surface.blit(sprite(style, pose + POSES[facing], tile), here)
    if move is not None and not move.moved:
        painting.paste(surface, sprite(style, "bump", tile, TURNS[facing]), painting.edge_centre(here, facing))


DRAWING = BoardAndPanel(
    shape=shape_of,
    rim=Rim(share=0.24, least=6, most=40),
    panel_rows=panel.ROWS,
    background=lambda scene: (scene.level.tobytes(), scene.options.style),
    draw_background=draw_background,
    draw_board=draw_board,
    draw_panel=panel.draw,
    crop=lambda scene: crop_to_floor(walls_of(scene), int(scene.level[STRIDE]), WALLS_CUT),
)
