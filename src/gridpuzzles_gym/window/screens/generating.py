"""Generating: new levels appear as thumbnails while they are made; play, save or print them."""

import dataclasses
from pathlib import Path
from typing import Any

import pygame
import pygame_gui

from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from ...session.arguments import all_puzzles
from ...session.choices import playing_settings
from ..model.level_making import COUNTS, LevelMaking
from ..model.own_levels import file_for, own_folder, sheets_folder
from ..views.board_view import thumbnail
from .files import NEW, OLD
from .host import Host
from .screen import Screen

_ANY = "any"
"""The menu entry for None."""
_CELL = 170
"""The approximate width of a thumbnail in pixels."""


class GeneratingScreen(Screen):
    """Settings on the left, levels on the right.

    Args:
        app: The app.
        puzzle: The puzzle; None for the last one, whose levels take longest to make.
    """

    help = (
        ("g", "generate"),
        ("g, while it generates", "stop; what is made stays"),
        ("click", "play a level"),
        ("← → or wheel", "other pages"),
        ("s", "save as a pack"),
        ("p", "print a sheet"),
        ("v", "show what is hidden, where something is"),
    )

    def __init__(self, app: Host, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self.page = 0
        self.making = LevelMaking(puzzle or self.puzzles[-1], app.progress)
        self.revealed = False
        self._pictures: dict[int, pygame.Surface] = {}
        self._drawn_for: Any = None
        self._layout = False, False

    def choose(self, puzzle: Puzzle) -> None:
        """Make levels of another puzzle; those made so far are saved."""
        self.making.stop()
        self.making, self.revealed = LevelMaking(puzzle, self.app.progress), False
        self._forget()

    def _forget(self) -> None:
        self._pictures.clear()
        self.page = 0
        self.open(self.size)

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out settings, thumbnails and buttons."""
        width, height = self.size
        line, gap, making = self.line, max(height // 80, 4), self.making
        busy, some = self._layout = making.busy, bool(making.levels)
        self._title = pygame.Rect(gap, gap, width - 2 * gap, line)
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 4, 150), 300), height - 2 * line - 4 * gap)
        self._area = pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height)
        self._columns = max(self._area.width // _CELL, 1)
        self._rows = max(self._area.height // (_CELL + line // 2), 1)
        if self._drawn_for != (self.size, line):
            self._drawn_for = self.size, line
            self._pictures.clear()
        self.waiting = True
        self._build_settings(side, gap)
        entries: list[tuple[str, Any, str]] = [
            ("Back", self.back, "escape"),
            ("Stop", self._stop, "g") if busy else ("Generate more" if some else "Generate", self._start, "g"),
            ("Previous page", lambda: self._turn(-1), "left"),
            ("Next page", lambda: self._turn(1), "right"),
            ("Save as a pack", self._save, "s"),
            ("Print a sheet", self._print, "p"),
            ("Clear", self._clear, "delete"),
        ]
        if making.puzzle.hidden is not None:
            entries.append(("Hide again" if self.revealed else "Show everything", self._reveal, "v"))
        buttons = self.row(pygame.Rect(gap, height - line - gap, width - 2 * gap, line), entries)
        for button, (label, _, _) in zip(buttons, entries, strict=True):
            if not some and label not in ("Back", "Stop", "Generate", "Previous page", "Next page"):
                button.disable()

    def _build_settings(self, side: pygame.Rect, gap: int) -> None:
        making = self.making
        menus: list[tuple[str, list[str | tuple[str, str]], str]]
        menus = [("puzzle", [puzzle.title for puzzle in self.puzzles], making.puzzle.title)]
        menus.append(("levels", [str(count) for count in COUNTS], str(making.count)))
        menus += [
            (name, [_shown(value) for value in values], _shown(making.chosen[name]))
            for name, values in making.offered.items()
        ]
        pitch = min(self.line + gap, side.height // (len(menus) + 2))
        self._labels, self._menus = [], {}
        for k, (name, entries, chosen) in enumerate(menus):
            row = pygame.Rect(side.left, side.top + k * pitch, side.width, pitch - gap // 2)
            half = round(0.45 * row.width)
            self._labels.append((name.replace("_", " "), pygame.Rect(row.left, row.top, half - 6, row.height)))
            place = pygame.Rect(row.left + half, row.top, row.width - half, row.height)
            self._menus[pygame_gui.elements.UIDropDownMenu(entries, chosen, place, self.ui)] = name
        place = pygame.Rect(side.left, side.top + len(menus) * pitch, side.width, pitch - gap // 2)
        self.entry = pygame_gui.elements.UITextEntryLine(
            place, self.ui, placeholder_text="more: name=value", initial_text=making.words
        )

    def handle(self, event: pygame.event.Event) -> None:
        """Handle menus, the line of settings, clicks on levels and the wheel."""
        if event.type == pygame_gui.UI_DROP_DOWN_MENU_CHANGED:
            self._set(self._menus[event.ui_element], event.text)
        elif event.type == pygame_gui.UI_TEXT_ENTRY_CHANGED:
            self.making.words = event.text
        elif event.type == pygame_gui.UI_TEXT_ENTRY_FINISHED:
            self.making.words = event.text
            self._start()
        elif event.type == pygame.MOUSEWHEEL:
            self._turn(-event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for number in self._visible():
                if self.cell(number).collidepoint(event.pos):
                    self.play(number)
                    return

    def _set(self, name: str, text: str) -> None:
        making = self.making
        if name == "puzzle":
            self.choose(next(puzzle for puzzle in self.puzzles if puzzle.title == text))
        elif name == "levels":
            making.count = int(text)
        else:
            making.chosen[name] = next(value for value in making.offered[name] if _shown(value) == text)

    # -- time and pictures -----------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive levels, and draw one more thumbnail."""
        shown = int(self.making.seconds)
        if self.making.poll() or int(self.making.seconds) != shown:
            self.dirty = True
        missing = [number for number in self._visible() if number not in self._pictures]
        if missing:
            number = missing[0]
            cell = self.cell(number)
            size = cell.width - 12, max(cell.height - self.line // 2 - 14, 4)
            self._pictures[number] = thumbnail(self.making.puzzle, self._scene(number), size)
            self.dirty = True
        if self._layout != (self.making.busy, bool(self.making.levels)):
            self.open(self.size)
        self.waiting = self.making.busy or bool(missing)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the settings and the levels."""
        super().draw(surface)
        making = self.making
        pages = f", page {self.page + 1} of {self.pages}" if self.pages > 1 else ""
        colour = self.theme.bad if making.error else self.theme.accent
        self.write(surface, f"New levels of {making.puzzle.title}: {making.status()}{pages}", self._title, colour)
        for words, rect in self._labels:
            self.write(surface, words, rect, self.theme.faint, align="right")
        if making.busy:
            self._draw_progress(surface)
        for number in self._visible():
            cell = self.cell(number)
            self.card(surface, cell)
            caption = pygame.Rect(cell.left + 4, cell.bottom - self.line // 2 - 4, cell.width - 8, self.line // 2)
            self.write(surface, self._caption(number), caption, self.theme.faint, self.line // 2)
            picture = self._pictures.get(number)
            if picture is not None:
                area = pygame.Rect(cell.left, cell.top + 4, cell.width, cell.height - self.line // 2 - 8)
                surface.blit(picture, picture.get_rect(center=area.center))

    def _draw_progress(self, surface: pygame.Surface) -> None:
        """Draw a progress bar below the title, and outlines of the levels to come."""
        bar = pygame.Rect(self._area.left, self._title.bottom - 2, self._area.width, 6)
        pygame.draw.rect(surface, self.theme.card, bar, border_radius=3)
        done = pygame.Rect(bar.topleft, (round(self.making.share * bar.width), bar.height))
        pygame.draw.rect(surface, self.theme.good, done, border_radius=3)
        first = len(self.making.levels)
        last = min(first + self.making.coming, (self.page + 1) * self.per_page)
        for number in range(max(first, self.page * self.per_page), last):
            pygame.draw.rect(surface, self.theme.card, self.cell(number), 2, border_radius=10)

    def _scene(self, number: int) -> Scene:
        puzzle, level = self.making.puzzle, self.making.parsed(number)
        scene = puzzle.first_scene(level)
        settings = playing_settings(self.app.preferences, puzzle)
        scene = dataclasses.replace(scene, options=dataclasses.replace(scene.options, **settings))
        return puzzle.revealed(scene) if self.revealed else scene

    def _caption(self, number: int) -> str:
        difficulty = self.making.levels[number].difficulty
        if difficulty is None:
            return str(number + 1)
        name, value = next(iter(difficulty.numbers().items()))
        return f"{number + 1}: {value:g} {name.replace('_', ' ')}"

    @property
    def per_page(self) -> int:
        """The number of thumbnails on a page."""
        return max(self._columns * self._rows, 1)

    @property
    def pages(self) -> int:
        """The number of pages."""
        return max(-(-len(self.making.levels) // self.per_page), 1)

    def _visible(self) -> range:
        first = self.page * self.per_page
        return range(first, min(first + self.per_page, len(self.making.levels)))

    def cell(self, number: int) -> pygame.Rect:
        """Return the rectangle of a level that is visible."""
        row, column = divmod(number - self.page * self.per_page, self._columns)
        wide, high = self._area.width // self._columns, self._area.height // self._rows
        return pygame.Rect(self._area.left + column * wide, self._area.top + row * high, wide - 6, high - 6)

    # -- what can be done ------------------------------------------------------------------------------

    def play(self, number: int) -> None:
        """Play a level, by its number from 0."""
        self.making.stop()
        settings = playing_settings(self.app.preferences, self.making.puzzle)
        self.app.show("playing", self.making.game(number, **settings), "the new levels")

    def leave(self) -> None:
        """End the job."""
        self.making.stop()

    def _start(self) -> None:
        try:
            self.making.start()
        except (ValueError, OSError) as error:
            self.app.say(str(error))
        self.waiting = True

    def _stop(self) -> None:
        self.making.stop()
        self.waiting = True

    def _clear(self) -> None:
        self.making.clear()
        self._forget()

    def _reveal(self) -> None:
        self.revealed = not self.revealed
        self._pictures.clear()
        self.open(self.size)

    def _turn(self, pages: int) -> None:
        self.page = min(max(self.page + pages, 0), self.pages - 1)
        self.waiting = self.dirty = True

    def _save(self) -> None:
        """Ask for the file to save the levels to."""
        making = self.making

        def save(path: Path, replace: bool = False) -> None:
            written = making.save(path, replace)
            self.app.say(f"saved {plural(len(making.levels), 'level')}: {written[0]}")

        path = file_for(own_folder(self.app.progress, making.puzzle), f"new {making.puzzle.name.replace('_', ' ')}")
        uses = (("Save", NEW, save), ("Replace it", OLD, lambda path: save(path, True)))
        if making.levels:
            self.app.show("files", "Save the levels as a pack", path, uses)

    def _print(self) -> None:
        """Ask for the picture file to draw the levels to."""
        making = self.making

        def write(path: Path, replace: bool = False) -> None:
            self.app.say(f"wrote {making.print(path, replace)[0]}")

        path = file_for(sheets_folder(self.app.progress), f"new {making.puzzle.name.replace('_', ' ')}", ".png")
        uses = (("Print", NEW, write), ("Replace it", OLD, lambda path: write(path, True)))
        if making.levels:
            self.app.show("files", "Print the levels as a picture", path, uses)


def _shown(value: Any) -> str:
    return _ANY if value is None else str(value)
