"""The parts of screens: colours, buttons, what the keyboard chooses, a slider, and the picture of a scene."""

import dataclasses
import functools
import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pygame
import pygame_gui
from pygame_gui.core.gui_font_pygame import GUIFontPygame

from ...engine.board.interaction import Gestures, Square
from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.pictures.panel import COLORS, Colors
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from .. import preferences
from ..preferences import key_name


class Theme(NamedTuple):
    """The colours of the window, as ``"#rrggbb"``."""

    ground: str = "#120f17"
    """The window's background."""
    card: str = "#2a2332"
    """The background of buttons and cards."""
    hovered: str = "#3b3146"
    """The background of buttons and cards under the mouse."""
    edge: str = "#5a4d62"
    ink: str = "#f6e9cf"
    """Text."""
    faint: str = "#a2939f"
    """Less important text."""
    accent: str = "#ffd98a"
    """Titles, and what is selected."""
    good: str = "#8fd18a"
    bad: str = "#f08a7a"

    @property
    def panel(self) -> Colors:
        """The colours of a board's panel; in the dark theme, those of all pictures."""
        if self == Theme():
            return COLORS
        words = self.ink, self.faint, self.accent, self.good, self.bad
        return Colors(self.ground, self.card, self.ground, self.edge, *words, UNLIT)


UNLIT = 160
"""The opacity of icons of a panel that are not lit, in all themes but the dark one."""
_OTHERS = (
    Theme("#f4f0e6", "#ffffff", "#e8e0ce", "#b9ab92", "#2b2430", "#75695f", "#8a4b08", "#1f7a33", "#b3261e"),
    Theme("#000000", "#000000", "#333333", "#ffffff", "#ffffff", "#e0e0e0", "#ffff00", "#00ff00", "#ff6060"),
    # Blue and orange instead of green and red (M. Okabe and K. Ito, "Color Universal Design", 2008).
    Theme("#101418", "#22303a", "#2f4453", "#5b7587", "#f2f5f7", "#a9b7c1", "#f0e442", "#56b4e9", "#e69f00"),
)
THEMES = dict(zip(preferences.THEMES, (Theme(), *_OTHERS), strict=True))
"""The themes, by the names in :mod:`~gridpuzzles_gym.play.preferences`."""

TEXT = 18
"""The size of text in buttons at a text size of 100 % in a window of :data:`STANDARD`, in pixels."""
STANDARD = (1280, 800)
"""The size of the window for which the text sizes are given, in pixels."""
SMALLEST_TEXT = 8
"""The minimum size of text, in pixels."""


def text_size(percent: int, size: tuple[int, int]) -> int:
    """Return the size of text in buttons, in pixels.

    It grows with the window. In a smaller window it shrinks more slowly than the window, so that it stays legible.

    Args:
        percent: The text size that is chosen in the settings.
        size: The width and height of the window.
    """
    scale = min(side / standard for side, standard in zip(size, STANDARD, strict=True))
    return max(round(TEXT * percent / 100 * (scale if scale > 1 else scale**0.5)), SMALLEST_TEXT)


def widget_theme(theme: Theme) -> dict[str, Any]:
    """Return the colours as a dict in the format of pygame_gui."""
    colours = {
        "normal_bg": theme.card,
        "hovered_bg": theme.hovered,
        "active_bg": theme.hovered,
        "selected_bg": theme.hovered,
        "disabled_bg": theme.ground,
        "dark_bg": theme.ground,
        "normal_text": theme.ink,
        "hovered_text": theme.ink,
        "active_text": theme.accent,
        "selected_text": theme.accent,
        "disabled_text": theme.faint,
        "normal_border": theme.edge,
        "hovered_border": theme.accent,
        "active_border": theme.accent,
        "selected_border": theme.accent,
        "disabled_border": theme.card,
    }
    shape = {"shape": "rounded_rectangle", "shape_corner_radius": "8", "border_width": "1", "shadow_width": "0"}
    return {"defaults": {"colours": colours, "misc": shape}, "button": {"misc": shape}}


