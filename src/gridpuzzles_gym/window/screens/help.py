"""The keys and gestures of a screen."""

import pygame

from .host import Host
from .screen import KeyHelp, Screen

COMMON: KeyHelp = (
    ("F1", "keys and gestures"),
    ("F11", "full screen"),
    ("Esc", "back"),
    ("drop a file or folder", "open its levels"),
)
"""The keys and gestures of every screen."""


class HelpScreen(Screen):
    """A list of keys and gestures, above their screen.

    Args:
        app: The app.
        entries: The keys and gestures.
    """

    overlay = True

    def __init__(self, app: Host, entries: KeyHelp) -> None:
        super().__init__(app)
        own = {keys for keys, _ in entries}
        self.entries = (*entries, *(entry for entry in COMMON if entry[0] not in own))

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
        line = min(round(0.8 * self.line), (height - 40) // (len(self.entries) + 2))
        box = pygame.Rect(0, 0, min(720, width - 20), (len(self.entries) + 2) * line)
        box.center = (width // 2, height // 2)
        self.card(surface, box)
        self.write(
            surface, "Keys and gestures", pygame.Rect(box.left, box.top + line // 4, box.width, line), self.theme.accent
        )
        for k, (keys, meaning) in enumerate(self.entries):
            top = box.top + round((k + 1.4) * line)
            left = pygame.Rect(box.left + 16, top, round(0.38 * box.width) - 20, line)
            right = pygame.Rect(box.left + round(0.4 * box.width), top, round(0.6 * box.width) - 16, line)
            self.write(surface, keys, left, self.theme.accent, 0.62 * line, "right")
            self.write(surface, meaning, right, self.theme.ink, 0.62 * line, "left")
