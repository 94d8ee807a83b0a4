"""Cards above a screen: a menu, sentences, the rules of a puzzle, and a line of text to fill in."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pygame

from ...engine.config import EnvConfig
from ...engine.pictures import painting
from ...engine.puzzle import Puzzle
from ...engine.wording import wording_of
from ..game import PlaySession
from ..preferences import controls
from .app import App
from .screen import Entry, Screen

TextUse = tuple[str, Callable[[str], bool], Callable[[str], Any]]
"""The label of a button, whether it can be pressed with this text, and what it does with it.

It may return a function, which is called when the screen is closed.
"""
SEEN = "rules_seen"
"""The name of a puzzle's choice that is set once its rules were shown."""


def save_buttons(save: Callable[[Path, bool], Any]) -> tuple[TextUse, ...]:
    """Return the buttons for the path of a file; ``save(path, replace)`` writes it."""

    def exists(text: str) -> bool:
        return Path(text).expanduser().is_file()

    def use(replace: bool) -> Callable[[str], Any]:
        return lambda text: save(Path(text).expanduser(), replace)

    return ("Save", lambda text: not exists(text), use(False)), ("Replace it", exists, use(True))


class MenuScreen(Screen):
    """A list of entries; choosing one closes it.

    Args:
        app: The app.
        heading: The heading.
        entries: The entries; their actions are called after the menu is closed.
        chosen: The label of the entry that is selected at first; empty for the first.
        origin: The rectangle of the button that has opened it, below which it is shown; None for the middle.
    """

    overlay = True
    help = (("↑ ↓, wheel", "other entries"), ("Enter", "choose"), ("click elsewhere", "close"))

    def __init__(
        self, app: App, heading: str, entries: Sequence[Entry], chosen: str = "", origin: pygame.Rect | None = None
    ) -> None:
        super().__init__(app)
        self.heading, self.entries, self.origin = heading, entries, origin
        self.first = 0
        self._chosen = next((k for k, entry in enumerate(entries) if entry.label == chosen), 0)

    def build(self) -> None:
        """Lay out the entries; if there are too many, those around the chosen one."""
        width, height = self.size
        pitch = self.line + 4
        self._shown = shown = min(len(self.entries), max((height - self.line - 24) // pitch, 1))
        self.first = min(max(self._chosen - shown // 2, 0), len(self.entries) - shown)
        wide = min(max(12 * self.line, 0 if self.origin is None else self.origin.width), width - 8)
        self._box = pygame.Rect(0, 0, wide, self.line + shown * pitch + 12)
        if self.origin is None:
            self._box.center = (width // 2, height // 2)
        else:
            self._box.topleft = self.origin.topleft
        self._box.clamp_ip(pygame.Rect(0, 0, width, height).inflate(-4, -4))
        for k in range(shown):
            place = pygame.Rect(self._box.left + 8, self._box.top + self.line + 4 + k * pitch, wide - 16, self.line)
            entry = self.entries[self.first + k]
            made = self.button(place, entry._replace(action=lambda entry=entry: self._choose(entry)))  # type: ignore[misc]
            if self.first + k == self._chosen:
                self.focus.point = made.rect.center
        self.on_key("escape", self.back)
        self.on_key("up", lambda: self._step(-1))
        self.on_key("down", lambda: self._step(1))
        self.on_key("pageup", lambda: self._step(-shown))
        self.on_key("pagedown", lambda: self._step(shown))
        self.on_key("return", lambda: self._choose(self.entries[self._chosen]))

    def handle(self, event: pygame.event.Event) -> None:
        """Show other entries with the wheel; a click outside closes the menu."""
        if event.type == pygame.MOUSEWHEEL:
            self._step(-event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and not self._box.collidepoint(event.pos):
            self.back()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the heading."""
        self.card(surface, self._box, self.theme.accent)
        top = pygame.Rect(self._box.left + 8, self._box.top, self._box.width - 16, self.line)
        self.write(surface, self.heading, top, self.theme.faint)
        marks = "▲" * (self.first > 0) + "▼" * (self.first + self._shown < len(self.entries))
        self.write(surface, marks, top, self.theme.accent, align="right")

    def _step(self, step: int) -> None:
        self._chosen = min(max(self._chosen + step, 0), len(self.entries) - 1)
        self.open(self.size)
        self.focus.shown = True

    def _choose(self, entry: Entry) -> None:
        self.app.pop()
        entry.action()


class CardScreen(Screen):
    """A heading, paragraphs and buttons.

    Args:
        app: The app.
        heading: The heading.
        paragraphs: The paragraphs.
    """

    overlay = True

    def __init__(self, app: App, heading: str, paragraphs: Sequence[str]) -> None:
        super().__init__(app)
        self.heading, self.paragraphs = heading, paragraphs

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        return (Entry("Close", self.back, "return"),)

    def build(self) -> None:
        """Lay out the text, as large as fits, and the buttons."""
        width, height = self.size
        line = self.line
        self._box = pygame.Rect(0, 0, min(width - 20, 36 * self.text), height - 20)
        self._text_height = 1.2 * self.text
        while True:
            letters = painting.font(self._text_height)
            wrapped = [wrap(part, letters, self._box.width - 40) for part in self.paragraphs]
            needed = (sum(map(len, wrapped)) + 0.5 * len(wrapped)) * self._text_height + 3.2 * line
            if needed <= self._box.height or self._text_height <= painting.SMALLEST_TEXT + 1:
                break
            self._text_height -= 1
        self._wrapped = wrapped
        self._box.height = min(round(needed), self._box.height)
        self._box.center = (width // 2, height // 2)
        entries = self.entries()
        place = pygame.Rect(0, 0, min(7 * line * len(entries), self._box.width - 40), line)
        place.midbottom = self._box.centerx, self._box.bottom - line // 3
        self.row(place, entries)
        for key in ("escape", "space"):
            self.on_key(key, self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the text."""
        box, theme = self._box, self.theme
        self.card(surface, box, theme.accent)
        heading = pygame.Rect(box.left, box.top + 8, box.width, self.line)
        self.write(surface, self.heading, heading, theme.accent, 0.8 * self.line)
        top = heading.bottom + 0.3 * self.line
        for part in self._wrapped:
            for words in part:
                row = pygame.Rect(box.left + 20, round(top), box.width - 40, round(self._text_height))
                painting.write(surface, words, row, theme.ink, self._text_height, "left")
                top += self._text_height
            top += 0.5 * self._text_height


def wrap(text: str, letters: pygame.font.Font, width: int) -> list[str]:
    """Return the lines of a text that are not wider than ``width``, except for single words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and letters.size(longer)[0] > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class RulesScreen(CardScreen):
    """The rules of a puzzle, and its keys.

    Args:
        app: The app.
        puzzle: The puzzle.
        config: The environment that is played, on whose options the rules depend.

    Raises:
        ValueError: The puzzle has no wording.
    """

    def __init__(self, app: App, puzzle: Puzzle, config: EnvConfig) -> None:
        rules = wording_of(puzzle).rules(config)
        keys = "; ".join(f"{key}: {words}" for key, words in controls(puzzle, config.options, app.preferences))
        super().__init__(app, puzzle.title, [*(part for part in rules.splitlines() if part.strip()), f"{keys}."])

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        return (Entry("Play", self.back, "return"),)


def has_rules(puzzle: Puzzle) -> bool:
    """Return whether a puzzle's rules are written in sentences."""
    try:
        wording_of(puzzle)
    except ValueError:
        return False
    return True


def teach(app: App, game: PlaySession) -> None:
    """Show the rules above a game if it is the person's first of this puzzle."""
    puzzle = game.puzzle
    if app.teaches and has_rules(puzzle) and not app.preferences.chosen(puzzle.name, SEEN, False):
        app.progress.save_preferences(app.preferences.choosing(puzzle.name, SEEN, True))
        app.show("rules", puzzle, game.env.config)


class AskingScreen(Screen):
    """A line of text, and buttons.

    Args:
        app: The app.
        heading: The heading.
        text: The initial text.
        uses: The buttons. Enter presses the first enabled one. A ValueError or OSError is shown, and the person can
            change the text.
    """

    overlay = True
    help = (("Enter", "the first button"),)

    def __init__(self, app: App, heading: str, text: str, uses: Sequence[TextUse]) -> None:
        super().__init__(app)
        self.heading, self.answer, self.uses = heading, text, uses
        self.error = ""

    def build(self) -> None:
        """Lay out the line and the buttons."""
        width, height = self.size
        line = self.line
        box = pygame.Rect(0, 0, min(25 * line, width - 20), min(round(5.4 * line), height - 8))
        box.center = (width // 2, height // 2)
        self._box = box
        inside = pygame.Rect(box.left + 16, box.top + round(1.2 * line), box.width - 32, line)
        self.entry = self.text_line(inside, self.answer, self._type, self._enter)
        self.ui.set_focus_set(self.entry)
        self.entry.edit_position = len(self.answer)
        self.entry.select_range = [0, len(self.answer)]
        self._words = inside.move(0, round(1.15 * line))
        row = inside.move(0, round(2.6 * line))
        entries = [
            Entry(label, functools.partial(self._use, use), "", functools.partial(self._suits, suits))
            for label, suits, use in self.uses
        ]
        self.row(row, [*entries, Entry("Cancel", self.back, "escape")])

    def take(self, event: pygame.event.Event) -> None:
        """Cancel on Esc, even while something is typed."""
        if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self.back()
        else:
            super().take(event)

    def _type(self, text: str) -> None:
        self.answer, self.error, self.dirty = text, "", True

    def _enter(self) -> None:
        """Press the first button that can be pressed."""
        use = next((use for _, suits, use in self.uses if self._suits(suits)), None)
        if use is not None:
            self._use(use)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the error."""
        self.card(surface, self._box, self.theme.accent)
        top = pygame.Rect(self._box.left, self._box.top + 6, self._box.width, self.line)
        self.write(surface, self.heading, top, self.theme.accent)
        self.write(surface, self.error, self._words, self.theme.bad)

    def _suits(self, suits: Callable[[str], bool]) -> bool:
        return bool(self.answer.strip()) and suits(self.answer)

    def _use(self, use: Callable[[str], Any]) -> None:
        try:
            then = use(self.answer.strip())
        except OSError as error:
            self.error = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        except ValueError as error:
            self.error = str(error)
        else:
            self.back()
            if then is not None:
                then()
            return
        self.ui.set_focus_set(self.entry)
        self.dirty = True
