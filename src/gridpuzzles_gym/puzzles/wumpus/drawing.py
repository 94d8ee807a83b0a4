"""Drawing of a cave: the board on the left, the agent's percepts and items on the right."""

import functools
import math

import numpy as np
import pygame

from ...engine.pictures import painting
from ...engine.pictures.drawing import BoardAndPanel, Layout, Rim
from ...engine.scene import Row, Scene
from . import panel
from .knowledge import known_squares
from .rules import (
    ALIVE,
    ARROW,
    BREEZE,
    BUMP,
    CELLS,
    EAST,
    EATEN,
    ENDING,
    FACING,
    FELL,
    GOLD,
    HEIGHT,
    HELD,
    NORTH,
    PIT,
    SCREAM,
    SEEN,
    SHOOT,
    SOUTH,
    SQUARE,
    START,
    STENCH,
    WALL,
    WEST,
    WIDTH,
    WUMPUS,
)

FRAME, FRAME_EDGE, CHALK, TRAIL = "#2c2530", "#4d4149", "#a8978e", "#f3e3c0"
AHEAD = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}
FLOORS = 3
DIMMED, FOGGED = 145, 150
"""The opacity of the darkness over unvisited squares for ``show="world"`` and ``show="knowledge"``."""
SOFTNESS = 4
"""The darkness fades over a distance of 1 / SOFTNESS squares."""

STUCK = 0.18
"""How far an arrow gets beyond the middle of the last square, in squares."""

# The positions of things that share a square: (x, y, size) in squares, the agent last.
SPOTS = {
    1: ((0.5, 0.5, 0.8),),
    2: ((0.69, 0.31, 0.56), (0.36, 0.62, 0.66)),
    3: ((0.27, 0.28, 0.5), (0.74, 0.3, 0.48), (0.5, 0.68, 0.62)),
}

sprite = functools.partial(painting.sprite, __package__)
ground = functools.partial(painting.ground, __package__)


def shape_of(scene: Scene) -> tuple[int, int]:
    """Return the cave's (height, width) in squares."""
    return int(scene.level[HEIGHT]), int(scene.level[WIDTH])


