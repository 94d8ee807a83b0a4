"""The settings; each is kept at once."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import pygame

from ..arguments import all_puzzles
from ..preferences import TEXT_SIZES, THEMES
from .host import Host
from .screen import Entry, Screen


class SettingsScreen(Screen):
    """A button for each setting, which changes to the next value.

    Args:
        app: The app.
    """

    def __init__(self, app: Host) -> None:
        super().__init__(app)
        self._styles = [(puzzle, puzzle.styles) for puzzle in all_puzzles() if len(puzzle.styles) > 1]

    def build(self) -> None:
        """Lay out the settings."""
        width, height = self.size
        chosen = self.app.preferences
        entries: list[Entry] = [
            (f"Theme: {chosen.theme}", lambda: self._next("theme", THEMES)),
            (f"Text size: {chosen.text_size} %", lambda: self._next("text_size", TEXT_SIZES)),
            (f"Animation: {_switch(chosen.animation)}", lambda: self._next("animation", (True, False))),
            (f"Sound: {_switch(chosen.sound)}", lambda: self._next("sound", (True, False))),
            *(
                (f"{puzzle.title}: style {self._style(puzzle)}", functools.partial(self._next_style, puzzle))
                for puzzle, _ in self._styles
            ),
            ("Back", self.back, "escape"),
        ]
        box = pygame.Rect(0, 0, min(560, width - 20), min((len(entries) + 2) * (self.line + 8), height - 10))
        box.center = (width // 2, height // 2)
        self._box = box
        top = box.top + round(1.5 * self.line)
        self.column(pygame.Rect(box.left + 20, top, box.width - 40, box.bottom - top - 8), entries)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and its title."""
        super().draw(surface)
        self.card(surface, self._box)
        title = pygame.Rect(self._box.left, self._box.top + 6, self._box.width, self.line)
        self.write(surface, "Settings", title, self.theme.accent, 0.8 * self.line)

    def _next(self, name: str, values: Sequence[Any]) -> None:
        now = values.index(getattr(self.app.preferences, name))
        following = values[(now + 1) % len(values)]
        self.app.progress.save_preferences(dataclasses.replace(self.app.preferences, **{name: following}))
        self.app.apply_preferences()

    def _style(self, puzzle: Any) -> str:
        return str(self.app.preferences.chosen(puzzle.name, "style", puzzle.styles[0]))

    def _next_style(self, puzzle: Any) -> None:
        styles = puzzle.styles
        following = styles[(styles.index(self._style(puzzle)) + 1) % len(styles)]
        self.app.progress.save_preferences(self.app.preferences.choosing(puzzle.name, "style", following))
        self.app.apply_preferences()


def _switch(on: bool) -> str:
    return "on" if on else "off"
