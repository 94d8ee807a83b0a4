"""Generating: new levels appear as thumbnails while they are made; play or save them."""

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

import pygame

from ...engine.messages import plural
from ...engine.puzzle import Puzzle, load_puzzle
from ...engine.scene import Scene
from ...registration import ENVIRONMENTS
from ..arguments import all_puzzles
from ..editing import file_for, own_folder
from ..level_maker import COUNTS, LevelMaker, label_of, maker_presets
from ..preferences import playing_settings
from .app import App
from .board_view import thumbnail
from .cards import save_buttons
from .pages import Thumbnails
from .screen import Action, Entry, Screen


class GeneratingScreen(Screen):
    """Settings on the left, levels on the right.

    Args:
        app: The app.
        puzzle: The puzzle; None for the suite's last one, whose levels take longest to make.
    """

    help = (("G, while it generates", "stop; what is made stays"), ("click", "play a level"), ("wheel", "other pages"))

    def __init__(self, app: App, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self.grid = Thumbnails(self._picture)
        kept, app.level_maker = app.level_maker, None
        if kept is not None and puzzle in (None, kept.puzzle):
            self.maker = kept
        else:
            if kept is not None:
                kept.stop()
            self.maker = LevelMaker(puzzle or load_puzzle(ENVIRONMENTS[-1].puzzle))
        self.revealed = False
        self._layout = False, False

    def choose(self, puzzle: Puzzle) -> None:
        """Make levels of another puzzle; those made so far are gone."""
        self.maker.stop()
        self.maker, self.revealed = LevelMaker(puzzle), False
        self._forget()

    def _forget(self) -> None:
        self.grid.clear()
        self.grid.page = 0
        self.open(self.size)

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out settings, thumbnails and buttons."""
        width, line, gap, maker, grid = self.size[0], self.line, self.gap, self.maker, self.grid
        busy, some = self._layout = maker.busy, bool(maker.levels)
        self._title = self.message_box = pygame.Rect(gap, gap, width - 2 * gap, line)
        entries = [
            Entry("Back", self.back, "escape"),
            Entry("Stop", self._stop, "g")
            if busy
            else Entry("Generate more" if some else "Generate", self._start, "g"),
            Entry("Previous page", lambda: self._turn(-1), "pageup", lambda: grid.has(-1)),
            Entry("Next page", lambda: self._turn(1), "pagedown", lambda: grid.has(1)),
            Entry("Save as a pack", self._save, "s", lambda: some),
            Entry("Clear", self._clear, "delete", lambda: some),
        ]
        if maker.puzzle.hidden is not None:
            entries.append(Entry("Hide again" if self.revealed else "Show everything", self._reveal, "v", lambda: some))
        buttons = self.toolbar(entries)
        if self.focus.point is None:
            self.focus.point = buttons[1].rect.center
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 3, 150), 10 * line), self.floor - line - 3 * gap)
        area = pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height)
        self._bar = pygame.Rect(area.left, self._title.bottom, area.width, 6)
        grid.count = len(maker.levels)
        grid.lay_out(self, area)
        self._build_settings(side)
        self.waiting = True

    def _build_settings(self, side: pygame.Rect) -> None:
        maker, gap = self.maker, self.gap
        menus = [("puzzle", [puzzle.title for puzzle in self.puzzles], maker.puzzle.title)]
        menus.append(("levels", [str(count) for count in COUNTS], str(maker.count)))
        presets = maker_presets(maker.puzzle)
        menus += [(name, [*labels], label_of(labels, maker.chosen)) for name, labels in presets.items()]
        pitch = min(self.line + gap, side.height // (len(menus) + 1))
        self._labels = []
        for k, (name, entries, chosen) in enumerate(menus):
            row = pygame.Rect(side.left, side.top + k * pitch, side.width, pitch - gap // 2)
            half = round(0.45 * row.width)
            words = name.replace("_", " ")
            self._labels.append((words, pygame.Rect(row.left, row.top, half - 6, row.height)))
            place = pygame.Rect(row.left + half, row.top, row.width - half, row.height)
            self.menu(place, words, entries, chosen, functools.partial(self._set, name))

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the levels of this page."""
        return [(self.grid.cell(number), functools.partial(self.play, number)) for number in self.grid.visible]

    def handle(self, event: pygame.event.Event) -> None:
        """Turn pages with the wheel."""
        if event.type == pygame.MOUSEWHEEL:
            self._turn(-event.y)

    def _set(self, name: str, text: str) -> None:
        maker = self.maker
        if name == "puzzle":
            self.choose(next(puzzle for puzzle in self.puzzles if puzzle.title == text))
        elif name == "levels":
            maker.count = int(text)
        else:
            maker.chosen |= maker_presets(maker.puzzle)[name][text]
        self.open(self.size)

    # -- time and pictures -----------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive levels, and draw one more thumbnail."""
        shown = int(self.maker.seconds)
        if self.maker.poll() or int(self.maker.seconds) != shown:
            self.dirty = True
        self.grid.count = len(self.maker.levels)
        drawn = self.grid.draw_next()
        self.dirty = self.dirty or drawn
        if self._layout != (self.maker.busy, bool(self.maker.levels)):
            self.open(self.size)
        self.waiting = self.maker.busy or drawn

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the settings and the levels."""
        super().draw(surface)
        maker = self.maker
        pages = f", page {self.grid.page + 1} of {self.grid.pages}" if self.grid.pages > 1 else ""
        colour = self.theme.bad if maker.error else self.theme.accent
        self.write(surface, f"New levels of {maker.puzzle.title}: {maker.status()}{pages}", self._title, colour)
        for words, rect in self._labels:
            self.write(surface, words, rect, self.theme.faint, align="right")
        if maker.busy:
            self._draw_progress(surface)
        for number in self.grid.visible:
            self.grid.paint(self, surface, number, self._caption(number), self.theme.faint, "")

    def _draw_progress(self, surface: pygame.Surface) -> None:
        """Draw a progress bar below the title."""
        bar = self._bar
        pygame.draw.rect(surface, self.theme.card, bar, border_radius=3)
        done = pygame.Rect(bar.topleft, (round(self.maker.share * bar.width), bar.height))
        pygame.draw.rect(surface, self.theme.good, done, border_radius=3)

    def _picture(self, number: int, size: tuple[int, int]) -> pygame.Surface:
        return thumbnail(self.maker.puzzle, self._scene(number), size, self.theme.card)

    def _scene(self, number: int) -> Scene:
        puzzle, level = self.maker.puzzle, self.maker.parsed(number)
        scene = puzzle.first_scene(level)
        settings = playing_settings(self.app.preferences, puzzle)
        scene = dataclasses.replace(scene, options=dataclasses.replace(scene.options, **settings))
        return puzzle.revealed(scene) if self.revealed else scene

    def _caption(self, number: int) -> str:
        difficulty = self.maker.levels[number].difficulty
        if difficulty is None:
            return str(number + 1)
        name, value = next(iter(difficulty.numbers().items()))
        return f"{number + 1}: {value:g} {name.replace('_', ' ')}"

    # -- what can be done ------------------------------------------------------------------------------

    def play(self, number: int) -> None:
        """Play a level, by its number from 0."""
        self.maker.stop()
        settings = playing_settings(self.app.preferences, self.maker.puzzle)
        self.app.show("playing", self.maker.game(number, **settings), "the new levels")

    def leave(self) -> None:
        """Keep the levels and let the job go on, until this screen is opened again or the app ends."""
        if self.maker.levels or self.maker.busy:
            self.app.level_maker = self.maker
        if self.maker.busy:
            self.app.say("levels are still being generated; stop it in the same place")

    def _start(self) -> None:
        try:
            self.maker.start()
        except (ValueError, OSError) as error:
            self.app.say(str(error))
        self.waiting = True

    def _stop(self) -> None:
        self.maker.stop()
        self.waiting = True

    def _clear(self) -> None:
        self.maker.clear()
        self._forget()

    def _reveal(self) -> None:
        self.revealed = not self.revealed
        self.grid.clear()
        self.open(self.size)

    def _turn(self, pages: int) -> None:
        self.grid.turn(pages)
        self.waiting = self.dirty = True

    def _save(self) -> None:
        """Ask for the file to save the levels to."""
        maker = self.maker

        def save(path: Path, replace: bool) -> None:
            maker.save(path, replace)
            self.app.say(f"saved {plural(len(maker.levels), 'level')}: {path}")

        path = file_for(own_folder(self.app.progress, maker.puzzle), f"new {maker.puzzle.name.replace('_', ' ')}")
        if maker.levels:
            self.app.show("asking", "Save the levels as a pack", str(path), save_buttons(save))
