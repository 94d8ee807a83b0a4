"""The layout of a board with a panel next to it, and how both are drawn.

That of a puzzle is a :class:`BoardAndPanel`, which :mod:`.canvas` makes from its picture.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import pygame

from ..board.interaction import Square
from ..scene import Scene
from . import painting, panel

LARGEST_TILE = 512
"""The maximum width of a square of a cropped board, in pixels."""
BACKGROUNDS_KEPT = 4
"""The number of backgrounds cached, which is small because they can be large; the least recently used is dropped."""


class Rim(NamedTuple):
    """The width of the rim around a board."""

    share: float
    """The width as a share of a square's."""
    least: int
    most: int
    """The minimum and maximum width, in pixels."""


class Crop(NamedTuple):
    """The part of a board that is drawn, in squares."""

    top: int
    left: int
    height: int
    width: int
    cut: float = 0.0
    """The share of the outermost squares that is not drawn, on each side."""


class Layout(NamedTuple):
    """The positions of the parts of a picture, in pixels."""

    size: tuple[int, int]
    """The width and height of the whole picture."""
    frame: pygame.Rect
    """The board with its rim."""
    board: pygame.Rect
    """What is drawn of the board; squares at its sides may be cut."""
    panel: pygame.Rect
    tile: int
    """The width of a square."""
    unit: int
    """The height of one line of the panel, the unit of its layout."""
    stride: int
    """The number of squares in a row of the level, of which the board may show only a part."""
    first: Square = (0, 0)
    """The (row, column) of the board's top left square."""
    cut: int = 0
    """The number of pixels that are cut off the squares at each side."""

    def square(self, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square of the board, including what is cut off."""
        tile, (top, left) = self.tile, self.first
        x, y = self.board.left - self.cut, self.board.top - self.cut
        return pygame.Rect(x + (column - left) * tile, y + (row - top) * tile, tile, tile)

    def numbered(self, square: int) -> pygame.Rect:
        """Return the rectangle of a square by its number; squares are numbered row by row, as in level rows."""
        return self.square(*divmod(square, self.stride))

    def between(self, start: int, end: int, phase: float) -> pygame.Rect:
        """Return the rectangle of what moves from one square, given by its number, to another; see :class:`.Scene`."""
        sides = painting.blend(tuple(self.numbered(start)), tuple(self.numbered(end)), phase)
        return pygame.Rect([round(side) for side in sides])

    def square_at(self, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel; None outside the board."""
        x, y = point
        inside = self.board.collidepoint(point)
        row, column = ((side + self.cut) // self.tile for side in (y - self.board.top, x - self.board.left))
        return (self.first[0] + row, self.first[1] + column) if inside else None

    @property
    def shape(self) -> tuple[int, int]:
        """The board's (height, width) in squares, those that are cut included."""
        return (self.board.height + 2 * self.cut) // self.tile, (self.board.width + 2 * self.cut) // self.tile

    @property
    def rim(self) -> int:
        """The width of the rim around the board."""
        return self.board.left - self.frame.left


@dataclasses.dataclass(frozen=True)
class BoardAndPanel:
    """How the scenes of a puzzle are drawn: the board on the left, the panel on the right.

    A picture is painted from back to front: the background, which is constant during an episode and cached; the board;
    the notes on its squares; the panel.
    """

    shape: Callable[[Scene], tuple[int, int]]
    """``shape(scene)``: the board's (height, width) in squares."""
    rim: Rim
    """The rim around the board."""
    panel_rows: int | None
    """The minimum height of the panel in units; it is at least as high as the board. None: there is no panel."""
    background: Callable[[Scene], Hashable]
    """``background(scene)``: what the background depends on besides the board's size, as the cache key."""
    draw_background: Callable[[pygame.Surface, Any, Layout], None]
    """``draw_background(surface, background, place)``: draw the frame, walls, floor and so on."""
    draw_board: Callable[[pygame.Surface, Scene, Layout], None]
    """``draw_board(surface, scene, place)``: draw the pieces on the board."""
    draw_panel: Callable[[pygame.Surface, Scene, pygame.Rect, int, panel.Colors], None]
    """``draw_panel(surface, scene, box, unit, colors)``: draw the contents of the panel in ``box``, with ``unit``
    pixels per unit."""
    crop: Callable[[Scene], Crop | None] = lambda scene: None
    """``crop(scene)``: the part of the board that is drawn; None for all of it. It is enlarged to the size of the whole
    board, so that all pictures of an environment have the same size."""
    colors: panel.Colors = panel.COLORS
    """The colours around the board, and of the panel."""

    def layout(self, rows: int, columns: int, tile_size: int, crop: Crop | None = None) -> Layout:
        """Return the layout for a board of that many squares."""
        return lay_out(rows, columns, tile_size, self.rim, self.panel_rows, crop)

    def place(self, scene: Scene, tile_size: int) -> Layout:
        """Return the layout for a scene."""
        return self.layout(*self.shape(scene), tile_size, self.crop(scene))

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """Return the width and height of a scene's picture, in pixels."""
        return self.layout(*self.shape(scene), tile_size).size

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """Return the rectangle of the board in that picture, including its rim; level sheets show only this part."""
        return self.place(scene, tile_size).frame

    def square(self, scene: Scene, tile_size: int, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of the visible part of a square in that picture; its size is 0 if nothing is visible."""
        place = self.place(scene, tile_size)
        return place.square(row, column).clip(place.board)

    def square_at(self, scene: Scene, tile_size: int, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel (x, y) of that picture; None if it is not on a square."""
        return self.place(scene, tile_size).square_at(point)

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """Draw a scene on the whole surface, whose size is the one returned by :meth:`measure`."""
        shape, crop = self.shape(scene), self.crop(scene)
        place = self.layout(*shape, tile_size, crop)
        surface.blit(_painted_background(self, self.background(scene), shape, tile_size, crop), (0, 0))
        self.draw_board(surface, scene, place)
        for (row, column), words in scene.notes.items():
            painting.put_note(surface, words, place.square(row, column).clip(place.board))
        if self.panel_rows is not None:
            self.draw_panel(surface, scene, place.panel, place.unit, self.colors)

    def without_panel(self) -> "BoardAndPanel":
        """Return the drawing of the board only: all of it, with squares of the same size for every level."""
        return dataclasses.replace(self, panel_rows=None, crop=_uncropped)


def _uncropped(scene: Scene) -> None:
    return None


@functools.lru_cache(32)
def lay_out(rows: int, columns: int, tile: int, rim: Rim, panel_rows: int | None, crop: Crop | None = None) -> Layout:
    """Lay out a board next to a panel.

    Args:
        rows: The number of rows of the board.
        columns: The number of columns of the board.
        tile: The width of a square, in pixels.
        rim: The rim around the board.
        panel_rows: The minimum height of the panel in units; it is at least as high as the board. None: no panel, so
            that what is drawn on it lies outside the picture.
        crop: The part of the board that is drawn instead of all of it, centred and with larger squares.
    """
    wide = min(max(round(rim.share * tile), rim.least), rim.most)
    frame = pygame.Rect(0, 0, columns * tile + 2 * wide, rows * tile + 2 * wide)
    unit, tall, size = panel.LEAST_UNIT, frame.height, frame.size
    side = pygame.Rect(frame.right, 0, frame.width, frame.height)
    if panel_rows is not None:
        unit = min(max(frame.height // panel_rows, panel.LEAST_UNIT), panel.LARGEST_UNIT)
        margin = round(0.7 * unit)
        tall = max(frame.height, panel_rows * unit)
        frame.topleft = (margin, margin + (tall - frame.height) // 2)
        side = pygame.Rect(frame.right + margin, margin, panel.COLUMNS * unit, tall)
        size = side.right + margin, tall + 2 * margin
    board = frame.inflate(-2 * wide, -2 * wide)
    if crop is None:
        return Layout(size, frame, board, side, tile, unit, columns)
    room = (tall - 2 * wide) / (crop.height - 2 * crop.cut), board.width / (crop.width - 2 * crop.cut)
    tile = max(tile, min(*map(int, room), LARGEST_TILE))
    cut = math.ceil(crop.cut * tile)
    shown = pygame.Rect(0, 0, crop.width * tile - 2 * cut, crop.height * tile - 2 * cut)
    shown.center = board.center
    frame = shown.inflate(2 * wide, 2 * wide)
    return Layout(size, frame, shown, side, tile, unit, columns, (crop.top, crop.left), cut)


@functools.lru_cache(BACKGROUNDS_KEPT)
def _painted_background(
    drawing: BoardAndPanel, background: Hashable, shape: tuple[int, int], tile_size: int, crop: Crop | None
) -> pygame.Surface:
    """The part that all pictures of a level share: the plain ground, the panel's card, and the puzzle's background."""
    place = drawing.layout(*shape, tile_size, crop)
    surface = pygame.Surface(place.size, 0, 32)
    colors = drawing.colors
    surface.fill(colors.ground)
    painting.put_card(surface, place.panel, colors.paper, colors.edge, place.unit // 2, sheen=0.03)
    drawing.draw_background(surface, background, place)
    return surface
