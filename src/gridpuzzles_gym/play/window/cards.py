"""Cards above a screen: a heading, text and buttons. Menus, the rules, pause, the end of a level, settings, help."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pygame

from ...engine.config import EnvConfig
from ...engine.messages import plural
from ...engine.pictures import painting
from ...engine.puzzle import Puzzle
from ...engine.wording import wording_of
from ..arguments import all_puzzles
from ..preferences import TEXT_SIZES, THEMES, Preferences, controls
from ..scores import score_line, stars
from .app import App
from .playing import PlayingScreen, has_rules
from .screen import GAP, Action, Entry, KeyHelp, Screen, can
from .widgets import wrap

Line = str | tuple[str, str]
"""A paragraph; or a key and what it does, next to each other."""
KEYS, KEY_GAP = 0.4, 12
"""The share of the width for keys, and the distance to what they do, in pixels."""
MARGIN = 20
"""The distance between a card's text and its edge, in pixels."""
COMMON: KeyHelp = (
    ("Tab, arrows", "choose a button"),
    ("Enter, Space", "press it"),
    ("F1", "keys and gestures"),
    ("drop a file or folder", "open its levels"),
)
"""The keys and gestures of every screen."""


class CardScreen(Screen):
    """A heading, text and buttons; Esc and a click elsewhere close it.

    Args:
        app: The app.
        heading: The heading.
    """

    overlay = True
    help = (("click elsewhere", "close"),)
    wide = 13
    """The width of the card, in lines."""
    align = "centre"

    def __init__(self, app: App, heading: str) -> None:
        super().__init__(app)
        self.heading = heading

    def lines(self) -> Sequence[Line]:
        """Return the text."""
        return ()

    def entries(self) -> Sequence[Entry]:
        """Return the buttons; the first one that can be pressed is chosen, unless another is selected."""
        return ()

    def build(self) -> None:
        """Lay out the text, as large as fits, and the buttons below it, in several columns if they are many."""
        width, height = self.size
        pitch, entries = self.line + GAP, [entry for entry in self.entries() if can(entry)]
        most = max((height - 3 * self.line) // pitch, 1)
        columns = -(-len(entries) // most)
        rows = -(-len(entries) // max(columns, 1))
        wide = min(max(self.wide, 13 * columns) * self.line, width - MARGIN)
        room = height - MARGIN - 2 * self.line - rows * pitch
        self._wrapped, self._text_height = self._fitted(wide - 2 * MARGIN, room)
        text = round(self._height_of(self._wrapped, self._text_height))
        self._box = pygame.Rect(0, 0, wide, min(round(1.7 * self.line) + text + rows * pitch, height - 8))
        self._box.center = (width // 2, height // 2)
        each = (wide - 2 * MARGIN + GAP) // max(columns, 1)
        chosen = next((entry for entry in entries if entry.selected), entries[0] if entries else None)
        for k in range(columns):
            left, bottom = self._box.left + MARGIN + k * each, self._box.bottom - GAP // 2
            place = pygame.Rect(left, bottom - rows * pitch, each - GAP, rows * pitch - GAP)
            self.column(place, entries[k * rows : (k + 1) * rows])
        for button, entry in self._buttons:
            if entry is chosen and self.focus.point is None:
                self.focus.point = button.rect.center
        self.on_key("escape", self.back)
        self.on_key("return", self.press_chosen)

    def _fitted(self, width: int, room: int) -> tuple[list[list[Line]], float]:
        """Return the lines of each paragraph, and their height in pixels."""
        height = 1.2 * self.text
        while True:
            letters = painting.font(height)
            wrapped = [_wrapped(part, letters, width) for part in self.lines()]
            if self._height_of(wrapped, height) <= room or height <= painting.SMALLEST_TEXT + 1:
                return wrapped, height
            height -= 1

    @staticmethod
    def _height_of(wrapped: Sequence[Sequence[Line]], height: float) -> float:
        return (sum(map(len, wrapped)) + sum(_space_after(part) for part in wrapped)) * height

    def handle(self, event: pygame.event.Event) -> None:
        """Close the card on a click elsewhere."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and not self._box.collidepoint(event.pos):
            self.back()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the text."""
        box, theme, height = self._box, self.theme, round(self._text_height)
        self.card(surface, box, theme.accent)
        heading = pygame.Rect(box.left, box.top + 8, box.width, self.line)
        self.write(surface, self.heading, heading, theme.accent, 0.8 * self.line)
        top = heading.bottom + 0.2 * self.line
        for part in self._wrapped:
            for words in part:
                row = pygame.Rect(box.left + MARGIN, round(top), box.width - 2 * MARGIN, height)
                if isinstance(words, str):
                    painting.write(surface, words, row, theme.ink, self._text_height, self.align)
                else:
                    left = pygame.Rect(row.left, row.top, round(KEYS * row.width), height)
                    right = pygame.Rect(left.right + KEY_GAP, row.top, row.right - left.right - KEY_GAP, height)
                    self.write(surface, words[0], left, theme.accent, self._text_height, "right")
                    self.write(surface, words[1], right, theme.ink, self._text_height, "left")
                top += self._text_height
            top += _space_after(part) * self._text_height

    def then(self, action: Action) -> Action:
        """Return what closes this card and then does something."""

        def close_first() -> None:
            self.app.pop()
            action()

        return close_first


def _wrapped(part: Line, letters: pygame.font.Font, width: int) -> list[Line]:
    """Return the lines of a paragraph; what a key does may take several, the later ones without the key."""
    if isinstance(part, str):
        return [*wrap(part, letters, width)]
    first, *others = wrap(part[1], letters, round((1 - KEYS) * width) - KEY_GAP)
    return [(part[0], first), *(("", other) for other in others)]


def _space_after(part: Sequence[Line]) -> float:
    """Return the distance between a paragraph and the next, in lines."""
    return 0.4 if isinstance(part[0], str) else 0.1


class MenuScreen(CardScreen):
    """A list of entries; choosing one closes it.

    Args:
        app: The app.
        heading: The heading.
        entries: The entries; their actions are called after the menu is closed.
    """

    def __init__(self, app: App, heading: str, entries: Sequence[Entry]) -> None:
        super().__init__(app, heading)
        self._entries = [entry._replace(action=self.then(entry.action)) for entry in entries]

    def entries(self) -> Sequence[Entry]:
        """Return the entries."""
        return self._entries


class RulesScreen(CardScreen):
    """The rules of a puzzle, and its keys.

    Args:
        app: The app.
        puzzle: The puzzle.
        config: The environment that is played, on whose options the rules depend.
        brief: Show only the first paragraph and the keys, until the person asks for more.

    Raises:
        ValueError: The puzzle has no wording.
    """

    wide, align = 18, "left"

    def __init__(self, app: App, puzzle: Puzzle, config: EnvConfig, brief: bool = False) -> None:
        super().__init__(app, puzzle.title)
        self.brief = brief
        rules = wording_of(puzzle).rules(config)
        self._first = rules.partition("\n\nActions")[0].split("\n\n")
        self._rules = [part for part in rules.splitlines() if part.strip()]
        self._key_words = "; ".join(f"{key}: {do}" for key, do in controls(puzzle, config.options, app.preferences))

    def lines(self) -> Sequence[Line]:
        """Return the sentences."""
        count = 2 if self._first[0].endswith(":") else 1  # what the first one announces belongs to it
        first = [line for part in self._first[:count] for line in part.splitlines()]
        return [*(first if self.brief else self._rules), f"{self._key_words}."]

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""

        def more() -> None:
            self.brief = False
            self.open(self.size)

        return (Entry("Play", self.back, "space"), *((Entry("More rules", more, "r"),) if self.brief else ()))


class _GameCard(CardScreen):
    """A card above a game.

    Args:
        app: The app.
        playing: The game's screen.
    """

    def __init__(self, app: App, playing: PlayingScreen) -> None:
        super().__init__(app, "Paused")
        self.playing = playing

    def _ways_out(self) -> tuple[Entry, ...]:
        """Return the buttons that lead to other screens."""
        app, playing = self.app, self.playing

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


class PauseScreen(_GameCard):
    """A menu above the game; arguments as for :class:`_GameCard`."""

    def lines(self) -> Sequence[Line]:
        """Return the level's number."""
        game = self.playing.game
        count = "" if game.count is None else f"Level {game.number + 1} of {game.count}: "
        return (f"{count}{game.title}",)

    def entries(self) -> Sequence[Entry]:
        """Return the menu."""
        answer, game = self.playing.answer, self.playing.game
        rules = functools.partial(self.app.show, "rules", game.puzzle, game.env.config)
        return (
            Entry("Resume", self.back, "space"),
            Entry("Restart the level", self.then(self.playing.restart), "home"),
            answer._replace(action=self.then(answer.action)),
            Entry("Rules", rules, "r", lambda: has_rules(game.puzzle)),
            Entry("Settings", lambda: self.app.show("settings"), "s"),
            *self._ways_out(),
            Entry("Quit", self.app.quit),
        )


class VictoryScreen(_GameCard):
    """The end of a solved level: stars and numbers; arguments as for :class:`_GameCard`."""

    wide = 21

    def __init__(self, app: App, playing: PlayingScreen) -> None:
        super().__init__(app, playing)
        game = playing.game
        last = game.count is not None and not game.has(1)
        hints = f" with {plural(game.hints, 'hint')}" if game.hints else ""
        self.heading = f"Solved{' – that was the last level' if last else ''}{hints}"
        self.numbers = score_line(game, app.progress)
        self.stars = stars(self.numbers, game.hints)
        self._shown = ""
        self.waiting = True

    def lines(self) -> Sequence[Line]:
        """Return the stars, the numbers, and what an agent would have done."""
        self._shown = self.playing.hindsight_words
        drawn = "★" * self.stars + "☆" * (3 - self.stars)
        return [part for part in (drawn, *map(str, self.numbers), self._shown) if part]

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        playing = self.playing
        number, answer = playing.game.number, playing.answer
        return (
            Entry("Next level", self.then(lambda: playing.go_to(number + 1)), "n", lambda: playing.game.has(1)),
            Entry("Replay my solution", self.then(playing.replay), "r"),
            answer._replace(action=self.then(answer.action)),
            Entry("Play again", self.then(playing.restart), "home"),
            *self._ways_out(),
        )

    def tick(self, seconds: float) -> None:
        """Receive what an agent would have done."""
        self.dirty = self.playing.poll_ending() or self.dirty
        if self.playing.hindsight_words != self._shown:
            self.open(self.size)
        self.waiting = self.playing.agent_plays


class HelpScreen(CardScreen):
    """A list of keys and gestures, above their screen.

    Args:
        app: The app.
        screen: The screen.
    """

    wide = 18

    def __init__(self, app: App, screen: Screen) -> None:
        super().__init__(app, "Keys and gestures")
        entries, keys = screen.keys(), dict[str, list[str]]()
        for key, words in (*entries, *(entry for entry in COMMON if entry[0] not in dict(entries))):
            keys.setdefault(words, []).append(key)
        self.keys_listed = [(", ".join(each), words) for words, each in keys.items()]
        self.page = 0

    @property
    def _most(self) -> int:
        """The number of keys on a page, with which the text has about the size that the person has chosen."""
        room = self.size[1] - MARGIN - 2 * self.line - 2 * (self.line + GAP)
        return max(int(room / (1.1 * self.text)), 1)

    def lines(self) -> Sequence[Line]:
        """Return the keys of the page, each with its meaning."""
        return self.keys_listed[self.page * self._most :][: self._most]

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        pages = -(-len(self.keys_listed) // self._most)

        def turn() -> None:
            self.page = (self.page + 1) % pages
            self.open(self.size)

        more = (Entry(f"More keys ({self.page + 1} of {pages})", turn, "space"),) if pages > 1 else ()
        return *more, Entry("Close", self.back, "f1")


class SettingsScreen(CardScreen):
    """A button for each setting, which changes to the next value and saves it."""

    wide = 18

    def __init__(self, app: App) -> None:
        super().__init__(app, "Settings")

    @property
    def line(self) -> int:
        """The height of a button; it does not depend on the text size, so that buttons stay under the mouse."""
        return min(self.size[1] // 13, self.size[0] // 16)

    def entries(self) -> Sequence[Entry]:
        """Return the settings."""
        now = self.app.preferences
        entries = [
            self._setting("Text size", now.text_size, TEXT_SIZES, lambda size: replace(now, text_size=size)),
            self._setting("Colours", now.theme, THEMES, lambda theme: replace(now, theme=theme)),
        ]
        for puzzle in all_puzzles():
            own: list[tuple[str, str, Sequence[Any]]] = (
                [("style", "style", puzzle.styles)] if len(puzzle.styles) > 1 else []
            )
            own += [(each.name, each.words, (each.at_first, not each.at_first)) for each in puzzle.switches]
            for name, words, values in own:
                chosen = now.chosen(puzzle.name, name, values[0])
                choose = functools.partial(now.choosing, puzzle.name, name)
                entries.append(self._setting(f"{puzzle.title}: {words}", chosen, values, choose))
        return [*entries, Entry("Back", self.back)]

    def _setting(self, words: str, now: Any, values: Sequence[Any], choose: Callable[[Any], Preferences]) -> Entry:
        """Return the button that goes to the next of some values, the first of which is the default."""
        now = now if now in values else values[0]
        shown = ("on" if now else "off") if isinstance(now, bool) else now

        def change() -> None:
            self.app.progress.save_preferences(choose(values[(values.index(now) + 1) % len(values)]))
            self.app.apply_preferences()

        return Entry(f"{words}: {shown}", change)
