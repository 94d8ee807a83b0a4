"""The screen that asks for a line of text."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pygame

from .host import Host
from .screen import Entry, Screen

TextUse = tuple[str, Callable[[str], bool], Callable[[str], Any]]
"""The label of a button, whether it can be pressed with this text, and what it does with it.

It may return a function, which is called when the screen is closed.
"""


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

    def __init__(self, app: Host, heading: str, text: str, uses: Sequence[TextUse]) -> None:
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
        first, last = self.selected
        self.entry.edit_position = last
        self.entry.select_range = [first, last]
        self._words = inside.move(0, round(1.15 * line))
        row = inside.move(0, round(2.6 * line))
        entries = [
            Entry(label, functools.partial(self._use, use), "", functools.partial(self._suits, suits))
            for label, suits, use in self.uses
        ]
        self.row(row, [*entries, *self.others(), Entry("Cancel", self.back, "escape")])

    @property
    def selected(self) -> tuple[int, int]:
        """Where the part of the text that is selected at first begins, and where it ends."""
        return 0, len(self.answer)

    @property
    def remark(self) -> str:
        """What is said about the text."""
        return ""

    def others(self) -> Sequence[Entry]:
        """Return more buttons."""
        return ()

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
        self.write(surface, self.error or self.remark, self._words, self.theme.bad if self.error else self.theme.faint)

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
