"""The strip below the picture in windows and recordings: a status line and the available keys."""

import functools
from collections.abc import Sequence

import pygame

from ..engine import painting
from ..engine.drawing import Drawing
from ..engine.gestures import Square
from ..engine.puzzle import Scene

STRIP, KEY, EDGE = "#17141d", "#332b3b", "#5a4d62"
INK, FAINT, STATUS = "#f6e9cf", "#b5a6b0", "#ffd98a"
ARROWS = {"up": 0, "right": 90, "down": 180, "left": 270}
"""Degrees clockwise from up; arrows are drawn because pygame's font has none."""
Keys = Sequence[tuple[str, str]]
"""(label on the keyboard or name of an arrow, what the key does), in order."""


class Framed:
    """A puzzle's drawing with a strip of text below it, itself a drawing.

    Args:
        inner: The drawing of the puzzle.
    """

    def __init__(self, inner: Drawing) -> None:
        self.inner = inner
        self.status = ""
        self.keys: Keys = ()

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """Return the width and height of the picture with its strip."""
        width, height = self.inner.measure(scene, tile_size)
        return width, height + self._height(width)

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """Return the rectangle of the board, including its border."""
        return self.inner.board(scene, tile_size)

    def square(self, scene: Scene, tile_size: int, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square."""
        return self.inner.square(scene, tile_size, row, column)

    def square_at(self, scene: Scene, tile_size: int, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel, if any."""
        return self.inner.square_at(scene, tile_size, point)

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """Draw the picture and the strip over the whole surface."""
        width, height = self.inner.measure(scene, tile_size)
        self.inner.draw(surface.subsurface((0, 0, width, height)), scene, tile_size)
        line = line_height(width)
        surface.fill(STRIP, (0, height, width, self._height(width)))
        top = height + line // 3
        box = pygame.Rect(line // 2, top, width - line, line)
        painting.write(surface, self.status, box, STATUS, 0.85 * line, "left")
        top += line + line // 4
        for row in rows_of(tuple(self.keys), width):
            left = line // 2
            for key, meaning, key_width, chip_width in row:
                cap = pygame.Rect(left, top, key_width, line)
                painting.put_card(surface, cap, KEY, EDGE, line // 4)
                write_key(surface, key, cap, line)
                words = pygame.Rect(cap.right + line // 4, top, chip_width - key_width, line)
                painting.write(surface, meaning, words, FAINT, 0.75 * line, "left")
                left += chip_width + line
            top += line + line // 4

    def _height(self, width: int) -> int:
        line = line_height(width)
        return line // 3 + (1 + len(rows_of(tuple(self.keys), width))) * (line + line // 4) + line // 4


def write_key(surface: pygame.Surface, key: str, cap: pygame.Rect, line: int) -> None:
    """Write the label of a key on its cap, or draw its arrow."""
    if key not in ARROWS:
        painting.write(surface, key, cap, INK, 0.75 * line)
        return
    points = [
        cap.center + pygame.Vector2(x, y).rotate(ARROWS[key]) * 0.26 * line for x, y in ((0, -1), (-1, 0.8), (1, 0.8))
    ]
    pygame.draw.polygon(surface, INK, points)
    pygame.draw.aalines(surface, INK, True, points)


def line_height(width: int) -> int:
    """Return the height of a line of text below a picture of this width."""
    return min(max(width // 36, 12), 22)


@functools.lru_cache(16)
def rows_of(keys: tuple[tuple[str, str], ...], width: int) -> list[list[tuple[str, str, int, int]]]:
    """Arrange the keys in rows of (key, meaning, width of the key, width of both), in pixels."""
    line = line_height(width)
    letters = painting.font(0.75 * line)
    rows: list[list[tuple[str, str, int, int]]] = []
    left = width
    for key, meaning in keys:
        key_width = line if key in ARROWS else max(letters.size(key)[0] + line // 2, line)
        chip_width = key_width + line // 4 + letters.size(meaning)[0] + 2
        if left + chip_width > width - line // 2 or not rows:
            rows.append([])
            left = line // 2
        rows[-1].append((key, meaning, key_width, chip_width))
        left += chip_width + line
    return rows
