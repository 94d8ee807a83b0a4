"""Generating: new levels appear as thumbnails while they are made; play or save them."""

import dataclasses
import functools

import pygame

from ...engine.messages import plural
from ...engine.puzzle import Puzzle, load_puzzle
from ...engine.system.files import write_text
from ...registration import ENVIRONMENTS
from ..arguments import all_puzzles
from ..editing import new_level_file, own_folder
from ..level_maker import COUNTS, LevelMaker, label_of, maker_presets
from ..preferences import playing_settings
from .app import App
from .levels import PagesScreen
from .screen import Entry
from .widgets import thumbnail


class GeneratingScreen(PagesScreen):
    """Settings on the left, levels on the right.

    Args:
        app: The app.
        puzzle: The puzzle; None for the suite's last one, whose levels take longest to make.
    """

    help = (("G, while it generates", "stop; what is made stays"), *PagesScreen.help)

    def __init__(self, app: App, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self.maker = LevelMaker(puzzle or load_puzzle(ENVIRONMENTS[-1].puzzle))
        self._layout = False, False

    def choose(self, puzzle: Puzzle) -> None:
        """Make levels of another puzzle; those made so far are gone."""
        self.maker.stop()
        self.maker = LevelMaker(puzzle)
        self.pages.show(())
        self.open(self.size)

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out settings, thumbnails and buttons."""
        width, line, gap, maker = self.size[0], self.line, self.gap, self.maker
        busy, some = self._layout = maker.busy, bool(maker.levels)
        self._title = self.message_box = pygame.Rect(gap, gap, width - 2 * gap, line)
        start = Entry("Generate more" if some else "Generate", self._start, "g")
        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                Entry("Stop", self._stop, "g") if busy else start,
                *self._page_entries(),
                Entry("Save as a pack", self._save, "s", lambda: some),
            )
        )
        if self.focus.point is None:
            self.focus.point = self._buttons[1][0].rect.center
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 3, 150), 10 * line), self.floor - line - 3 * gap)
        self.pages.numbers = range(len(maker.levels))
        self.pages.lay_out(self, pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height))
        menus = [
            ("puzzle", [puzzle.title for puzzle in self.puzzles], maker.puzzle.title),
            ("levels", [str(count) for count in COUNTS], str(maker.count)),
        ]
        presets = maker_presets(maker.puzzle)
        menus += [(name, [*labels], label_of(labels, maker.chosen)) for name, labels in presets.items()]
        pitch = min(line + gap, side.height // (len(menus) + 1))
        self._labels = []
        for k, (name, entries, chosen) in enumerate(menus):
            row = pygame.Rect(side.left, side.top + k * pitch, side.width, pitch - gap // 2)
            half = round(0.45 * row.width)
            self._labels.append((name, pygame.Rect(row.left, row.top, half - 6, row.height)))
            place = pygame.Rect(row.left + half, row.top, row.width - half, row.height)
            self.menu(place, name, entries, chosen, functools.partial(self._set, name))
        self.waiting = True

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
        self.pages.numbers = range(len(self.maker.levels))
        drawn = self.pages.draw_next()
        self.dirty = self.dirty or drawn
        if self._layout != (self.maker.busy, bool(self.maker.levels)):
            self.open(self.size)
        self.waiting = self.maker.busy or drawn

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the settings and the levels."""
        super().draw(surface)
        maker = self.maker
        pages = f", page {self.pages.page + 1} of {self.pages.pages}" if self.pages.pages > 1 else ""
        colour = self.theme.bad if maker.error else self.theme.accent
        self.write(surface, f"New levels of {maker.puzzle.title}: {maker.status()}{pages}", self._title, colour)
        for words, rect in self._labels:
            self.write(surface, words, rect, self.theme.faint, align="right")
        for number in self.pages.visible:
            self.pages.paint(self, surface, number, self._caption(number), self.theme.faint)

    def _picture(self, number: int, size: tuple[int, int]) -> pygame.Surface:
        puzzle = self.maker.puzzle
        scene = puzzle.first_scene(puzzle.parse(self.maker.levels[number].board + "\n", "new level")[0])
        options = dataclasses.replace(scene.options, **playing_settings(self.app.preferences, puzzle))
        return thumbnail(puzzle, dataclasses.replace(scene, options=options), size, self.theme.card)

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
        """End the job."""
        self.maker.stop()

    def _start(self) -> None:
        try:
            self.maker.start()
        except OSError as error:
            self.app.say(str(error))
        self.waiting = True

    def _stop(self) -> None:
        self.maker.stop()
        self.waiting = True

    def _save(self) -> None:
        """Save the levels as a pack among the person's own."""
        maker = self.maker
        path = new_level_file(own_folder(self.app.progress, maker.puzzle), "new levels")
        try:
            write_text(path, maker.text)
        except OSError as error:
            self.app.say(str(error))
        else:
            self.app.say(f"saved {plural(len(maker.levels), 'level')}: {path}")
