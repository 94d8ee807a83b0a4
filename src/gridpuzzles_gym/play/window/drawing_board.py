"""The parts of the editor: the pictures of pieces, the board to draw on, and the palette."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pygame

from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.puzzle import Puzzle
from ..editing import DrawnBoard, Fault, Square, drawn_from, palette_of
from .screen import Screen
from .widgets import Theme

LARGEST_TILE, SMALLEST_TILE = 200, 3
STEP, COARSE = 4, 24
"""Tiles larger than COARSE have a width that is a multiple of STEP, so that few sizes of pictures must be drawn."""
SMALLEST_GRID = 12
"""Minimum width of a tile with which grid lines are drawn, in pixels."""
MOST_SIZES = 8
"""Maximum number of sizes of which the pictures of pieces are kept."""
MAX_LISTED = 12
"""Maximum number of pieces in a list with names."""


class PiecePictures:
    """The pictures of all pieces, cut out of the puzzle's own pictures of example levels.

    Args:
        puzzle: A puzzle with a palette.
        settings: Options of the pictures, such as ``style``; hidden pieces are shown in any case.
    """

    def __init__(self, puzzle: Puzzle, settings: Mapping[str, Any]) -> None:
        self.puzzle, self.palette, self.settings = puzzle, palette_of(puzzle), settings
        self._drawing = drawing_of(puzzle)
        self._pieces: dict[int, dict[str, pygame.Surface]] = {}

    def piece(self, cell: str, tile: int) -> pygame.Surface:
        """Return the picture of a square, of a width in pixels."""
        if tile not in self._pieces:
            if len(self._pieces) > MOST_SIZES:
                self._pieces.clear()
            self._pieces[tile] = self._draw_pieces(tile)
        return self._pieces[tile][cell]

    def _draw_pieces(self, tile: int) -> dict[str, pygame.Surface]:
        """Return a picture of every cell: of its squares in the examples, the one next to the fewest walls."""
        found: dict[str, tuple[int, pygame.Surface]] = {}
        for text in self.palette.examples(self.palette.size):
            for level in self.puzzle.parse(text, "example"):
                board, scene = drawn_from(self.puzzle, level), self.puzzle.first_scene(level)
                options = dataclasses.replace(scene.options, **self.settings)
                scene = self.puzzle.revealed(dataclasses.replace(scene, options=options))
                whole = pygame.Surface(self._drawing.measure(scene, tile), 0, 32)
                self._drawing.draw(whole, scene, tile)
                for (row, column), cell in board.squares():
                    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
                    walls = sum(not board.has(each) or board.on(each) == self.palette.border for each in around)
                    if cell not in found or walls < found[cell][0]:
                        part = whole.subsurface(self._drawing.square(scene, tile, row, column))
                        found[cell] = walls, pygame.transform.smoothscale(part, (tile, tile))
        return {cell: picture for cell, (_, picture) in found.items()}


class DrawingBoard:
    """A board in the middle of an area, with square tiles."""

    def __init__(self, area: pygame.Rect, board: DrawnBoard) -> None:
        height, width = board.extent
        self.board = board
        tile = min(max(min(area.width // width, area.height // height), SMALLEST_TILE), LARGEST_TILE)
        self.tile = tile - tile % STEP if tile > COARSE else tile
        self.rect = pygame.Rect(0, 0, width * self.tile, height * self.tile)
        self.rect.center = area.center

    def square(self, square: Square) -> pygame.Rect:
        """Return the rectangle of a square in the window."""
        row, column = square
        return pygame.Rect(self.rect.left + column * self.tile, self.rect.top + row * self.tile, self.tile, self.tile)

    def square_at(self, point: tuple[int, int]) -> Square | None:
        """Return the square at a point of the window; None if there is none."""
        if not self.rect.collidepoint(point):
            return None
        return (point[1] - self.rect.top) // self.tile, (point[0] - self.rect.left) // self.tile

    def draw(
        self,
        surface: pygame.Surface,
        pictures: PiecePictures,
        theme: Theme,
        fault: Fault | None,
        hovered: Square | None,
    ) -> None:
        """Draw all squares, with frames around those at fault, the first one thick."""
        for square, cell in self.board.squares():
            surface.blit(pictures.piece(cell, self.tile), self.square(square))
        if self.tile >= SMALLEST_GRID:
            self._draw_grid(surface, theme)
        pygame.draw.rect(surface, theme.edge, self.rect.inflate(2, 2), 1)
        for k, square in enumerate(() if fault is None else fault.squares):
            box = self.square(square)
            if k == 0:
                painting.put_card(surface, box, theme.bad, opacity=0.35, sheen=0)
            pygame.draw.rect(surface, theme.bad, box.inflate(2, 2), max(self.tile // (20 if k else 10), 1))
        if hovered is not None and self.board.has(hovered):
            pygame.draw.rect(surface, theme.accent, self.square(hovered), max(self.tile // 20, 1))

    def _draw_grid(self, surface: pygame.Surface, theme: Theme) -> None:
        veil = pygame.Surface(self.rect.size, pygame.SRCALPHA)
        color = pygame.Color(theme.edge)
        color.a = 70
        for x in range(0, self.rect.width, self.tile):
            veil.fill(color, (x, 0, 1, self.rect.height))
        for y in range(0, self.rect.height, self.tile):
            veil.fill(color, (0, y, self.rect.width, 1))
        surface.blit(veil, self.rect)


class PaletteView:
    """The pieces to choose from, with their names.

    Args:
        area: Where it is.
        pieces: The pieces.
        line: The maximum height of an entry of the list, in pixels.
    """

    def __init__(self, area: pygame.Rect, pieces: Sequence[str], line: int) -> None:
        height = min(area.height // len(pieces), line)
        places = (pygame.Rect(area.left, area.top + k * height, area.width, height - 2) for k in range(len(pieces)))
        self.boxes = dict(zip(pieces, places, strict=False))

    def draw(
        self,
        screen: Screen,
        surface: pygame.Surface,
        pictures: PiecePictures,
        names: Mapping[str, str],
        chosen: str,
    ) -> None:
        """Draw the pieces with their names, and a card below the chosen one."""
        theme = screen.theme
        for piece, box in self.boxes.items():
            if piece == chosen:
                screen.card(surface, box, theme.accent)
            side = min(box.height, box.width) - 6
            if side > 3:
                surface.blit(pictures.piece(piece, side), (box.left + 3, box.top + 3))
            label = pygame.Rect(box.left + side + 12, box.top, box.width - side - 14, box.height)
            screen.write(surface, names[piece], label, theme.accent if piece == chosen else theme.ink, align="left")


def squares_between(start: Square, end: Square) -> Iterator[Square]:
    """Yield the squares on a straight line from one to another, without the first."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    for step in range(1, steps + 1):
        row, column = (round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
        yield row, column