PADDING = 0.6
"""The distance between a label and the side of its button, in multiples of the text size."""
LEAST_HEIGHT = 10
"""The minimum line height of text that is made smaller to fit, in pixels."""
STEPS = {
    pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1),
}  # fmt: skip
"""The direction (x, y) of each arrow key."""
ASIDE = 3.0
"""How much more a distance to the side counts than one in the direction of the arrow."""


def label_with_key(label: str, key: str) -> str:
    """Return the text of a button that is also pressed by a key; ``key`` is empty for none."""
    return f"{label}  {key_name(key)}" if key else label


def natural_width(text: str, size: int) -> int:
    """Return the width of a button with this text, in pixels."""
    return _width(text, size) + round(2 * PADDING * size)


@functools.lru_cache(1024)
def fitting_height(text: str, width: int, height: float) -> float:
    """Return the largest line height, up to ``height``, with which a text is not wider than ``width``."""
    while height > LEAST_HEIGHT and painting.font(height).size(text)[0] > width:
        height -= 1
    return height


class Button(pygame_gui.elements.UIButton):
    """A button. If its text does not fit, first the name of the key is left out, then the text is made smaller.

    Args:
        rect: Its rectangle, in pixels.
        label: The label.
        manager: The manager of the widgets.
        size: The preferred size of the text, in pixels.
        key: pygame's name of the key that does the same; empty for none.
        **others: Arguments of pygame_gui's button.
    """

    def __init__(self, rect: pygame.Rect, label: str, manager: Any, size: int, key: str = "", **others: Any) -> None:
        self.label, self.key, self.size = label, key, size
        super().__init__(rect, label, manager, **others)

    def rebuild(self) -> None:
        """Choose the text and its size."""
        width, size = self.rect.width, max(min(self.size, round(0.62 * self.rect.height)), SMALLEST_TEXT)
        whole = label_with_key(self.label, self.key)
        self.text = whole if _width(whole, size) + size <= width else self.label
        while size > SMALLEST_TEXT and _width(self.text, size) + size > width:
            size -= 1
        self.font = _font(size)
        super().rebuild()


@functools.lru_cache(64)
def _font(size: int) -> GUIFontPygame:
    pygame.register_quit(_font.cache_clear)  # it makes fonts unusable
    return GUIFontPygame(painting.FONTS / "DejaVuSans.ttf", size)


@functools.lru_cache(4096)
def _width(text: str, size: int) -> int:
    width: int = _font(size).size(text)[0]
    return width


class Spot(NamedTuple):
    """Something on a screen that can be pressed."""

    rect: pygame.Rect
    press: Callable[[], Any]


class Focus:
    """The spot that has the keyboard. It is remembered by its position, so that it survives other layouts.

    Attributes:
        point: Its middle; None until one is chosen.
        shown: Whether it is marked; it is not while the mouse or a screen's own keys are used.
    """

    def __init__(self) -> None:
        self.point: tuple[int, int] | None = None
        self.shown = False

    def spot(self, spots: Sequence[Spot]) -> Spot | None:
        """Return the spot; None if there are no spots."""
        if not spots or self.point is None:
            return spots[0] if spots else None
        point = pygame.Vector2(self.point)
        return min(spots, key=lambda spot: point.distance_squared_to(spot.rect.center))

    def choose(self, spot: Spot) -> None:
        """Move to a spot, and mark it."""
        self.point, self.shown = spot.rect.center, True

    def step(self, spots: Sequence[Spot], step: int) -> None:
        """Go to the next spot, or to the previous one; at first, mark the current one."""
        now = self.spot(spots)
        if now is not None:
            number = spots.index(now) + (step if self.shown else 0)
            self.choose(spots[number % len(spots)])

    def move(self, spots: Sequence[Spot], direction: tuple[int, int]) -> None:
        """Go to the nearest spot in a direction (x, y), if there is one; at first, mark the current one."""
        now = self.spot(spots)
        if now is None:
            return
        distances = [(_distance(now.rect, spot.rect, direction), k) for k, spot in enumerate(spots)]
        distance, nearest = min(distances)
        if not self.shown:
            self.choose(now)
        elif distance < math.inf:
            self.choose(spots[nearest])


