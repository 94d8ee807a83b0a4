"""Drawing of a board: wooden tiles with the last move marked on the left, the status and the goal on the right."""

import functools

import pygame

from ...engine.pictures import painting
from ...engine.pictures.drawing import BoardAndPanel, Layout, Rim
from ...engine.pictures.painting import TURNS
from ...engine.pictures.panel import EDGE
from ...engine.scene import Scene
from . import panel
from .boards import Tiles, goal_tiles
from .last_move import Move, last_move
from .rules import BLANK, HEIGHT, MISPLACED, TILES, WIDTH

WOOD, WOOD_EDGE, TRAY = "#4a3022", "#6d4a33", "#1c120d"
SOLVED_EDGE = "#7ed07a"
INK, INK_HOME, LIGHT, LIGHT_HOME = "#3d2410", "#24401a", "#fff6e2", "#f4fbe2"
SMALL = 14
"""Tiles smaller than this, in pixels, are plain."""

sprite = functools.partial(painting.sprite, __package__)


def shape_of(scene: Scene) -> tuple[int, int]:
    """Return the board's (height, width) in squares."""
    return int(scene.level[HEIGHT]), int(scene.level[WIDTH])


def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the tiles and mark the last move; the tray of a solved board has a green edge."""
    if scene.shown[MISPLACED] == 0:
        painting.put_card(surface, place.frame, SOLVED_EDGE, SOLVED_EDGE, corner(place), opacity=0.22)
        painting.put_card(surface, place.board, TRAY, SOLVED_EDGE, corner(place) // 2, sheen=0.02)
    tiles, goal = scene.shown[TILES:].tolist(), goal_tiles(scene.level)
    hole = int(scene.state[BLANK])
    slid = tiles[hole]
    if scene.moving:
        tiles[hole] = 0
    draw_tiles(surface, tuple(tiles), goal, place)
    move = last_move(scene)
    if scene.moving and slid:
        assert scene.before is not None
        box = place.between(hole, int(scene.before[BLANK]), scene.phase)
        surface.blit(face(slid, numeral_height(place.tile, len(tiles)), place.tile, goal[hole] == slid), box)
    elif move is not None:
        draw_move(surface, scene, move, place)


def draw_background(surface: pygame.Surface, goal: Tiles, place: Layout) -> None:
    """Draw the tray, and the goal in the panel."""
    painting.put_card(surface, place.frame, WOOD, WOOD_EDGE, corner(place), sheen=0.12)
    painting.put_card(surface, place.board, TRAY, "#2b1b13", corner(place) // 2, sheen=0.02)
    rows, columns = place.shape
    inset = panel.goal_box(place.panel, place.unit, rows, columns)
    side = inset.width // columns
    painting.put_card(surface, inset.inflate(side // 5 + 2, side // 5 + 2), TRAY, EDGE, max(3, side // 6))
    small = Layout(inset.size, inset, inset, inset, side, place.unit, columns)
    draw_tiles(surface, goal, (), small)


def corner(place: Layout) -> int:
    """Return the radius of the frame's corners."""
    return max(4, place.rim)


def draw_tiles(surface: pygame.Surface, tiles: Tiles, goal: Tiles, place: Layout) -> None:
    """Draw all tiles, those at home tinted."""
    height = numeral_height(place.tile, len(tiles))
    for square, tile in enumerate(tiles):
        box = place.numbered(square)
        if not tile:
            if box.width >= SMALL:
                surface.blit(sprite("slot", box.width), box)
            continue
        surface.blit(face(tile, height, box.width, bool(goal) and goal[square] == tile), box)


def numeral_height(tile: int, squares: int) -> int:
    """Return the height of digits, which is the same for all tiles of a board."""
    share = 0.46 if squares <= 10 else 0.4
    return max(round(share * tile), min(6, tile - 4))


@functools.lru_cache(2 * painting.SPRITES_KEPT)
def face(tile: int, height: int, size: int, home: bool) -> pygame.Surface:
    """Return a tile with its engraved number."""
    if size < SMALL:
        surface = pygame.Surface((size, size), pygame.SRCALPHA)
        surface.fill("#b3cd8c" if home else "#e6cb9b", (0, 0, size - 1, size - 1))
        centre = ((size - 1) / 2, (size - 1) / 2)
    else:
        surface = sprite("tile_home" if home else "tile", size).copy()
        centre = (size / 2, 0.47 * size)
    if size < 10:
        return surface
    space = round(0.8 * size) if size >= SMALL else size - 2
    depth = height // 18
    if depth:
        painting.paste(
            surface, numeral(tile, height, space, LIGHT_HOME if home else LIGHT), (centre[0], centre[1] + depth)
        )
    painting.paste(surface, numeral(tile, height, space, INK_HOME if home else INK), centre)
    return surface


@functools.lru_cache(4 * painting.SPRITES_KEPT)
def numeral(number: int, height: int, space: int, color: str) -> pygame.Surface:
    """Return a number with digits of that height, or less if it is too wide, cropped so that it can be centred."""
    line = height / 0.7
    while True:
        picture = painting.font(line, bold=True).render(str(number), True, color)
        ink = picture.get_bounding_rect()
        if (ink.width <= space and ink.height <= height) or line <= painting.SMALLEST_TEXT:
            return picture.subsurface(ink)
        line -= 0.5


def draw_move(surface: pygame.Surface, scene: Scene, move: Move, place: Layout) -> None:
    """Mark the tile that slid and the square it came from, or the edge that stopped the blank."""
    assert scene.before is not None
    tile = place.tile
    hole = place.numbered(int(scene.state[BLANK]))
    if not move.tile:
        painting.paste(surface, sprite("wall", tile, TURNS[move.action]), hole.center)
        return
    slid = place.numbered(int(scene.before[BLANK]))
    painting.paste(surface, sprite("moved", tile), slid.center)
    painting.paste(surface, sprite("trail", tile, TURNS[move.action] + 2), hole.center)


DRAWING = BoardAndPanel(
    shape=shape_of,
    rim=Rim(share=0.24, least=10, most=44),
    panel_rows=panel.ROWS,
    background=lambda scene: goal_tiles(scene.level),
    draw_background=draw_background,
    draw_board=draw_board,
    draw_panel=panel.draw,
)
