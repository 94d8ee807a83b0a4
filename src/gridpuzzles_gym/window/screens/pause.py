"""The pause menu of a game."""

import pygame

from .host import Host
from .playing import PlayingScreen
from .screen import Screen
from .ways_out import ways_out


class PauseScreen(Screen):
    """A menu above the game.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True
    help = (("Esc, Space", "resume"),)

    def __init__(self, app: Host, playing: PlayingScreen) -> None:
        super().__init__(app)
        self.playing = playing

    def build(self) -> None:
        """Lay out the menu."""
        width, height = self.size
        entries = (
            ("Resume", self.back, "escape"),
            ("Restart the level", self._restart, "home"),
            ("Ask the AI", self._ask, "f3"),
            ("Settings", self._settings, "s"),
            *ways_out(self.playing),
            ("Quit", self.app.quit, ""),
        )
        box = pygame.Rect(0, 0, min(420, width - 20), min((len(entries) + 2) * (self.line + 8), height - 10))
        box.center = (width // 2, height // 2)
        self._box = box
        inside = pygame.Rect(box.left + 20, box.top + 2 * self.line, box.width - 40, box.height - 2 * self.line - 8)
        self.column(inside, entries)
        self.on_key("space", self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the menu's card and the level's number."""
        game = self.playing.game
        self.card(surface, self._box)
        top = pygame.Rect(self._box.left + 10, self._box.top + 8, self._box.width - 20, self.line)
        self.write(surface, "Paused", top, self.theme.accent, 0.8 * self.line)
        count = "" if game.count is None else f"Level {game.number + 1} of {game.count}: "
        self.write(surface, f"{count}{game.title}", top.move(0, round(0.85 * self.line)), self.theme.faint)

    def _restart(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _ask(self) -> None:
        self.app.pop()
        self.playing.answer[1]()

    def _settings(self) -> None:
        self.app.show("settings")
