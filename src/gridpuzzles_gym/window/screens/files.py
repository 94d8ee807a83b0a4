"""The screens that ask for the path of a file."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import pygame

from ...engine.puzzle import Puzzle
from ..model.trained_models import check_model, suggested
from .host import Host
from .screen import Entry, Screen

Use = Callable[[Path], None]
NEW, OLD, ANY = "new", "old", "any"
"""Which paths a button is for: those without a file, those with one, or both."""
MODEL = "a trained model…"
"""The entry of menus of agents for :func:`ask_for_model`."""


class FileScreen(Screen):
    """A line for the path of a file, and buttons.

    Args:
        app: The app.
        heading: The heading.
        path: The initial path.
        uses: (label, kind of paths, function) of each button. Enter presses the first enabled one. A ValueError or
            OSError is shown, and the person can change the path.
    """

    overlay = True
    help = (("Enter", "the first button"),)

    def __init__(self, app: Host, heading: str, path: Path, uses: Sequence[tuple[str, str, Use]]) -> None:
        super().__init__(app)
        self.heading, self.uses = heading, uses
        self.path = str(path)
        self.error = ""

    def build(self) -> None:
        """Lay out the line and the buttons."""
        width, height = self.size
        line = self.line
        box = pygame.Rect(0, 0, min(25 * line, width - 20), min(round(5.4 * line), height - 8))
        box.center = (width // 2, height // 2)
        self._box = box
        inside = pygame.Rect(box.left + 16, box.top + round(1.2 * line), box.width - 32, line)
        self.entry = self.text_line(inside, self.path, self._type, self._enter)
        self.ui.set_focus_set(self.entry)
        stem = len(self.path) - len(Path(self.path).name), len(self.path) - len(Path(self.path).suffix)
        self.entry.edit_position = stem[1]
        self.entry.select_range = list(stem)
        self._words = inside.move(0, round(1.15 * line))
        row = inside.move(0, round(2.6 * line))
        entries = [
            Entry(label, functools.partial(self._use, use), "", functools.partial(self._suits, kind))
            for label, kind, use in self.uses
        ]
        self.row(row, [*entries, Entry("Cancel", self.back, "escape")])

    def take(self, event: pygame.event.Event) -> None:
        """Cancel on Esc, even while something is typed."""
        if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            self.back()
        else:
            super().take(event)

    def _type(self, text: str) -> None:
        self.path, self.error, self.dirty = text, "", True

    def _enter(self) -> None:
        """Press the first button that can be pressed."""
        use = next((use for _, kind, use in self.uses if self._suits(kind)), None)
        if use is not None:
            self._use(use)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the error."""
        self.card(surface, self._box, self.theme.accent)
        top = pygame.Rect(self._box.left, self._box.top + 6, self._box.width, self.line)
        self.write(surface, self.heading, top, self.theme.accent)
        words = self.error or ("this file exists" if self._exists else "")
        self.write(surface, words, self._words, self.theme.bad if self.error else self.theme.faint)

    @property
    def _exists(self) -> bool:
        return Path(self.path).expanduser().is_file()

    def _suits(self, kind: str) -> bool:
        return kind in (ANY, OLD if self._exists else NEW) and bool(self.path.strip())

    def _use(self, use: Use) -> None:
        try:
            use(Path(self.path).expanduser())
        except OSError as error:
            self.error = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        except ValueError as error:
            self.error = str(error)
        else:
            self.back()
            return
        self.ui.set_focus_set(self.entry)
        self.dirty = True


def ask_for_model(app: Host, puzzle: Puzzle, use: Callable[[str], None]) -> None:
    """Ask for the path of a trained model; an unusable one is an error on that screen.

    Args:
        app: The app.
        puzzle: The puzzle that it has to play.
        use: Called with the path.
    """

    def check_and_use(path: Path) -> None:
        check_model(path, puzzle)
        use(str(path))

    uses = (("Let it play", ANY, check_and_use),)
    app.show("files", f"A model of {puzzle.title}: its file, or the folder of its training", suggested(puzzle), uses)
