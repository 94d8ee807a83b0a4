"""The board of the editor and its palette, as parts of a window."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import pygame

from ...engine.pictures import painting
from ..model.editing.board_reading import Fault
from ..model.editing.drawn_board import DrawnBoard, Square
from ..screens.screen import Screen
from .piece_pictures import PiecePictures
from .theme import Theme

LARGEST_TILE, SMALLEST_TILE = 200, 3
STEP, COARSE = 4, 24
"""Tiles larger than COARSE have a width that is a multiple of STEP, so that few sizes of pictures must be drawn."""
SMALLEST_GRID = 12
"""Minimum width of a tile with which grid lines are drawn, in pixels."""
MAX_LISTED = 12
"""Maximum number of pieces in a list with names."""


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
        faults: Sequence[Fault],
        hovered: Square | None,
    ) -> None:
        """Draw all squares, with frames around those at fault; the first of each fault has a thick one and a number."""
        surface.blit(pictures.board(self.board, self.tile), self.rect)
        if self.tile >= SMALLEST_GRID:
            self._draw_grid(surface, theme)
        pygame.draw.rect(surface, theme.edge, self.rect.inflate(2, 2), 1)
        for number, fault in reversed(list(enumerate(faults, start=1))):
            for square in fault.squares[1:]:
                pygame.draw.rect(surface, theme.bad, self.square(square).inflate(2, 2), max(self.tile // 20, 1))
            if fault.squares:
                self._draw_fault(surface, theme, self.square(fault.squares[0]), number if len(faults) > 1 else None)
        if hovered is not None and self.board.has(hovered):
            pygame.draw.rect(surface, theme.accent, self.square(hovered), max(self.tile // 20, 1))

    def _draw_fault(self, surface: pygame.Surface, theme: Theme, box: pygame.Rect, number: int | None) -> None:
        painting.put_card(surface, box, theme.bad, opacity=0.35, sheen=0)
        pygame.draw.rect(surface, theme.bad, box.inflate(2, 2), max(self.tile // 10, 1))
        if number is not None and self.tile >= 2 * SMALLEST_GRID:
            corner = pygame.Rect(box.left, box.top, self.tile // 2, self.tile // 2)
            pygame.draw.rect(surface, theme.bad, corner)
            painting.write(surface, str(number), corner, theme.ground, 0.9 * corner.height)

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
    """The pieces to choose from: a list with their names, or a grid of pictures if there are many.

    Args:
        area: Where it is.
        pieces: The pieces.
        line: The maximum height of an entry of the list, in pixels.
    """

    def __init__(self, area: pygame.Rect, pieces: Sequence[str], line: int) -> None:
        self.listed = len(pieces) <= MAX_LISTED
        self.boxes: dict[str, pygame.Rect] = {}
        if self.listed:
            height = min(area.height // len(pieces), line)
            places = [pygame.Rect(area.left, area.top + k * height, area.width, height - 2) for k in range(len(pieces))]
        else:
            columns = next(
                columns
                for columns in itertools.count(1)
                if -(-len(pieces) // columns) * (area.width // columns) <= area.height
            )
            side = area.width // columns
            places = [
                pygame.Rect(area.left + k % columns * side, area.top + k // columns * side, side - 2, side - 2)
                for k in range(len(pieces))
            ]
        self.boxes = dict(zip(pieces, places, strict=True))

    def draw(
        self,
        screen: Screen,
        surface: pygame.Surface,
        pictures: PiecePictures,
        names: Mapping[str, str],
        board: DrawnBoard,
        chosen: str,
    ) -> None:
        """Draw the pieces with their names, and a card below the chosen one."""
        theme = screen.theme
        for piece, box in self.boxes.items():
            if piece == chosen:
                screen.card(surface, box, theme.accent)
            side = min(box.height, box.width) - 6
            if side > 3:
                surface.blit(pictures.piece(piece, side, board.extent), (box.left + 3, box.top + 3))
            if self.listed:
                label = pygame.Rect(box.left + side + 12, box.top, box.width - side - 14, box.height)
                screen.write(surface, names[piece], label, theme.accent if piece == chosen else theme.ink, align="left")


def squares_between(start: Square, end: Square) -> Iterator[Square]:
    """Yield the squares on a straight line from one to another, without the first."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    for step in range(1, steps + 1):
        row, column = (round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
        yield row, column
