"""Buttons whose label fits, with the key that does the same."""

import functools
from typing import Any

import pygame
import pygame_gui
from pygame_gui.core.gui_font_pygame import GUIFontPygame

from ...engine.pictures import painting
from .theme import SMALLEST_TEXT

PADDING = 0.6
"""The distance between a label and the side of its button, in multiples of the text size."""
HINT = 0.85
"""The line height of the name of a key, in multiples of the text size."""
LEAST_HEIGHT = 10
"""The minimum line height of text that is made smaller to fit, in pixels."""
KEY_NAMES = {
    "escape": "Esc", "return": "Enter", "backspace": "Backspace", "delete": "Delete", "space": "Space", "home": "Home",
    "left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "Page up", "pagedown": "Page down", "-": "−",
}  # fmt: skip
"""How keys are called on buttons and in lists of keys, by pygame's names; others are in upper case."""
CONTROL = "ctrl+"
"""In front of the name of a key that is pressed together with Ctrl, or with Command."""


def key_name(key: str) -> str:
    """Return how a key is called, by pygame's name; empty if it is empty."""
    name = key.removeprefix(CONTROL)
    return f"{'Ctrl+' if name != key else ''}{KEY_NAMES.get(name, name.upper())}"


def natural_width(text: str, key: str, size: int) -> int:
    """Return the width of a button whose label has this text size, in pixels."""
    return _width(text, key_name(key), size) + round(2 * PADDING * size)


@functools.lru_cache(1024)
def fitting_height(text: str, width: int, height: float) -> float:
    """Return the largest line height, up to ``height``, with which a text is not wider than ``width``."""
    while height > LEAST_HEIGHT and painting.font(height).size(text)[0] > width:
        height -= 1
    return height


class Button(pygame_gui.elements.UIButton):
    """A button. If its label does not fit, first the name of the key is left out, then the text is made smaller.

    Args:
        rect: Its rectangle, in pixels.
        text: The label.
        manager: The manager of the widgets.
        size: The preferred size of the text, in pixels.
        key: pygame's name of the key that does the same; empty for none.
        **others: Arguments of pygame_gui's button.
    """

    def __init__(self, rect: pygame.Rect, text: str, manager: Any, size: int, key: str = "", **others: Any) -> None:
        self.size, self.hint = size, key_name(key)
        super().__init__(rect, text, manager, **others)

    def rebuild(self) -> None:
        """Choose the size of the text."""
        width, size = self.rect.width, max(min(self.size, round(0.62 * self.rect.height)), SMALLEST_TEXT)
        if _width(self.text, self.hint, size) + size > width:
            self.hint = ""
        while size > SMALLEST_TEXT and _width(self.text, self.hint, size) + size > width:
            size -= 1
        self.font, self._text_size = _font(size), size
        if self.hint:
            self.text_horiz_alignment = "left"
            self.text_horiz_alignment_padding = max((width - _width(self.text, self.hint, size)) // 2, 0)
        super().rebuild()

    def draw_hint(self, surface: pygame.Surface, color: str) -> None:
        """Write the name of the key behind the label."""
        if self.hint:
            wide = _width(self.text, self.hint, self._text_size)
            box = pygame.Rect(self.rect.centerx - wide // 2, self.rect.top, wide, self.rect.height)
            painting.write(surface, self.hint, box, color, HINT * self._text_size, "right")


@functools.lru_cache(64)
def _font(size: int) -> GUIFontPygame:
    pygame.register_quit(_font.cache_clear)  # it makes fonts unusable
    return GUIFontPygame(painting.FONTS / "DejaVuSans.ttf", size)


@functools.lru_cache(4096)
def _width(text: str, hint: str, size: int) -> int:
    """Return the width of a label and the name of its key."""
    label: int = _font(size).size(text)[0]
    return label + (size // 2 + painting.font(HINT * size).size(hint)[0] + 2 if hint else 0)
