"""The interface of a puzzle's ``drawing.py``, and the layout that puzzles with a board share.

The rest of the suite uses only the functions of a :class:`Drawing`. A puzzle may implement them itself; one that
shows a board on the left and a panel on the right uses a :class:`BoardAndPanel` and supplies only its own parts.
"""

import dataclasses
import functools
import importlib
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import pygame

from . import painting, panel
from .gestures import Square
from .puzzle import Puzzle, Scene

BACKGROUND = "#120f17"
BACKGROUNDS_KEPT = 4
"""The number of backgrounds cached, which is small because they can be large; the least recently used is dropped."""


@runtime_checkable
class Drawing(Protocol):
    """How to draw the scenes of one puzzle: the ``DRAWING`` in its ``drawing.py``."""

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """Return the width and height of a scene's picture, in pixels."""

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """Draw a scene on the whole surface, whose size is the one returned by :meth:`measure`."""

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """Return the rectangle of the board in that picture, including its rim; level sheets show only this part."""

    def square(self, scene: Scene, tile_size: int, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square in that picture; rows and columns are those of a scene's notes."""

    def square_at(self, scene: Scene, tile_size: int, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel (x, y) of that picture; None if it is not on a square."""


def drawing_of(puzzle: Puzzle) -> Drawing:
    """Import a puzzle's drawing code; a puzzle's other code does not need pygame.

    Raises:
        ValueError: Its module has no ``DRAWING``.
    """
    name = f"{puzzle.module}.drawing"
    found = getattr(importlib.import_module(name), "DRAWING", None)
    if not isinstance(found, Drawing):
        raise ValueError(f"module {name!r} has no DRAWING with measure, draw, board, square and square_at")
    return found


class Rim(NamedTuple):
    """The width of the rim around a board."""

    share: float
    """The width as a share of a square's."""
    least: int
    most: int
    """The minimum and maximum width, in pixels."""


class Layout(NamedTuple):
    """The positions of the parts of a picture, in pixels."""

    size: tuple[int, int]
    """The width and height of the whole picture."""
    frame: pygame.Rect
    """The board with its rim."""
    board: pygame.Rect
    panel: pygame.Rect
    tile: int
    """The width of a square."""
    unit: int
    """The height of one line of the panel, the unit of its layout."""

    def square(self, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square of the board."""
        tile = self.tile
        return pygame.Rect(self.board.left + column * tile, self.board.top + row * tile, tile, tile)

    def numbered(self, square: int) -> pygame.Rect:
        """Return the rectangle of a square by its number; squares are numbered row by row, as in level rows."""
        return self.square(*divmod(square, self.shape[1]))

    def square_at(self, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel; None outside the board."""
        x, y = point
        inside = self.board.collidepoint(point)
        return ((y - self.board.top) // self.tile, (x - self.board.left) // self.tile) if inside else None

    def between(self, start: int, end: int, phase: float) -> pygame.Rect:
        """Return the rectangle of what moves from one square, given by its number, to another; see :class:`.Scene`."""
        return painting.between(self.numbered(start), self.numbered(end), phase)

    def mover(self, scene: Scene, entry: int) -> pygame.Rect:
        """Return the rectangle of what is on the square that is this entry of the state row."""
        start = scene.state if scene.before is None else scene.before
        return self.between(int(start[entry]), int(scene.state[entry]), scene.phase)

    @property
    def shape(self) -> tuple[int, int]:
        """The board's (height, width) in squares."""
        return self.board.height // self.tile, self.board.width // self.tile

    @property
    def rim(self) -> int:
        """The width of the rim around the board."""
        return self.board.left - self.frame.left


@dataclasses.dataclass(frozen=True)
class BoardAndPanel:
    """A :class:`Drawing`: the board on the left, the panel on the right.

    A picture is painted from back to front: the background, which is constant during an episode and cached; the board;
    the notes on its squares; the panel.
    """

    shape: Callable[[Scene], tuple[int, int]]
    """``shape(scene)``: the board's (height, width) in squares."""
    rim: Rim
    """The rim around the board."""
    panel_rows: int
    """The minimum height of the panel in units; it is at least as high as the board."""
    background: Callable[[Scene], Hashable]
    """``background(scene)``: what the background depends on besides the board's size, as the cache key."""
    draw_background: Callable[[pygame.Surface, Any, Layout], None]
    """``draw_background(surface, background, place)``: draw the frame, walls, floor and so on."""
    draw_board: Callable[[pygame.Surface, Scene, Layout], None]
    """``draw_board(surface, scene, place)``: draw the pieces on the board."""
    draw_panel: Callable[[pygame.Surface, Scene, pygame.Rect, int], None]
    """``draw_panel(surface, scene, box, unit)``: draw the contents of the panel in ``box``, with ``unit`` pixels per
    unit."""

    def layout(self, rows: int, columns: int, tile_size: int) -> Layout:
        """Return the layout for a board of that many squares."""
        return lay_out(rows, columns, tile_size, self.rim, self.panel_rows)

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """See :meth:`Drawing.measure`."""
        return self.layout(*self.shape(scene), tile_size).size

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """See :meth:`Drawing.board`."""
        return self.layout(*self.shape(scene), tile_size).frame

    def square(self, scene: Scene, tile_size: int, row: int, column: int) -> pygame.Rect:
        """See :meth:`Drawing.square`."""
        return self.layout(*self.shape(scene), tile_size).square(row, column)

    def square_at(self, scene: Scene, tile_size: int, point: tuple[int, int]) -> Square | None:
        """See :meth:`Drawing.square_at`."""
        return self.layout(*self.shape(scene), tile_size).square_at(point)

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """See :meth:`Drawing.draw`."""
        rows, columns = self.shape(scene)
        place = self.layout(rows, columns, tile_size)
        surface.blit(_painted_background(self, self.background(scene), rows, columns, tile_size), (0, 0))
        self.draw_board(surface, scene, place)
        painting.put_notes(surface, scene.notes, place.square)
        self.draw_panel(surface, scene, place.panel, place.unit)


@functools.lru_cache(32)
def lay_out(rows: int, columns: int, tile: int, rim: Rim, panel_rows: int) -> Layout:
    """Lay out a board next to a panel.

    Args:
        rows: The number of rows of the board.
        columns: The number of columns of the board.
        tile: The width of a square, in pixels.
        rim: The rim around the board.
        panel_rows: The minimum height of the panel in units; it is at least as high as the board.
    """
    wide = min(max(round(rim.share * tile), rim.least), rim.most)
    frame = pygame.Rect(0, 0, columns * tile + 2 * wide, rows * tile + 2 * wide)
    unit = min(max(frame.height // panel_rows, panel.LEAST_UNIT), panel.LARGEST_UNIT)
    margin = round(0.7 * unit)
    tall = max(frame.height, panel_rows * unit)
    frame.topleft = (margin, margin + (tall - frame.height) // 2)
    side = pygame.Rect(frame.right + margin, margin, panel.COLUMNS * unit, tall)
    board = frame.inflate(-2 * wide, -2 * wide)
    return Layout((side.right + margin, tall + 2 * margin), frame, board, side, tile, unit)


@functools.lru_cache(BACKGROUNDS_KEPT)
def _painted_background(
    drawing: BoardAndPanel, background: Hashable, rows: int, columns: int, tile_size: int
) -> pygame.Surface:
    """The part that all pictures of a level share: the plain ground, the panel's card, and the puzzle's background."""
    place = drawing.layout(rows, columns, tile_size)
    surface = pygame.Surface(place.size, 0, 32)
    surface.fill(BACKGROUND)
    painting.put_card(surface, place.panel, panel.PAPER, panel.EDGE, place.unit // 2, sheen=0.03)
    drawing.draw_background(surface, background, place)
    return surface
