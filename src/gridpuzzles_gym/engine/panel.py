"""The parts of every puzzle's side panel, and where board and panel go in a picture.

A panel is laid out in units, the height of one of its lines: ``COLUMNS`` wide, and as high as its puzzle asks.
"""

import functools
from typing import NamedTuple

import pygame

from . import painting

COLUMNS = 16
"""The panel's width in units."""
LEAST_UNIT, LARGEST_UNIT = 13, 34
"""Pixels of a unit."""
BACKGROUND, PAPER, CARD, EDGE = "#120f17", "#221c29", "#2f2737", "#463a4c"
INK, FAINT, LIT = "#f6e9cf", "#a2939f", "#fff1c9"


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
        return self.square(*divmod(square, self.board.width // self.tile))

    @property
    def rim(self) -> int:
        """How wide the rim around the board is."""
        return self.board.left - self.frame.left


@functools.lru_cache(32)
def layout(rows: int, columns: int, tile: int, rim: Rim, units: int) -> Layout:
    """The board on the left, the panel on the right.

    Args:
        rows: Of the board.
        columns: Of the board.
        tile: Pixels a square.
        rim: Around the board.
        units: The panel's height; a taller board makes it taller.
    """
    wide = min(max(round(rim.share * tile), rim.least), rim.most)
    frame = pygame.Rect(0, 0, columns * tile + 2 * wide, rows * tile + 2 * wide)
    unit = min(max(frame.height // units, LEAST_UNIT), LARGEST_UNIT)
    margin = round(0.7 * unit)
    tall = max(frame.height, units * unit)
    frame.topleft = (margin, margin + (tall - frame.height) // 2)
    side = pygame.Rect(frame.right + margin, margin, COLUMNS * unit, tall)
    board = frame.inflate(-2 * wide, -2 * wide)
    return Layout((side.right + margin, tall + 2 * margin), frame, board, side, tile, unit)


def blank(place: Layout) -> pygame.Surface:
    """A new picture that has only what lies under every board and panel, and never changes."""
    surface = pygame.Surface(place.size, 0, 32)
    surface.fill(BACKGROUND)
    painting.put_card(surface, place.panel, PAPER, EDGE, place.unit // 2, sheen=0.03)
    return surface


def part(inside: pygame.Rect, unit: int, left: float, width: float, top: float, height: float) -> pygame.Rect:
    """A box given in units from the top left corner of another."""
    return pygame.Rect(
        inside.left + round(left * unit), inside.top + round(top * unit), round(width * unit), round(height * unit)
    )


def split(box: pygame.Rect, top: float) -> tuple[pygame.Rect, pygame.Rect]:
    """The upper ``top`` of a box, and the rest."""
    height = round(top * box.height)
    return (
        pygame.Rect(box.left, box.top, box.width, height),
        pygame.Rect(box.left, box.top + height, box.width, box.height - height),
    )


def title(surface: pygame.Surface, words: str, below: str, box: pygame.Rect) -> None:
    """The puzzle's name, and the level's."""
    upper, lower = split(box, 0.64)
    painting.write(surface, words, upper, LIT, upper.height, "left")
    painting.write(surface, below, lower, FAINT, 0.85 * lower.height, "left")


def state(
    surface: pygame.Surface, line: str, reason: str, icon: pygame.Surface, color: str, box: pygame.Rect, unit: int
) -> None:
    """How things stand, large, and what led to it."""
    painting.put_card(surface, box, CARD, color, unit // 2)
    painting.put_card(surface, box, color, color, unit // 2, opacity=0.16)
    painting.paste(surface, icon, (box.left + 0.5 * box.height, box.centery))
    words = pygame.Rect(box.left + box.height, box.top, box.width - box.height - unit // 2, box.height)
    upper, lower = split(words.inflate(0, -0.9 * unit), 0.58)
    painting.write(surface, line, upper, color, 1.45 * unit, "left")
    painting.write(surface, reason, lower, INK, 0.92 * unit, "left")


def state_icon_size(box: pygame.Rect) -> int:
    """How large the icon of :func:`state` should be."""
    return round(0.74 * box.height)


def heading(surface: pygame.Surface, words: str, box: pygame.Rect, unit: int) -> None:
    """A small grey line above a group."""
    painting.write(surface, words, box, FAINT, 0.9 * unit, "left")


def number(surface: pygame.Surface, name: str, figure: str, box: pygame.Rect, unit: int) -> None:
    """A figure with its name above it."""
    painting.put_card(surface, box, CARD, EDGE, unit // 2)
    upper, lower = split(box.inflate(-unit, -0.5 * unit), 0.36)
    painting.write(surface, name, upper, FAINT, 0.9 * unit, "left")
    painting.write(surface, figure, lower, INK, 1.5 * unit, "left")
