"""The settings; each change is saved at once."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import pygame

from ...engine.puzzle import Puzzle
from ..arguments import all_puzzles
from ..preferences import TEXT_SIZES, THEMES
from .screen import Entry, Screen


class SettingsScreen(Screen):
    """A button for each setting, which changes to the next value."""

    def build(self) -> None:
        """Lay out the settings."""
        width, height = self.size
        chosen = self.app.preferences
        entries = (
            Entry(f"Theme: {chosen.theme}", lambda: self._next("theme", THEMES)),
            Entry(f"Text size: {chosen.text_size} %", lambda: self._next("text_size", TEXT_SIZES)),
            Entry(f"Animation: {_switch(chosen.animation)}", lambda: self._next("animation", (True, False))),
            Entry(f"Full screen: {_switch(chosen.full_screen)}", self.app.toggle_full_screen),
            *self._own(),
            Entry("Back", self.back, "escape"),
        )
        # The rows do not depend on the text size, so that they stay under the mouse when it is changed.
        pitch = min(height // (len(entries) + 2), width // 22)
        self._box = pygame.Rect(0, 0, min(18 * pitch, width - 20), pitch * (len(entries) + 1) + 8)
        self._box.center = (width // 2, height // 2)
        for k, entry in enumerate(entries):
            top = self._box.top + (k + 1) * pitch
            self.button(pygame.Rect(self._box.left + 20, top, self._box.width - 40, pitch - 6), entry)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and its title."""
        super().draw(surface)
        self.card(surface, self._box)
        title = pygame.Rect(self._box.left, self._box.top + 6, self._box.width, self._box.height // 14)
        self.write(surface, "Settings", title, self.theme.accent, 0.8 * self.line)

    def _next(self, name: str, values: Sequence[Any]) -> None:
        now = values.index(getattr(self.app.preferences, name))
        following = values[(now + 1) % len(values)]
        self.app.progress.save_preferences(dataclasses.replace(self.app.preferences, **{name: following}))
        self.app.apply_preferences()

    def _own(self) -> list[Entry]:
        """Return the buttons for the puzzles' styles and switches."""
        entries: list[Entry] = []
        for puzzle in all_puzzles():
            if len(puzzle.styles) > 1:
                entries.append(self._choice(puzzle, "style", "style", {style: style for style in puzzle.styles}))
            for each in puzzle.switches:
                states = {on: "on" if on else "off" for on in (each.at_first, not each.at_first)}
                entries.append(self._choice(puzzle, each.name, f"{each.words}:", states))
        return entries

    def _choice(self, puzzle: Puzzle, name: str, label: str, values: Mapping[Any, str]) -> Entry:
        """Return the button for a puzzle's setting; ``values`` maps its values to labels, the default first."""
        allowed = list(values)
        now = self.app.preferences.chosen(puzzle.name, name, allowed[0])
        following = allowed[(allowed.index(now) + 1) % len(allowed)] if now in allowed else allowed[0]

        choose = functools.partial(self._choose, puzzle, name, following)
        return Entry(f"{puzzle.title}: {label} {values[now if now in allowed else allowed[0]]}", choose)

    def _choose(self, puzzle: Puzzle, name: str, value: Any) -> None:
        self.app.progress.save_preferences(self.app.preferences.choosing(puzzle.name, name, value))
        self.app.apply_preferences()


def _switch(on: bool) -> str:
    return "on" if on else "off"
