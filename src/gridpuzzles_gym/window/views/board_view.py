"""The picture of a scene in an area of the window."""

import dataclasses
from bisect import bisect_right

import pygame

from ...engine.board.gestures import Gestures, Square
from ...engine.pictures.canvas import drawing_of
from ...engine.pictures.drawing import BoardAndPanel
from ...engine.pictures.panel import Colors
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene

LARGEST_TILE = 320
SECONDS = 0.12
"""The duration of a movement."""
YIELDS = 1.7
"""The panel is left out if the board is so many times as wide without it."""

WRITTEN_ABOVE = frozenset({"step", "moves", "pushes"})
"""The figures that the window writes above a board."""


class BoardView:
    """A puzzle's picture, as large as its area allows, with movements and the squares at points of the window.

    Args:
        puzzle: The puzzle.
        animated: Whether movements are shown.
    """

    def __init__(self, puzzle: Puzzle, animated: bool = True) -> None:
        self._whole = drawing_of(puzzle, WRITTEN_ABOVE)
        self._alone = self._whole.without_panel()
        self.drawing = self._whole
        self.animated = animated
        self.scene: Scene | None = None
        self._phase = 1.0
        self._rect = pygame.Rect(0, 0, 0, 0)
        self._tile = 0

    @property
    def rect(self) -> pygame.Rect:
        """The picture's rectangle in the window when it was last drawn."""
        return self._rect

    @property
    def moving(self) -> bool:
        """Whether a movement is being shown."""
        return self._phase < 1

    def show(self, scene: Scene, moved: bool = False) -> None:
        """Show a scene from now on.

        Args:
            scene: The scene.
            moved: Whether to show the movement of its last action.
        """
        self.scene = scene
        self._phase = 0.0 if moved and self.animated and scene.before is not None else 1.0

    def tick(self, seconds: float) -> None:
        """Continue the movement."""
        self._phase = min(self._phase + seconds / SECONDS, 1.0)

    def finish(self) -> None:
        """End the movement at once."""
        self._phase = 1.0

    def draw(self, surface: pygame.Surface, area: pygame.Rect, colors: Colors) -> None:
        """Draw the scene in the middle of an area of the window, in these colours.

        Where the panel would leave little space for the board, only the board is drawn.
        """
        if self.scene is None or area.width < 1 or area.height < 1:
            return
        if colors != self._whole.colors:
            self._whole, self._alone = self._whole.colored(colors), self._alone.colored(colors)
        scene = self.scene if self._phase >= 1 else dataclasses.replace(self.scene, phase=self._phase)
        self.drawing, self._tile = self._whole, _fitting(self._whole, scene, area.size)
        width = self._whole.board(scene, self._tile).width
        if YIELDS * width < area.width:
            tile = _fitting(self._alone, scene, area.size)
            if self._alone.board(scene, tile).width > YIELDS * width:
                self.drawing, self._tile = self._alone, tile
        width, height = self.drawing.measure(scene, self._tile)
        self._rect = pygame.Rect(0, 0, width, height)
        self._rect.center = area.center
        visible = self._rect.clip(area)
        if visible == self._rect:
            self.drawing.draw(surface.subsurface(self._rect), scene, self._tile)
            return
        picture = pygame.Surface(self._rect.size, 0, 32)  # the smallest picture is still too large
        self.drawing.draw(picture, scene, self._tile)
        surface.blit(pygame.transform.smoothscale(picture, visible.size), visible)

    def square_at(self, point: tuple[int, int]) -> tuple[int, int] | None:
        """Return the square (row, column) at a point of the window; None if there is none."""
        if self.scene is None or not self._rect.collidepoint(point):
            return None
        inside = point[0] - self._rect.left, point[1] - self._rect.top
        return self.drawing.square_at(self.scene, self._tile, inside)

    def square(self, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square in the window."""
        assert self.scene is not None
        return self.drawing.square(self.scene, self._tile, row, column).move(self._rect.topleft)


def _fitting(drawing: BoardAndPanel, scene: Scene, size: tuple[int, int]) -> int:
    """Return the largest width of a square with which the picture fits."""

    def excess(tile: int) -> bool:
        return any(side > most for side, most in zip(drawing.measure(scene, tile), size, strict=True))

    return max(bisect_right(range(LARGEST_TILE), False, lo=2, key=excess) - 1, 2)


def draw_reachable(
    surface: pygame.Surface, view: BoardView, gestures: Gestures | None, grabbed: Square, color: str
) -> None:
    """Mark the squares to which the piece on a square can be dragged."""
    scene = view.scene
    if gestures is None or scene is None:
        return
    for row, column in gestures.reachable(scene.level, scene.state, scene.options, grabbed):
        square = view.square(row, column)
        pygame.draw.circle(surface, color, square.center, max(square.width // 10, 2))


def thumbnail(puzzle: Puzzle, scene: Scene, size: tuple[int, int], ground: str) -> pygame.Surface:
    """Return a picture of the board alone on a ground of this colour, at most as large as ``size``."""
    drawing = drawing_of(puzzle).colored(Colors(ground))

    def excess(tile: int) -> bool:
        board = drawing.board(scene, tile)
        return board.width > size[0] or board.height > size[1]

    tile = max(bisect_right(range(LARGEST_TILE), False, lo=4, key=excess) - 1, 4)
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    board = picture.subsurface(drawing.board(scene, tile))
    ratio = min(size[0] / board.get_width(), size[1] / board.get_height(), 1.0)
    if ratio < 1:
        return pygame.transform.smoothscale(
            board, (round(ratio * board.get_width()), round(ratio * board.get_height()))
        )
    return board
