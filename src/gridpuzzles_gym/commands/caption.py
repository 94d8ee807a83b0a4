"""The line of text below the picture in recordings."""

import pygame

from ..engine.board.gestures import Square
from ..engine.pictures import painting
from ..engine.pictures.drawing import Drawing
from ..engine.scene import Scene

STRIP, INK = "#17141d", "#ffd98a"


class Captioned:
    """A puzzle's drawing with a line of text below it, itself a drawing.

    Args:
        inner: The drawing of the puzzle.
    """

    def __init__(self, inner: Drawing) -> None:
        self.inner = inner
        self.caption = ""

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """Return the width and height of the picture with its text."""
        width, height = self.inner.measure(scene, tile_size)
        return width, height + 2 * _line(width)

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
        """Draw the picture and the text over the whole surface."""
        width, height = self.inner.measure(scene, tile_size)
        self.inner.draw(surface.subsurface((0, 0, width, height)), scene, tile_size)
        line = _line(width)
        surface.fill(STRIP, (0, height, width, 2 * line))
        box = pygame.Rect(line // 2, height + line // 2, width - line, line)
        painting.write(surface, self.caption, box, INK, 0.85 * line, "left")


def _line(width: int) -> int:
    """Return the height of a line of text below a picture of this width, in pixels."""
    return min(max(width // 36, 12), 22)
