"""The picture of a scene in an area of the window, and what an agent thinks, over its board and below it."""

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

import pygame

from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.board.gestures import Gestures, Square
from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from .screen import Screen

LARGEST_TILE = 320
SECONDS = 0.12
"""The duration of a movement."""
WRITTEN_ABOVE = frozenset({"step", "moves", "pushes"})
"""The figures that the window writes above a board."""
LOW, HIGH = "#2c4bd8", "#ffd02e"
"""The colours of the lowest and the highest value."""
OPACITY = 110
"""The opacity of these colours on the board, up to 255."""
OUTLINE = "#1b1420"
"""The colour around lines, which makes them visible on any board."""
THICKEST = 7
"""The maximum width of the line of a path, in pixels."""


class BoardView:
    """A puzzle's picture, as large as its area allows, with movements and the squares at points of the window.

    Args:
        puzzle: The puzzle.
        animated: Whether movements are shown.
    """

    def __init__(self, puzzle: Puzzle, animated: bool = True) -> None:
        self._whole = self.drawing = drawing_of(puzzle, WRITTEN_ABOVE)
        self.animated = animated
        self.scene: Scene | None = None
        self.rect = pygame.Rect(0, 0, 0, 0)
        """The picture's rectangle in the window when it was last drawn."""
        self._phase = 1.0
        self._tile = 0

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

    def draw(self, surface: pygame.Surface, area: pygame.Rect) -> None:
        """Draw the scene in the middle of an area of the window; only the board if there is no space for the panel."""
        if self.scene is None or area.width < 1 or area.height < 1:
            return
        scene = self.scene if self._phase >= 1 else dataclasses.replace(self.scene, phase=self._phase)
        for drawing in (self._whole, self._whole.without_panel()):
            self.drawing = drawing
            self._tile = _fitting(lambda tile: self.drawing.measure(scene, tile), area.size)
            self.rect = pygame.Rect((0, 0), self.drawing.measure(scene, self._tile))
            self.rect.center = area.center
            if area.contains(self.rect):
                self.drawing.draw(surface.subsurface(self.rect), scene, self._tile)
                return

    def square_at(self, point: tuple[int, int]) -> tuple[int, int] | None:
        """Return the square (row, column) at a point of the window; None if there is none."""
        if self.scene is None or not self.rect.collidepoint(point):
            return None
        inside = point[0] - self.rect.left, point[1] - self.rect.top
        return self.drawing.square_at(self.scene, self._tile, inside)

    def square(self, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square in the window."""
        assert self.scene is not None
        return self.drawing.square(self.scene, self._tile, row, column).move(self.rect.topleft)


def _fitting(measure: Callable[[int], tuple[int, int]], size: tuple[int, int]) -> int:
    """Return the largest width of a square with which something of the size ``measure(tile)`` fits."""

    def excess(tile: int) -> bool:
        return any(side > most for side, most in zip(measure(tile), size, strict=True))

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
    drawing = dataclasses.replace(drawing_of(puzzle), ground=ground)

    tile = max(_fitting(lambda tile: drawing.board(scene, tile).size, size), 4)
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    board = picture.subsurface(drawing.board(scene, tile))
    ratio = min(size[0] / board.get_width(), size[1] / board.get_height(), 1.0)
    if ratio < 1:
        return pygame.transform.smoothscale(
            board, (round(ratio * board.get_width()), round(ratio * board.get_height()))
        )
    return board


def draw_values(surface: pygame.Surface, view: BoardView, values: Mapping[Square, float]) -> None:
    """Draw a heat map over the board, and the notes over it."""
    if not values or view.scene is None:
        return
    low, high = min(values.values()), max(values.values())
    for square, value in values.items():
        box = view.square(*square)
        tint = pygame.Surface(box.size, pygame.SRCALPHA)
        share = 0.5 if high == low else (value - low) / (high - low)
        tint.fill((*pygame.Color(LOW).lerp(pygame.Color(HIGH), share)[:3], OPACITY))
        surface.blit(tint, box)
        if square in view.scene.notes:
            painting.put_note(surface, view.scene.notes[square], box)


def draw_path(surface: pygame.Surface, view: BoardView, squares: Sequence[Square], color: str) -> None:
    """Draw a line through squares, with a dot at the start and a ring at the end."""
    points = [view.square(*square).center for square in squares]
    if len(set(points)) > 1:
        width = min(max(view.square(*squares[0]).width // 14, 2), THICKEST)
        for shade, more in ((OUTLINE, 2), (color, 0)):
            pygame.draw.lines(surface, shade, False, points, width + more)
            pygame.draw.circle(surface, shade, points[0], 1.4 * width + more / 2)
            pygame.draw.circle(surface, shade, points[-1], 2 * width + more / 2, width + more)


def draw_words(
    screen: Screen, surface: pygame.Surface, thoughts: Thoughts, actions: Sequence[str], box: pygame.Rect
) -> None:
    """Write what is not on the board: figures, probabilities, and the meaning of notes and colours.

    Args:
        screen: The screen, for its theme.
        surface: The surface.
        thoughts: What the agent thinks.
        actions: The names of the actions.
        box: Where to write; what does not fit is left out.
    """
    lines = [(f"{name}: {words}", screen.theme.ink) for name, words in thoughts.figures.items()]
    for name, share in zip(actions, thoughts.probabilities, strict=False):
        lines.append((f"{name}: {100 * share:.0f} %", screen.theme.ink))
    if thoughts.values:
        low, high = min(thoughts.values.values()), max(thoughts.values.values())
        lines.append((f"{thoughts.values_name}, from blue to yellow: {low:.3g} to {high:.3g}", screen.theme.faint))
    for example, meaning in thoughts.legend.items():
        words = f"e.g. {example}" if any(map(str.isdigit, example)) else example
        lines.append((f"{words}: {meaning}", screen.theme.faint))
    height = round(1.3 * screen.text)
    for k, (words, color) in enumerate(lines[: box.height // height]):
        row = pygame.Rect(box.left, box.top + k * height, box.width, height)
        screen.write(surface, words, row, color, screen.text, "left")
