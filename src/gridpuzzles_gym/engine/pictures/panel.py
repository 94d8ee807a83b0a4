"""The parts of the puzzles' side panels.

The layout of a panel is given in units, the height of one line: it is ``COLUMNS`` wide, and its puzzle sets its height.
"""

import pygame

from . import painting

COLUMNS = 16
"""The panel's width in units."""
LEAST_UNIT, LARGEST_UNIT = 13, 34
"""The minimum and maximum size of a unit, in pixels."""
PAPER, CARD, EDGE = "#221c29", "#2f2737", "#463a4c"
INK, FAINT, LIT = "#f6e9cf", "#a2939f", "#fff1c9"


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


def title(surface: pygame.Surface, words: str, below: str, box: pygame.Rect) -> None:
    """Draw the puzzle's name, and the level's below it."""
    upper, lower = split(box, 0.64)
    painting.write(surface, words, upper, LIT, upper.height, "left", bold=True)
    painting.write(surface, below, lower, FAINT, 0.85 * lower.height, "left")


def state(
    surface: pygame.Surface, line: str, reason: str, icon: pygame.Surface, color: str, box: pygame.Rect, unit: int
) -> None:
    """Draw the status of the episode in large letters, and the reason for it."""
    painting.put_card(surface, box, CARD, color, unit // 2)
    painting.put_card(surface, box, color, color, unit // 2, opacity=0.16)
    painting.paste(surface, icon, (box.left + 0.5 * box.height, box.centery))
    words = pygame.Rect(box.left + box.height, box.top, box.width - box.height - unit // 2, box.height)
    upper, lower = split(words.inflate(0, -0.9 * unit), 0.58)
    painting.write(surface, line, upper, color, 1.45 * unit, "left", bold=True)
    painting.write(surface, reason, lower, INK, 0.92 * unit, "left")


def state_icon_size(box: pygame.Rect) -> int:
    """Return the size of the icon of :func:`state`, in pixels."""
    return round(0.74 * box.height)


def heading(surface: pygame.Surface, words: str, box: pygame.Rect, unit: int) -> None:
    """Draw a small grey heading above a group."""
    painting.write(surface, words, box, FAINT, 0.9 * unit, "left")


def number(surface: pygame.Surface, name: str, value: str, box: pygame.Rect, unit: int) -> None:
    """Draw a number with its name above it."""
    painting.put_card(surface, box, CARD, EDGE, unit // 2)
    upper, lower = split(box.inflate(-unit, -0.5 * unit), 0.36)
    painting.write(surface, name, upper, FAINT, 0.9 * unit, "left")
    painting.write(surface, value, lower, INK, 1.5 * unit, "left", bold=True)
