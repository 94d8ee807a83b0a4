"""The keys and gestures of a screen."""

import pygame

from .host import Host
from .playing import PlayingScreen
from .rules import has_rules
from .screen import Entry, KeyHelp, Screen

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
    chooses = False

    def __init__(self, app: Host, screen: Screen) -> None:
        super().__init__(app)
        entries = screen.keys()
        self.playing = screen if isinstance(screen, PlayingScreen) and has_rules(screen.game.puzzle) else None
        self.entries = (*entries, *(entry for entry in COMMON if entry[0] not in dict(entries)))

    def build(self) -> None:
        """Lay out the list; the keys that open and close other menus close it."""
        width, height = self.size
        count = len(self.entries)
        self._columns = 1 if count * self.line < 0.9 * height or width < height else 2
        self._rows = -(-count // self._columns)
        below = 0 if self.playing is None else self.line + 8
        self._pitch = min(round(0.8 * self.line), (height - 40 - below) // (self._rows + 2))
        wide, high = self._columns * 18 * self.line, (self._rows + 2) * self._pitch + below
        self._box = pygame.Rect(0, 0, min(wide, width - 20), high)
        self._box.center = (width // 2, height // 2)
        if self.playing is not None:
            place = pygame.Rect(0, 0, 6 * self.line, self.line)
            place.midbottom = self._box.centerx, self._box.bottom - 8
            self.button(place, Entry("Rules", self._show_rules, "r"))
        for key in ("escape", "return", "space", "f1"):
            self.on_key(key, self.back)

    def _show_rules(self) -> None:
        if self.playing is not None:
            game = self.playing.game
            self.app.show("rules", game.puzzle, game.env.config, self.playing.guide)

    def handle(self, event: pygame.event.Event) -> None:
        """Close the screen on a click."""
        if event.type == pygame.MOUSEBUTTONDOWN:
            self.back()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the list."""
        box, line, columns, rows = self._box, self._pitch, self._columns, self._rows
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
