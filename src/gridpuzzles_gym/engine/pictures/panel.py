"""The parts of the puzzles' side panels.

The layout of a panel is given in units, the height of one line: it is ``COLUMNS`` wide, and its puzzle sets its height.
"""

import functools
from typing import NamedTuple

import pygame

from . import painting

COLUMNS = 16
"""The panel's width in units."""
LEAST_UNIT, LARGEST_UNIT = 13, 34
"""The minimum and maximum size of a unit, in pixels."""
CONTRAST = 4.0
"""The minimum contrast of a coloured text with its ground: the ratio of their luminances, as WCAG 2 defines it."""


class Colors(NamedTuple):
    """The colours of what is around a board, as ``"#rrggbb"``."""

    ground: str = "#120f17"
    paper: str = "#221c29"
    """The panel."""
    card: str = "#2f2737"
    edge: str = "#463a4c"
    ink: str = "#f6e9cf"
    """Text."""
    faint: str = "#a2939f"
    lit: str = "#fff1c9"
    """Titles."""
    good: str = "#7ed07a"
    bad: str = "#ee5a5c"
    unlit: int = 70
    """The opacity of icons that are not lit, up to 255."""
    grid: str = ""
    """Lines around the squares of the board; empty for none."""

    def text(self, color: str) -> str:
        """Return a colour in which text on cards can be read: nearer to that of other text, if that is necessary."""
        return _legible(color, self.card, self.ink)


DARK = Colors()
"""The colours of all pictures, except in the window's other themes."""


@functools.lru_cache(64)
def _legible(color: str, ground: str, ink: str) -> str:
    shades = (pygame.Color(color).lerp(ink, step / 10) for step in range(10))
    found = next((shade for shade in shades if contrast(shade, pygame.Color(ground)) >= CONTRAST), pygame.Color(ink))
    return "#{:02x}{:02x}{:02x}".format(*found[:3])


def contrast(one: pygame.Color, other: pygame.Color) -> float:
    """Return the ratio of two colours' luminances, from 1 to 21."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: pygame.Color) -> float:
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in color.normalize()]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def part(inside: pygame.Rect, unit: int, left: float, width: float, top: float, height: float) -> pygame.Rect:
    """Return a box whose position in another box and whose size are given in units."""
    return pygame.Rect(
        inside.left + round(left * unit), inside.top + round(top * unit), round(width * unit), round(height * unit)
    )


def split(box: pygame.Rect, top: float) -> tuple[pygame.Rect, pygame.Rect]:
    """Split a box into its upper part, with the share ``top`` of its height, and its lower part."""
    height = round(top * box.height)
    return (
        pygame.Rect(box.left, box.top, box.width, height),
        pygame.Rect(box.left, box.top + height, box.width, box.height - height),
    )


def title(surface: pygame.Surface, colors: Colors, words: str, below: str, box: pygame.Rect) -> None:
    """Draw the puzzle's name, and the level's below it."""
    upper, lower = split(box, 0.64)
    painting.write(surface, words, upper, colors.lit, upper.height, "left", bold=True)
    painting.write(surface, below, lower, colors.faint, 0.85 * lower.height, "left")


def state(
    surface: pygame.Surface,
    colors: Colors,
    line: str,
    reason: str,
    icon: pygame.Surface,
    color: str,
    box: pygame.Rect,
    unit: int,
) -> None:
    """Draw the status of the episode in large letters, and the reason for it."""
    painting.put_card(surface, box, colors.card, color, unit // 2)
    painting.put_card(surface, box, color, color, unit // 2, opacity=0.16)
    painting.paste(surface, icon, (box.left + 0.5 * box.height, box.centery))
    words = pygame.Rect(box.left + box.height, box.top, box.width - box.height - unit // 2, box.height)
    upper, lower = split(words.inflate(0, -0.9 * unit), 0.58)
    painting.write(surface, line, upper, color, 1.45 * unit, "left", bold=True)
    painting.write(surface, reason, lower, colors.ink, 0.92 * unit, "left")


def state_icon_size(box: pygame.Rect) -> int:
    """Return the size of the icon of :func:`state`, in pixels."""
    return round(0.74 * box.height)


def heading(surface: pygame.Surface, colors: Colors, words: str, box: pygame.Rect, unit: int) -> None:
    """Draw a small grey heading above a group."""
    painting.write(surface, words, box, colors.faint, 0.9 * unit, "left")


def number(surface: pygame.Surface, colors: Colors, name: str, value: str, box: pygame.Rect, unit: int) -> None:
    """Draw a number with its name above it."""
    painting.put_card(surface, box, colors.card, colors.edge, unit // 2)
    upper, lower = split(box.inflate(-unit, -0.5 * unit), 0.36)
    painting.write(surface, name, upper, colors.faint, 0.9 * unit, "left")
    painting.write(surface, value, lower, colors.ink, 1.5 * unit, "left", bold=True)
