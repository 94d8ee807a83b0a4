"""The keys and gestures of a screen."""

import pygame

from .host import Host
from .screen import KeyHelp, Screen

COMMON: KeyHelp = (
    ("Tab, arrows", "choose a button"),
    ("Enter, Space", "press it"),
    ("F1", "keys and gestures"),
    ("F11", "full screen"),
    ("drop a file or folder", "open its levels"),
)
"""The keys and gestures of every screen."""


class HelpScreen(Screen):
    """A list of keys and gestures, above their screen.

    Args:
        app: The app.
        screen: The screen.
    """

    overlay = True

    def __init__(self, app: Host, screen: Screen) -> None:
        super().__init__(app)
        entries = screen.keys()
        self.entries = (*entries, *(entry for entry in COMMON if entry[0] not in dict(entries)))

    def build(self) -> None:
        """Close the screen by the key that opens it, and some others."""
        for key in ("escape", "return", "space", "f1"):
            self.on_key(key, self.back)

    def handle(self, event: pygame.event.Event) -> None:
        """Close the screen on a click."""
        if event.type == pygame.MOUSEBUTTONDOWN:
            self.back()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the list."""
        width, height = self.size
        count = len(self.entries)
        columns = 1 if count * self.line < 0.9 * height or width < height else 2
        rows = -(-count // columns)
        line = min(round(0.8 * self.line), (height - 40) // (rows + 2))
        box = pygame.Rect(0, 0, min(columns * 18 * self.line, width - 20), (rows + 2) * line)
        box.center = (width // 2, height // 2)
        self.card(surface, box)
        self.write(
            surface, "Keys and gestures", pygame.Rect(box.left, box.top + line // 4, box.width, line), self.theme.accent
        )
        wide = (box.width - 16) // columns
        for k, (keys, meaning) in enumerate(self.entries):
            column, row = divmod(k, rows)
            place = pygame.Rect(box.left + 8 + column * wide, box.top + round((row + 1.4) * line), wide - 12, line)
            left = pygame.Rect(place.left, place.top, round(0.38 * wide), line)
            right = pygame.Rect(left.right + 12, place.top, place.right - left.right - 12, line)
            self.write(surface, keys, left, self.theme.accent, 0.7 * line, "right")
            self.write(surface, meaning, right, self.theme.ink, 0.7 * line, "left")