def _distance(start: pygame.Rect, end: pygame.Rect, direction: tuple[int, int]) -> float:
    """Return the distance between two rectangles; infinity if the second is not in that direction of the first."""
    if direction[1]:  # as if it were to the side
        start, end = (pygame.Rect(box.top, box.left, box.height, box.width) for box in (start, end))
    beyond = end.left >= start.right if sum(direction) > 0 else end.right <= start.left
    if not beyond:
        return math.inf
    aside = max(end.top - start.bottom, start.top - end.bottom, 0) + abs(end.centery - start.centery) / 100
    return abs(end.centerx - start.centerx) + ASIDE * aside


class Slider:
    """A bar with a handle, from 0 to ``length``.

    Attributes:
        rect: Its area of the window.
        length: The last position.
    """

    def __init__(self) -> None:
        self.rect = pygame.Rect(0, 0, 0, 0)
        self.length = 0

    def take(self, event: pygame.event.Event) -> int | None:
        """Return the position that the mouse chooses by a click or a drag; None if the event is not for the slider."""
        pressed = event.type == pygame.MOUSEBUTTONDOWN and event.button == 1
        dragged = event.type == pygame.MOUSEMOTION and event.buttons[0]
        if not (pressed or dragged) or not self.rect.collidepoint(event.pos):
            return None
        share: float = (event.pos[0] - self.rect.left) / max(self.rect.width - 1, 1)
        return round(share * self.length)

    def draw(self, surface: pygame.Surface, at: int, theme: Theme) -> None:
        """Draw the bar with the handle at a position."""
        bar, radius = self.rect, self.rect.height // 3
        x = bar.left + round(bar.width * at / max(self.length, 1))
        for color, end in ((theme.edge, bar.right), (theme.accent, x)):
            pygame.draw.line(surface, color, bar.midleft, (end, bar.centery), max(radius // 2, 2))
        pygame.draw.circle(surface, theme.accent, (x, bar.centery), radius)


# -- the picture of a scene ---------------------------------------------------------------------------------

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
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._whole = self.drawing = drawing_of(puzzle, WRITTEN_ABOVE)
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
        self._phase = 0.0 if moved and scene.before is not None else 1.0

    def tick(self, seconds: float) -> None:
        """Continue the movement."""
        self._phase = min(self._phase + seconds / SECONDS, 1.0)

    def finish(self) -> None:
        """End the movement at once."""
        self._phase = 1.0

    def draw(self, surface: pygame.Surface, area: pygame.Rect, colors: Colors) -> None:
        """Draw the scene in the middle of an area of the window; only the board if there is no space for the panel."""
        if self.scene is None or area.width < 1 or area.height < 1:
            return
        scene = self.scene if self._phase >= 1 else dataclasses.replace(self.scene, phase=self._phase)
        whole = dataclasses.replace(self._whole, colors=colors)
        for drawing in (whole, whole.without_panel()):
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


def wrap(text: str, letters: pygame.font.Font, width: int) -> list[str]:
    """Return the lines of a text that are not wider than ``width``, except for single words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and letters.size(longer)[0] > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


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
    drawing = dataclasses.replace(drawing_of(puzzle), colors=COLORS._replace(ground=ground))

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
    """Draw a line through squares: a dot at the start, arrows between squares, and a ring at the end."""
    points = [view.square(*square).center for square in squares]
    if len(set(points)) > 1:
        width = min(max(view.square(*squares[0]).width // 14, 2), THICKEST)
        for shade, more in ((OUTLINE, 2), (color, 0)):
            pygame.draw.lines(surface, shade, False, points, width + more)
            pygame.draw.circle(surface, shade, points[0], 1.4 * width + more / 2)
            pygame.draw.circle(surface, shade, points[-1], 2 * width + more / 2, width + more)
            for start, end in itertools.pairwise(map(pygame.Vector2, points)):
                if start != end:
                    middle, ahead = (start + end) / 2, (end - start).normalize() * (1.5 * width + more)
                    left, right = ahead.rotate(-130), ahead.rotate(130)
                    pygame.draw.polygon(surface, shade, (middle + ahead, middle + left, middle + right))
