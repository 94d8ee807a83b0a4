"""The menus above a game: pause, the end of a solved level, and the keys and gestures."""

import functools

import pygame

from ...engine.messages import plural
from ..scores import score_line, stars
from .app import App
from .cards import has_rules
from .playing import PlayingScreen
from .screen import Action, Entry, KeyHelp, Screen

COMMON: KeyHelp = (
    ("Tab, arrows", "choose a button"),
    ("Enter, Space", "press it"),
    ("F1", "keys and gestures"),
    ("F11", "full screen"),
    ("drop a file or folder", "open its levels"),
)
"""The keys and gestures of every screen."""


class PauseScreen(Screen):
    """A menu above the game.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True
    help = (("Space", "resume"),)

    def __init__(self, app: App, playing: PlayingScreen) -> None:
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
        above = round(2.1 * self.line)
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

    def _restart(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _answer(self) -> None:
        self.app.pop()
        self.playing.answer.action()

    def _rules(self) -> None:
        game = self.playing.game
        self.app.show("rules", game.puzzle, game.env.config)


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


class VictoryScreen(Screen):
    """A menu above the solved level.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True

    def __init__(self, app: App, playing: PlayingScreen) -> None:
        super().__init__(app)
        self.playing = playing
        self.help = (*((("Enter", "next level"),) if playing.game.has(1) else ()), ("Esc", "look at the board"))
        self.numbers = score_line(playing.game, app.progress)
        self.stars = stars(self.numbers, playing.game.hints)
        self.waiting = playing.ending is not None and playing.ending.waiting

    def build(self) -> None:
        """Lay out the menu."""
        width, height = self.size
        has_next = self.playing.game.has(1)
        answer = self.playing.answer
        entries = (
            *((Entry("Next level", self._next, "n"),) if has_next else ()),
            Entry("Replay my solution", self._replay, "r"),
            answer._replace(action=functools.partial(self._answer, answer.action), key="f3"),
            Entry("Play again", self._again, "home"),
            *ways_out(self.playing),
        )
        has_hindsight = bool(self._hindsight)
        above = round((2.6 + 0.8 * (len(self.numbers) + has_hindsight)) * self.line)
        wide, high = 21 * self.line if has_hindsight else 13 * self.line, above + len(entries) * (self.line + 8) + 12
        box = pygame.Rect(0, 0, min(wide, width - 20), min(high, height - 10))
        box.center = (width // 2, height // 2)
        self._box = box
        column = pygame.Rect(0, box.top + above, min(12 * self.line, box.width - 40), box.height - above - 8)
        column.centerx = box.centerx
        self.column(column, entries)
        if has_next:
            self.on_key("return", self._next)
        self.on_key("escape", self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card with the stars and the numbers."""
        box, line = self._box, self.line
        self.card(surface, box, self.theme.good)
        last = self.playing.game.count is not None and not self.playing.game.has(1)
        title = "Solved – that was the last level" if last else "Solved"
        if self.playing.game.hints:
            title += f" with {plural(self.playing.game.hints, 'hint')}"
        self.write(surface, title, pygame.Rect(box.left, box.top + 6, box.width, line), self.theme.good, 0.9 * line)
        for k in range(3):
            centre = box.centerx + (k - 1) * line, box.top + round(1.6 * line)
            _put_star(surface, centre, line // 2, self.theme.accent if k < self.stars else self.theme.edge)
        for k, number in enumerate(self.numbers):
            row = pygame.Rect(box.left, box.top + round((2.3 + 0.8 * k) * line), box.width, round(0.8 * line))
            self.write(surface, str(number), row)
        row = pygame.Rect(box.left + 8, box.top + round((2.3 + 0.8 * len(self.numbers)) * line), box.width - 16, line)
        self.write(surface, self._hindsight, row, self.theme.faint, self.text)

    def tick(self, seconds: float) -> None:
        """Receive what an agent would have done."""
        self.dirty = self.playing.poll_ending() or self.dirty
        self.waiting = self.playing.ending is not None and self.playing.ending.waiting

    @property
    def _hindsight(self) -> str:
        return "" if self.playing.ending is None else self.playing.ending.words

    def _next(self) -> None:
        self.app.pop()
        self.playing.go_to(self.playing.game.number + 1)

    def _again(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _replay(self) -> None:
        self.app.pop()
        self.playing.replay()

    def _answer(self, action: Action) -> None:
        self.app.pop()
        action()


def _put_star(surface: pygame.Surface, centre: tuple[int, int], radius: int, color: str) -> None:
    """Draw a star with five points."""
    points = [centre + pygame.Vector2(0, -radius * (1.0 if k % 2 == 0 else 0.4)).rotate(36 * k) for k in range(10)]
    pygame.draw.polygon(surface, color, points)


class HelpScreen(Screen):
    """A list of keys and gestures, above their screen.

    Args:
        app: The app.
        screen: The screen.
    """

    overlay = True
    chooses = False

    def __init__(self, app: App, screen: Screen) -> None:
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
            self.app.show("rules", game.puzzle, game.env.config)

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
