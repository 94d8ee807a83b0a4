"""The pause menu of a game, and the buttons that leave a game."""

import pygame

from ...engine.messages import shorten
from ..model.clipboard import id_of
from .host import Host
from .playing import PlayingScreen
from .rules import has_rules
from .screen import Entry, Screen

LONGEST_ID = 60
"""Maximum number of characters of a game's ID that are shown."""


class PauseScreen(Screen):
    """A menu above the game.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True
    help = (("Space", "resume"),)

    def __init__(self, app: Host, playing: PlayingScreen) -> None:
        super().__init__(app)
        self.playing = playing

    def build(self) -> None:
        """Lay out the menu."""
        width, height = self.size
        entries = (
            Entry("Resume", self.back, "escape"),
            Entry("Restart the level", self._restart, "home"),
            Entry(self.playing.answer.label, self._answer, "f3"),
            *((Entry("Rules", self._rules, "r"),) if has_rules(self.playing.game.puzzle) else ()),
            Entry("Settings", lambda: self.app.show("settings"), "s"),
            *ways_out(self.playing),
            Entry("Quit", self.app.quit),
        )
        above = round(2.8 * self.line)
        wide, high = 12 * self.line, above + len(entries) * (self.line + 8) + 12
        self._box = pygame.Rect(0, 0, min(wide, width - 20), min(high, height - 10))
        self._box.center = (width // 2, height // 2)
        inside = self._box.inflate(-40, 0)
        self.column(pygame.Rect(inside.left, inside.top + above, inside.width, inside.height - above - 8), entries)
        self.on_key("space", self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the menu's card and the level's number."""
        game = self.playing.game
        self.card(surface, self._box)
        top = pygame.Rect(self._box.left + 10, self._box.top + 8, self._box.width - 20, self.line)
        self.write(surface, "Paused", top, self.theme.accent, 0.8 * self.line)
        count = "" if game.count is None else f"Level {game.number + 1} of {game.count}: "
        self.write(surface, f"{count}{game.title}", top.move(0, round(0.85 * self.line)), self.theme.faint)
        game_id = id_of(game)
        words = shorten(f"game ID: {game_id}", LONGEST_ID) if game_id else ""
        self.write(surface, words, top.move(0, round(1.55 * self.line)), self.theme.faint, self.text)

    def _restart(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _answer(self) -> None:
        self.app.pop()
        self.playing.answer.action()

    def _rules(self) -> None:
        game = self.playing.game
        self.app.show("rules", game.puzzle, game.env.config, self.playing.guide)


def ways_out(playing: PlayingScreen) -> tuple[Entry, ...]:
    """Return the buttons that lead from a menu above a game to other screens.

    Args:
        playing: The game's screen, below the menu.
    """
    app = playing.app

    def levels() -> None:
        game = playing.game
        try:
            app.show("levels", game.puzzle, game.choice, playing)
        except (ValueError, OSError) as error:  # such as a file that is gone
            app.say(str(error))

    def origin() -> None:
        app.pop_to("playing")
        app.pop()

    back = (Entry(f"Back to {playing.origin}", origin, "b"),) if playing.origin else ()
    return Entry("Levels", levels, "l"), *back, Entry("Start screen", app.home, "q")