def draw_background(surface: pygame.Surface, _: None, place: Layout) -> None:
    """Draw the board's rim, with columns and rows numbered from the bottom left, as in the textbook."""
    tile, board, rim = place.tile, place.board, place.rim
    painting.put_card(surface, place.frame, FRAME, FRAME_EDGE, rim // 2)
    letters = min(max(0.6 * rim, 11), 26)
    every = next(step for step in (1, 2, 5, 10, 20) if step * tile >= 1.8 * letters)
    rows, columns = place.shape
    for column in (0, *range(every - 1, columns, every)):
        box = pygame.Rect(0, 0, max(tile, 2 * rim), rim)
        box.midtop = (board.left + column * tile + tile // 2, board.bottom)
        if column or every <= 2 or every > columns:
            painting.write(surface, str(column + 1), box, CHALK, letters)
    for row in (0, *range(every - 1, rows, every)):
        box = pygame.Rect(0, 0, rim - 2, max(tile, 2 * rim))
        box.midright = (board.left - 1, board.bottom - row * tile - tile // 2)
        if row or every <= 2 or every > rows:
            painting.write(surface, str(row + 1), box, CHALK, letters)


def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw everything in the cave; light is clipped to the board. While the agent moves, all else is as before."""
    surface.set_clip(place.board)
    known = known_squares(scene.level, scene.shown).ravel() | (scene.options.show == "world")
    squares = [(square, place.numbered(square)) for square in range(known.size)]
    for square, box in squares:
        if known[square]:
            draw_ground(surface, scene, square, box)
            draw_things(surface, scene, square, box)
        else:
            surface.blit(ground("fog", place.tile), box)
    unknown = ~known_squares(scene.level, scene.shown).ravel()
    strength = DIMMED if scene.options.show == "world" else FOGGED
    surface.blit(darkness(unknown.tobytes(), place.shape, strength, place.tile), place.board)
    for square, box in squares:
        if scene.shown[SEEN + square]:
            draw_percepts(surface, scene, square, box)
    draw_agent(surface, scene, place)
    draw_arrow(surface, scene, place)
    if scene.shown[SCREAM] and scene.options.show == "world":
        draw_scream(surface, scene, squares)
    surface.set_clip(None)


@functools.lru_cache(8)
def darkness(unknown: bytes, shape: tuple[int, int], strength: int, tile: int) -> pygame.Surface:
    """Return a picture of the darkness over unknown squares, bool[H*W] as bytes, which fades at its edges."""
    height, width = shape
    opacity = strength * np.frombuffer(unknown, np.bool_).reshape(shape)
    small = pygame.Surface((width * SOFTNESS, height * SOFTNESS), pygame.SRCALPHA)
    small.fill("#0b0913")
    pygame.surfarray.pixels_alpha(small)[...] = np.kron(opacity.T, np.ones((SOFTNESS, SOFTNESS))).astype(np.uint8)
    return pygame.transform.smoothscale(small, (width * tile, height * tile))


def draw_ground(surface: pygame.Surface, scene: Scene, square: int, box: pygame.Rect) -> None:
    """Draw the floor or rock, the stairs and the pit of a square."""
    tile, cell = box.width, scene.level[CELLS + square]
    if cell & WALL:
        surface.blit(ground("rock", tile), box)
        return
    row, column = divmod(square, int(scene.level[WIDTH]))
    surface.blit(ground(f"floor_{(row * 5 + column * 7 + row * column) % FLOORS + 1}", tile), box)
    if square == scene.level[START]:
        painting.paste(surface, sprite("stairs", round(0.94 * tile)), box.center)
    if cell & PIT:
        painting.paste(surface, sprite("pit", tile), box.center)


def things_on(level: Row, state: Row, square: int) -> list[str]:
    """Return the sprite names of the things on a square; the agent, drawn above the darkness, is last and named ""."""
    things = []
    if level[CELLS + square] & WUMPUS:
        eaten = state[ENDING] == EATEN and square == state[SQUARE]
        things.append(("wumpus_feast" if eaten else "wumpus") if state[ALIVE] else "wumpus_dead")
    if state[GOLD] == square:
        things.append("gold")
    if state[SQUARE] == square and state[ENDING] != EATEN:
        things.append("")
    return things


def draw_things(surface: pygame.Surface, scene: Scene, square: int, box: pygame.Rect) -> None:
    """Draw the wumpus and the gold of a square."""
    things = things_on(scene.level, scene.shown, square)
    for thing, spot in zip(things, SPOTS.get(len(things), ()), strict=True):
        if thing:
            stand(surface, sprite(thing, round(spot[2] * box.width)), spot, box)


def stand(surface: pygame.Surface, picture: pygame.Surface, spot: tuple[float, float, float], box: pygame.Rect) -> None:
    """Draw a picture at a spot of a square, with its shadow."""
    x, y, size = box.left + spot[0] * box.width, box.top + spot[1] * box.width, spot[2] * box.width
    shadow = painting.shadow(round(0.95 * size), round(0.4 * size))
    painting.paste(surface, shadow, (x, y + 0.42 * size))
    painting.paste(surface, picture, (x, y))


def draw_percepts(surface: pygame.Surface, scene: Scene, square: int, box: pygame.Rect) -> None:
    """Draw the percepts of a visited square."""
    cell = scene.level[CELLS + square]
    felt = {"stench": cell & STENCH, "breeze": cell & BREEZE, "glitter": scene.shown[GOLD] == square}
    for name, here in felt.items():
        if here:
            surface.blit(sprite(name, box.width), box)


def draw_agent(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the agent with its lantern's light, or its death."""
    state, tile, box = scene.shown, place.tile, place.mover(scene, SQUARE)
    if state[ENDING] in (FELL, EATEN):
        if state[ENDING] == FELL:
            fallen = pygame.transform.rotozoom(sprite("agent", tile), 150, 0.5)
            fallen.set_alpha(150)
            painting.paste(surface, fallen, (box.centerx, box.centery + 0.04 * tile))
        surface.blit(sprite("death", tile), box)
        return
    glow = sprite("glow", 5 * tile)
    surface.blit(glow, glow.get_rect(center=box.center), special_flags=pygame.BLEND_RGB_ADD)
    x, y, size = spot = agent_spot(scene)
    painting.paste(surface, facing(scene, "beam", round(2.6 * tile)), (box.left + x * tile, box.top + y * tile))
    stand(surface, facing(scene, "agent", round(size * tile)), spot, box)
    if state[GOLD] == HELD:
        stand(surface, sprite("gold", round(0.36 * tile)), (0.8, 0.8, 0.36), box)
    if scene.state[BUMP]:
        step = AHEAD[int(scene.state[FACING])]
        point = (box.centerx + 0.34 * tile * step[0], box.centery + 0.34 * tile * step[1])
        painting.paste(surface, sprite("icon_bump", round(0.4 * tile)), point)


def agent_spot(scene: Scene) -> tuple[float, float, float]:
    """Return the (x, y, size) of the agent in squares, relative to its square."""
    rows = (scene.state if scene.before is None else scene.before, scene.state)
    start, end = (SPOTS[len(things_on(scene.level, state, int(state[SQUARE])))][-1] for state in rows)
    x, y, size = painting.blend(start, end, scene.phase)
    return x, y, size


def facing(scene: Scene, name: str, size: int) -> pygame.Surface:
    """Return a sprite turned to where the agent faces."""
    end = int(scene.state[FACING])
    if scene.before is None or scene.phase in (0, 1) or scene.before[FACING] == end:
        return sprite(name, size, int(scene.shown[FACING]))
    start = int(scene.before[FACING])
    turn = (end - start + 1) % 4 - 1  # quarters clockwise, the shorter way
    return pygame.transform.rotozoom(sprite(name, size, start), -90 * turn * scene.phase, 1)


def draw_arrow(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
    """Draw the arrow that was just shot, and its trail."""
    state, tile = scene.state, place.tile
    if scene.action != SHOOT or scene.before is None or scene.before[ARROW] == state[ARROW]:
        return
    start, facing = place.numbered(int(state[SQUARE])), int(state[FACING])
    right, down = AHEAD[facing]
    flown = scene.phase * flight(scene) * tile
    tip = start.move(round(right * flown), round(down * flown))
    narrower = max(2, tile // 16) - tile
    painting.put_card(surface, start.union(tip).inflate(narrower, narrower), TRAIL, opacity=0.5, sheen=0)
    painting.paste(surface, sprite("flying_arrow", round(0.6 * tile), facing), tip.center)


def flight(scene: Scene) -> float:
    """Return how many squares the arrow flew; a player who does not see the cave does not see what stopped it."""
    level, facing = scene.level, int(scene.state[FACING])
    world = scene.options.show == "world"
    visible = known_squares(scene.level, scene.shown).ravel() | world
    (height, width), (right, down) = shape_of(scene), AHEAD[facing]
    row, column = divmod(int(scene.state[SQUARE]), width)
    for flown in range(max(height, width)):
        row, column = row + down, column + right
        square = row * width + column
        if not (0 <= row < height and 0 <= column < width) or (level[CELLS + square] & WALL and visible[square]):
            return flown + STUCK
        if world and scene.state[SCREAM] and level[CELLS + square] & WUMPUS:
            return flown + 1
    raise AssertionError("a cave ends")


def draw_scream(surface: pygame.Surface, scene: Scene, squares: list[tuple[int, pygame.Rect]]) -> None:
    """Draw the wumpus's scream above its square."""
    for square, box in squares:
        if scene.level[CELLS + square] & WUMPUS:
            point = (box.right - 0.2 * box.width, box.top + 0.2 * box.width)
            painting.paste(surface, sprite("icon_scream", math.ceil(0.34 * box.width)), point)


DRAWING = BoardAndPanel(
    shape=shape_of,
    rim=Rim(share=0.3, least=17, most=56),
    panel_rows=panel.ROWS,
    background=lambda scene: None,
    draw_background=draw_background,
    draw_board=draw_board,
    draw_panel=panel.draw,
)
