"""The picture of a scene in an area of the window, and what an agent thinks, over its board and below it."""

import dataclasses
import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import pygame

from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.board.interaction import Gestures, Square
from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.pictures.drawing import BoardAndPanel
from ...engine.pictures.panel import Colors
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from .screen import Screen

LARGEST_TILE = 320
SECONDS = 0.12
"""The duration of a movement."""
YIELDS = 1.7
"""The panel is left out if the board is so many times as wide without it."""

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
LEAST_SHARE = 0.02
"""Actions with a smaller probability are not drawn."""


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


def draw_values(surface: pygame.Surface, view: BoardView, values: Mapping[Square, float]) -> None:
    """Draw a heat map over the board, and the notes over it."""
    if not values or view.scene is None:
        return
    low, high = min(values.values()), max(values.values())
    for square, value in values.items():
        box = view.square(*square)
        tint = pygame.Surface(box.size, pygame.SRCALPHA)
        tint.fill((*_colour(value, low, high)[:3], OPACITY))
        surface.blit(tint, box)
        if square in view.scene.notes:
            painting.put_note(surface, view.scene.notes[square], box)


def draw_path(surface: pygame.Surface, view: BoardView, squares: Sequence[Square], color: str) -> None:
    """Draw a line through squares, with a dot at the start and an arrow at the end; staying is not drawn."""
    points = [pygame.Vector2(view.square(*square).center) for square, _ in itertools.groupby(squares)]
    if len(points) > 1:
        width = min(max(view.square(*squares[0]).width // 14, 2), THICKEST)
        pygame.draw.circle(surface, OUTLINE, points[0], 1.4 * width + 1)
        pygame.draw.circle(surface, color, points[0], 1.4 * width)
        _draw_arrow(surface, points, color, width)


def draw_targets(
    surface: pygame.Surface, view: BoardView, start: Square, targets: Mapping[Square, float], color: str
) -> None:
    """Draw an arrow to each square where the agent may go next, wider if it is more probable."""
    here = view.square(*start)
    for square, share in targets.items():
        if share >= LEAST_SHARE:
            end = pygame.Vector2(view.square(*square).center)
            width = max(round(share * here.width / 4), 1)
            _draw_arrow(surface, [pygame.Vector2(here.center), end], color, width)


def _draw_arrow(surface: pygame.Surface, points: Sequence[pygame.Vector2], color: str, width: int) -> None:
    """Draw a line with an arrow at its end, and an outline."""
    last, end = points[-2], points[-1]
    direction = end - last
    if direction.length() == 0:
        return
    direction = direction.normalize()
    head = 1.6 * width + 4
    neck = end - head * direction
    for shade, more in ((OUTLINE, 2), (color, 0)):
        for one, other in zip(points, [*points[1:-1], neck], strict=False):
            pygame.draw.line(surface, shade, one, other, width + more)
        for point in points[1:-1]:
            pygame.draw.circle(surface, shade, point, (width + more - 1) / 2)
        side = direction.rotate(90) * (head / 1.6 + more / 2)
        tip, base = more / 2 * direction, neck - more / 4 * direction
        pygame.draw.polygon(surface, shade, [end + tip, base + side, base - side])


def _colour(value: float, low: float, high: float) -> pygame.Color:
    share = 0.5 if high == low else (value - low) / (high - low)
    return pygame.Color(LOW).lerp(pygame.Color(HIGH), share)


def draw_words(
    screen: Screen, surface: pygame.Surface, thoughts: Thoughts, actions: Sequence[str], box: pygame.Rect
) -> None:
    """Draw what is not on the board: probabilities as bars, figures, and the meaning of notes and colours.

    Args:
        screen: The screen, for its theme.
        surface: The surface.
        thoughts: What the agent thinks.
        actions: The names of the actions.
        box: Where to draw; what does not fit is left out.
    """
    line = round(1.3 * screen.text)
    rows = [pygame.Rect(box.left, top, box.width, line) for top in range(box.top, box.bottom - line + 1, line)]
    for name, words in thoughts.figures.items():
        if rows:
            screen.write(surface, f"{name}: {words}", rows.pop(0), screen.theme.ink, screen.text, "left")
    for name, share in zip(actions, thoughts.probabilities, strict=False):
        if rows:
            _draw_bar(screen, surface, name, share, rows.pop(0))
    if thoughts.values and rows:
        _draw_scale(screen, surface, thoughts, rows.pop(0))
    for example, meaning in thoughts.legend.items():
        if rows:
            words = f"e.g. {example}" if any(map(str.isdigit, example)) else example
            screen.write(surface, f"{words}: {meaning}", rows.pop(0), screen.theme.faint, screen.text, "left")


def _draw_bar(screen: Screen, surface: pygame.Surface, name: str, share: float, row: pygame.Rect) -> None:
    words = pygame.Rect(row.left, row.top, round(0.3 * row.width), row.height)
    screen.write(surface, name, words, screen.theme.ink, screen.text, "left")
    bar = pygame.Rect(words.right, row.top + row.height // 5, round(0.5 * row.width), round(0.6 * row.height))
    pygame.draw.rect(surface, screen.theme.edge, bar, 1)
    pygame.draw.rect(surface, screen.theme.accent, (bar.left, bar.top, round(share * bar.width), bar.height))
    number = pygame.Rect(bar.right + 4, row.top, row.right - bar.right - 4, row.height)
    screen.write(surface, f"{100 * share:.0f} %", number, screen.theme.ink, screen.text, "left")


def _draw_scale(screen: Screen, surface: pygame.Surface, thoughts: Thoughts, row: pygame.Rect) -> None:
    low, high = min(thoughts.values.values()), max(thoughts.values.values())
    words = f"{thoughts.values_name}: {low:.3g}"
    width = painting.font(screen.text).size(words)[0] + 8
    screen.write(surface, words, row, screen.theme.faint, screen.text, "left")
    bar = pygame.Rect(row.left + width, row.top + row.height // 4, max(row.width // 5, 20), row.height // 2)
    for x in range(bar.width):
        pygame.draw.line(surface, _colour(x, 0, bar.width), (bar.left + x, bar.top), (bar.left + x, bar.bottom - 1))
    end = pygame.Rect(bar.right + 8, row.top, max(row.right - bar.right - 8, 0), row.height)
    screen.write(surface, f"{high:.3g}", end, screen.theme.faint, screen.text, "left")
