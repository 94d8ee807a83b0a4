"""What a puzzle's drawing.py is to the rest, and the picture that puzzles with a board share.

The rest of the suite knows a :class:`Drawing`: three functions. A puzzle is free to write them itself; one that shows a
board on the left and a panel on the right fills in a :class:`BoardAndPanel`, and says only what is drawn of its own.
"""

import dataclasses
import functools
import importlib
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import pygame

from . import painting, panel
from .puzzle import Puzzle, Scene

BACKGROUND = "#120f17"
BACKGROUNDS_KEPT = 4
"""Pictures may be large; the least recently used background is dropped."""


@runtime_checkable
class Drawing(Protocol):
    """How the scenes of one puzzle become pictures: the ``DRAWING`` in its ``drawing.py``."""

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """The width and height of a scene's picture, in pixels."""

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """Draw a scene over the whole surface, which has the size that :meth:`measure` returns."""

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """Where the board is in that picture, its rim included: what is shown of a level among many."""


def drawing_of(puzzle: Puzzle) -> Drawing:
    """Import a puzzle's drawing code; it, and only it, needs pygame.

    Raises:
        ValueError: Its module has no ``DRAWING``.
    """
    name = f"{puzzle.module}.drawing"
    found = getattr(importlib.import_module(name), "DRAWING", None)
    if not isinstance(found, Drawing):
        raise ValueError(f"module {name!r} has no DRAWING with measure, draw and board")
    return found


class Rim(NamedTuple):
    """How wide the rim around a board is."""

    share: float
    """Of a square."""
    least: int
    most: int
    """Pixels, however small or large the squares are."""


class Layout(NamedTuple):
    """Where things go, in pixels."""

    size: tuple[int, int]
    """Of the whole picture."""
    frame: pygame.Rect
    """The board with its rim."""
    board: pygame.Rect
    panel: pygame.Rect
    tile: int
    unit: int
    """The line height that the panel is laid out by."""

    def square(self, row: int, column: int) -> pygame.Rect:
        """A square of the board."""
        tile = self.tile
        return pygame.Rect(self.board.left + column * tile, self.board.top + row * tile, tile, tile)

    def numbered(self, square: int) -> pygame.Rect:
        """A square of the board by its number: they are numbered row by row, as in rows of numbers."""
        return self.square(*divmod(square, self.shape[1]))

    @property
    def shape(self) -> tuple[int, int]:
        """The board's (height, width) in squares."""
        return self.board.height // self.tile, self.board.width // self.tile

    @property
    def rim(self) -> int:
        """How wide the rim around the board is."""
        return self.board.left - self.frame.left


@dataclasses.dataclass(frozen=True)
class BoardAndPanel:
    """A :class:`Drawing`: the board on the left, the panel on the right.

    A picture is painted from the back to the front: what stays the same over an episode (kept, so that it is painted
    once), the board, the notes on its squares, the panel.
    """

    shape: Callable[[Scene], tuple[int, int]]
    """``shape(scene)``: the board's (height, width) in squares."""
    rim: Rim
    """Around the board."""
    panel_rows: int
    """The panel's height in units; a taller board makes it taller."""
    background: Callable[[Scene], Hashable]
    """``background(scene)``: what the background shows beside the board's size: equal for scenes that share it."""
    draw_background: Callable[[pygame.Surface, Any, Layout], None]
    """``draw_background(surface, background, place)``: frame, walls, floor … over the picture's plain ground."""
    draw_board: Callable[[pygame.Surface, Scene, Layout], None]
    """``draw_board(surface, scene, place)``: what lies and moves on the board."""
    draw_panel: Callable[[pygame.Surface, Scene, pygame.Rect, int], None]
    """``draw_panel(surface, scene, box, unit)``: the panel over its paper, in ``box``, ``unit`` pixels a unit."""

    def layout(self, rows: int, columns: int, tile_size: int) -> Layout:
        """Where things go in the picture of a board of that many squares."""
        return lay_out(rows, columns, tile_size, self.rim, self.panel_rows)

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """See :meth:`Drawing.measure`."""
        return self.layout(*self.shape(scene), tile_size).size

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """See :meth:`Drawing.board`."""
        return self.layout(*self.shape(scene), tile_size).frame

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
    """Put a board beside a panel.

    Args:
        rows: Of the board.
        columns: Of the board.
        tile: Pixels a square.
        rim: Around the board.
        panel_rows: The panel's height in units; a taller board makes it taller.
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
    """What is the same in every picture of a level: the ground, the panel's paper, and what the puzzle draws."""
    place = drawing.layout(rows, columns, tile_size)
    surface = pygame.Surface(place.size, 0, 32)
    surface.fill(BACKGROUND)
    painting.put_card(surface, place.panel, panel.PAPER, panel.EDGE, place.unit // 2, sheen=0.03)
    drawing.draw_background(surface, background, place)
    return surface
