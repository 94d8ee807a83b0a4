"""Pictures of what an agent thinks, drawn over its board and next to it."""

import itertools
from collections.abc import Mapping, Sequence

import pygame

from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.board.gestures import Square
from ...engine.pictures import painting
from ..screens.screen import Screen
from .board_view import BoardView

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
