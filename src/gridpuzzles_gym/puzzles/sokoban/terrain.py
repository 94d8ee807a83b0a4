"""What never moves in a picture: walls that join, the floor inside them, and the void without."""

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pygame

from ...engine import painting
from ...engine.puzzle import Scene
from . import styles
from .rules import CELLS, GOAL, PLAYER, STRIDE, WALL
from .styles import Style

VOID, FLOOR, BUILT = range(3)
"""What a square shows: nothing, the player's world, or a wall that bounds it."""
Kinds = npt.NDArray[np.int8]
"""VOID, FLOOR or BUILT for each square, with a rim of VOID around the board: int8[H + 2, W + 2]."""

# (left or right neighbour is a wall, upper or lower one is, the one between is) -> whose quarter a wall's quarter is
FORMS = {
    (False, False): "wall",
    (True, False): "wall_row",
    (False, True): "wall_column",
    (True, True): "wall_cross",
}


class Board(NamedTuple):
    """What decides the terrain; to be remembered by."""

    cells: bytes
    """The level's cells."""
    columns: int
    region: int
    """The player's, of :func:`regions`."""


class Quarter(NamedTuple):
    """A corner of a wall's square."""

    form: str
    """The sprite it is a quarter of."""
    ground: str
    """The sprite that shows where that one is transparent."""


def board_of(scene: Scene) -> Board:
    """The board of a scene."""
    cells, columns = scene.level[CELLS:].tobytes(), int(scene.level[STRIDE])
    return Board(cells, columns, int(regions(cells, columns)[scene.state[PLAYER]]))


@functools.lru_cache(8)
def regions(cells: bytes, columns: int) -> npt.NDArray[np.int16]:
    """Number the squares without walls so that two have the same number where a way leads from one to the other.

    Returns:
        int16[N]: 1, 2 … and 0 on walls.
    """
    free = np.frombuffer(cells, np.int16) & WALL == 0
    found = np.zeros(free.size, np.int16)
    for start in np.flatnonzero(free):
        if found[start]:
            continue
        number = found.max() + 1
        found[start], edge = number, [int(start)]
        while edge:
            square = edge.pop()
            column = square % columns
            beside = (square - columns, square + columns, square - (column > 0), square + (column < columns - 1))
            for other in beside:
                if 0 <= other < free.size and free[other] and not found[other]:
                    found[other] = number
                    edge.append(other)
    return found


def kinds(board: Board) -> Kinds:
    """What each square of a board shows.

    Floor is where the player can come to, boxes aside, and any other room with goals in it; all else that touches
    floor, if only by a corner, is wall; the rest is void, and makes thick walls look thin.
    """
    cells = np.frombuffer(board.cells, np.int16).reshape(-1, board.columns)
    rooms = regions(board.cells, board.columns).reshape(cells.shape)
    floor = np.pad(np.isin(rooms, [board.region, *rooms[cells & GOAL != 0]]) & (rooms > 0), 1)
    beside = floor.copy()
    beside[1:] |= floor[:-1]
    beside[:-1] |= floor[1:]
    near = beside.copy()
    near[:, 1:] |= beside[:, :-1]
    near[:, :-1] |= beside[:, 1:]
    found = np.where(floor, FLOOR, np.where(near, BUILT, VOID)).astype(np.int8)
    found[[0, -1]] = found[:, [0, -1]] = VOID
    return found


def draw(surface: pygame.Surface, board: Board, style: Style, tile: int) -> None:
    """Draw the terrain over a surface of just its size."""
    shown = kinds(board)
    goals = np.frombuffer(board.cells, np.int16).reshape(-1, board.columns) & GOAL != 0
    for (row, column), kind in np.ndenumerate(shown[1:-1, 1:-1]):
        box = (column * tile, row * tile)
        if kind == BUILT:
            surface.blit(wall(style, quarters(shown, row + 1, column + 1), tile), box)
            continue
        surface.blit(sprite(style, ground_name(shown, row + 1, column + 1), tile), box)
        if goals[row, column]:
            surface.blit(sprite(style, "goal", tile), box)


def ground_name(shown: Kinds, row: int, column: int) -> str:
    """The sprite of a square that is no wall."""
    if shown[row, column] == VOID:
        return "void"
    return "floor_shaded" if shown[row - 1, column] == BUILT else "floor"


def quarters(shown: Kinds, row: int, column: int) -> tuple[Quarter, ...]:
    """The quarters of a wall: the upper two, then the lower two."""
    found = []
    for up in (-1, 1):
        for left in (-1, 1):
            sides = shown[row, column + left], shown[row + up, column]
            corner = shown[row + up, column + left]
            form = FORMS[sides[0] == BUILT, sides[1] == BUILT]
            if form == "wall_cross" and corner == BUILT:
                form = "wall_solid"
            found.append(Quarter(form, "floor" if FLOOR in (*sides, corner) else "void"))
    return tuple(found)


@functools.lru_cache(painting.SPRITES_KEPT)
def wall(style: Style, pieces: tuple[Quarter, ...], tile: int) -> pygame.Surface:
    """A wall put together from its quarters."""
    surface = pygame.Surface((tile, tile), 0, 32)
    half = tile // 2
    for place, piece in enumerate(pieces):
        down, right = divmod(place, 2)
        box = pygame.Rect(right * half, down * half, tile - half if right else half, tile - half if down else half)
        for name in (piece.ground, piece.form):
            surface.blit(sprite(style, name, tile), box, box)
    return surface


def sprite(style: Style, name: str, size: int, turns: int = 0) -> pygame.Surface:
    """A sprite of a style; see :func:`~gridpuzzles_gym.engine.painting.picture`."""
    return painting.picture(styles.pictures(style)[name], size, turns)
