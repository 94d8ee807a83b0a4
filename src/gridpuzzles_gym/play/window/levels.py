"""The levels of a puzzle: packs, files and generated instances, page by page."""

import dataclasses
import functools
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pygame

from ...engine.arguments import integer
from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ..arguments import read_settings
from ..choices import (
    MenuEntry,
    by_difficulty,
    choices_of,
    ids_of,
    is_for_testing,
    own_entries,
)
from ..editing import can_be_drawn, own_folder
from ..game import PlaySession
from ..level_maker import label_of, option_presets, with_preset
from ..preferences import playing_settings
from ..puzzle_detection import UnclearError, puzzle_for
from ..texts import pasted_levels
from .app import App
from .board_view import thumbnail
from .pages import LevelPages
from .playing import PlayingScreen, as_line, pasted_text
from .screen import Action, Entry, Screen

MOST_SEEDS = 1_000_000
"""The seeds of generated levels are smaller, so that a person can remember them."""


class LevelsScreen(Screen):
    """Sources of levels on the left, thumbnails on the right.

    Args:
        app: The app.
        puzzle: The puzzle.
        level: A pack, or a file or folder with levels, to show first; None for the puzzle's first.
        playing: The game from which it is opened, in which another level is then played.

    Raises:
        ValueError: There are no valid levels in that file or folder.
    """

    help = (
        ("click", "play a level"),
        ("wheel", "other pages"),
        ("Ctrl+F", "find levels"),
        ("Ctrl+V", "paste levels"),
    )

    def __init__(
        self, app: App, puzzle: Puzzle, level: str | None = None, playing: PlayingScreen | None = None
    ) -> None:
        super().__init__(app)
        self.puzzle, self.playing = puzzle, playing
        self._all_shown = self._advanced = False
        self.choices = self._choices()
        first = self.choices[0]
        if level is not None:
            found = (choice for choice in self.choices if choice.level == level)
            first = next(found, MenuEntry(level.rsplit("/", 1)[-1], ids_of(puzzle)[0], level))
            if first not in self.choices:
                self.choices.insert(0, first)
        self.pages = LevelPages(self._picture)
        self.words = ""
        self.choose(first)
        if playing is not None and playing.game.choice == first.level:
            self.pages.page = playing.game.number  # with one picture on a page, until the layout is known

    def choose(self, choice: MenuEntry) -> None:
        """Show the levels of another source.

        Raises:
            ValueError: It has no valid levels.
        """
        self.game = choice.game(**self._settings(choice))
        self.choice = choice
        self.pages.show(self.game, 1 if self._is_new else self.game.count, self.app.progress)
        self.waiting = True

    def build(self) -> None:
        """Lay out sources, thumbnails and buttons."""
        width = self.size[0]
        line, gap, pages = self.line, self.gap, self.pages
        self._title = self.message_box = pygame.Rect(gap, gap, width - 2 * gap, line)
        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                Entry("Previous", lambda: self._turn(-1), "pageup", lambda: pages.has(-1)),
                Entry("Next", lambda: self._turn(1), "pagedown", lambda: pages.has(1)),
                Entry("Next unsolved", self._next_unsolved, "n"),
                Entry("Random", self._random, "r"),
                Entry("Open…", self._ask_for_levels, "o"),
                *((Entry("Editor", self._edit, "e"),) if can_be_drawn(self.puzzle) else ()),
            )
        )
        self.on_key("ctrl+v", self._paste)
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 5, 110), 10 * line), self.floor - line - 3 * gap)
        self.column(
            side,
            [
                Entry(choice.title, functools.partial(self._pick, choice), selected=functools.partial(self._is, choice))
                for choice in self.choices
            ]
            + ([Entry("More …", self._show_all)] if self._more else []),
        )
        area = pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height)
        if self.game.count is None:
            box = pygame.Rect(area.left, area.top, area.width, line)
            presets = option_presets(self.puzzle)
            wide = 6 * line if len(presets) * 6 * line < area.width // 2 else area.width // (2 * max(len(presets), 1))
            for name, labels in presets.items():
                chosen = label_of(labels, vars(self.game.env.options))
                choose = functools.partial(self._preset, labels)
                self.menu(pygame.Rect(box.left, box.top, wide - gap, line), name, [*labels], chosen, choose)
                box = pygame.Rect(box.left + wide, box.top, box.width - wide, line)
            if self._advanced or not presets:
                hint = "seed=12" + _example_of(self.puzzle)
                self.text_line(box, self.words, self._type, lambda: self._pick(self.choice), hint)
            else:
                self.button(pygame.Rect(box.left, box.top, wide, line), Entry("Advanced …", self._show_advanced))
        else:
            box = self._build_filter(pygame.Rect(area.left, area.top, area.width, line))
        area = pygame.Rect(area.left, box.bottom + gap, area.width, area.height - line - gap)
        pages.lay_out(self, area)
        visible = pages.visible
        if self.focus.point is None and visible:
            self.focus.point = pages.cell(next((each for each in visible if each == self._played), visible[0])).center
        self.waiting = True

    def _build_filter(self, box: pygame.Rect) -> pygame.Rect:
        """Add the line for words and numbers, and the menu of columns to sort by."""
        assert self.pages.levels is not None
        wide = min(8 * self.line, box.width // 3)
        left = pygame.Rect(box.left, box.top, box.width - wide - self.gap, box.height)
        hint = "find: words, a number, unsolved, moves<30"
        self._line = self.text_line(left, self.pages.words, self._find, self._enter, hint)
        self.on_key("ctrl+f", lambda: self.ui.set_focus_set(self._line))
        place = pygame.Rect(box.right - wide, box.top, wide, box.height)
        columns, heading = self.pages.levels.columns, "Sort by (again: the other way round)"
        self.menu(place, heading, columns, self.pages.sorted_by, self._sort)
        return box

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the levels of this page."""
        return [(self.pages.cell(number), functools.partial(self.play, number)) for number in self.pages.visible]

    def tick(self, seconds: float) -> None:
        """Draw one more thumbnail."""
        self.waiting = self.pages.draw_next()
        self.dirty = self.dirty or self.waiting

    def handle(self, event: pygame.event.Event) -> None:
        """Turn pages with the wheel."""
        if event.type == pygame.MOUSEWHEEL:
            self._turn(-event.y)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the thumbnails."""
        super().draw(surface)
        count = "" if self.game.count is None else f": {plural(self.game.count, 'level')}"
        words = f"{self.puzzle.title} – {self.choice.title}{count}, page {self.pages.page + 1} of {self.pages.pages}"
        self.write(surface, words, self._title, self.theme.accent)
        for number in self.pages.visible:
            solved, name = self.is_solved(number), self._caption(number)
            ink = self.theme.good if solved else self.theme.faint
            edge = self.theme.accent if number == self._played else self.theme.good if solved else ""
            self.pages.paint(self, surface, number, f"✓ {name}" if solved else name, ink, edge)

    def resume(self) -> None:
        """Show levels that were solved or drawn meanwhile."""
        if self.pages.levels is not None:
            self.pages.levels.refresh()
        self.choices += [choice for choice in self._choices() if choice not in self.choices]
        self.open(self.size)

    def play(self, number: int) -> None:
        """Play a level, instead of the current one in the game from which this screen was opened."""
        if self._is_new:
            number = random.randrange(MOST_SEEDS) if self._seed is None else self._seed
        try:
            game = self.choice.game(number, **self._settings(self.choice))
        except (ValueError, OSError) as error:  # such as a setting that is typed by half
            self.app.say(str(error))
            return
        self._open_game(game)

    def _open_game(self, game: PlaySession) -> None:
        if self.playing is None or game.puzzle is not self.puzzle:
            self.app.show("playing", game)
        else:
            self.app.pop_to("playing")
            self.playing.replace(game)

    # ----------------------------------------------------------------------------------------------------

    @property
    def _is_new(self) -> bool:
        """Whether the levels are generated and hidden, so that their pictures would be all the same."""
        return self.game.count is None and self.puzzle.hidden is not None

    def _caption(self, number: int) -> str:
        if self.game.pack is not None:
            name = self.game.pack[number].name
            return name if re.match(rf"{number + 1}\b", name) else f"{number + 1}. {name}"
        return "a new one" if self._is_new and self._seed is None else f"seed {self._seed if self._is_new else number}"

    @property
    def _played(self) -> int | None:
        """The number of the level that is being played; None if it is not one of these."""
        game = None if self.playing is None else self.playing.game
        same = game is not None and (game.game.id, game.choice) == (self.choice.env_id, self.choice.level)
        return game.number if game is not None and same else None

    def _is(self, choice: MenuEntry) -> bool:
        return choice == self.choice

    def _choices(self) -> list[MenuEntry]:
        """Return the choices; packs for testing agents only when they are asked for."""
        bundled = [
            each for each in by_difficulty(choices_of(self.puzzle)) if self._all_shown or not is_for_testing(each)
        ]
        return [*bundled, *own_entries(self.puzzle, own_folder(self.app.progress, self.puzzle))]

    @property
    def _more(self) -> bool:
        """Whether there are packs that are not shown."""
        return not self._all_shown and any(map(is_for_testing, choices_of(self.puzzle)))

    def _show_all(self) -> None:
        self._all_shown = True
        self.resume()

    def _picture(self, number: int, size: tuple[int, int]) -> pygame.Surface:
        self.game.go_to(number)
        return thumbnail(self.puzzle, self.game.scene(), size, self.theme.card)

    def _settings(self, choice: MenuEntry) -> dict[str, Any]:
        own = read_settings(self.words.split()) if self.words and choice.level is None else {}
        self._seed = integer("seed", own.pop("seed"), 0, MOST_SEEDS) if "seed" in own else None
        return {**playing_settings(self.app.preferences, self.puzzle), **own}

    def _type(self, words: str) -> None:
        self.words = words

    def _show_advanced(self) -> None:
        self._advanced = True
        self.open(self.size)

    def _preset(self, presets: Mapping[str, Mapping[str, Any]], label: str) -> None:
        self.words = with_preset(self.words, presets[label])
        self._pick(self.choice)

    def _pick(self, choice: MenuEntry) -> None:
        try:
            self.choose(choice)
        except (ValueError, OSError) as error:
            self.app.say(str(error))
        else:
            self.open(self.size)

    def _turn(self, pages: int) -> None:
        self.pages.turn(pages)
        self.waiting = self.dirty = True

    def is_solved(self, number: int) -> bool:
        """Return whether a level has been solved before."""
        return self.pages.levels is not None and self.pages.levels.solved(number)

    def _sort(self, column: str) -> None:
        self.pages.sort(column)
        self.open(self.size)

    def _find(self, words: str) -> None:
        """Show the levels with some words, or the page of a number."""
        number = self.pages.find(words)
        self.waiting = self.dirty = True
        if number is not None:
            self.focus.point = self.pages.cell(number).center

    def _enter(self) -> None:
        """Choose the level that was found."""
        self.ui.set_focus_set(None)
        visible, words = self.pages.visible, self.pages.words
        number = self.pages.find(words)
        if visible:
            self.focus.point, self.focus.shown = self.pages.cell(visible[0] if number is None else number).center, True
        else:
            self.app.say(f"no level with {words}")

    def show_choice(self, choice: MenuEntry) -> None:
        """Show the levels of a choice that is added to the list; raises ValueError if there are none."""
        self.choose(choice)
        self.choices = [choice, *(each for each in self.choices if each != choice)]
        self.open(self.size)

    def _ask_for_levels(self) -> None:
        """Ask for a file or folder."""
        folder = own_folder(self.app.progress, self.puzzle)
        start = Path.home() if folder is None or not folder.is_dir() else folder
        uses = (("Open", lambda text: True, self._open), ("Paste", lambda text: True, lambda text: self._paste))
        self.app.show("asking", "A file or folder of levels", str(start), uses)

    def _open(self, text: str) -> Action | None:
        path = Path(text).expanduser()
        if not path.exists():
            raise ValueError(f"{path}: no such file or folder")
        try:
            puzzle = puzzle_for(str(path), None)
        except UnclearError:
            puzzle = self.puzzle
        if puzzle is not self.puzzle:
            return lambda: self.app.open_levels(str(path))
        self.show_choice(MenuEntry(path.stem, ids_of(puzzle)[0], str(path)))
        return None

    def _edit(self) -> None:
        self.app.show("editor", self.puzzle)

    def _paste(self) -> None:
        """Show the levels in the clipboard."""
        try:
            choice, left_out = pasted_levels(self.puzzle, pasted_text())
            self.show_choice(choice)
        except (ValueError, OSError) as error:
            self.app.say(as_line(error))
        else:
            if left_out:
                self.app.say(as_line(left_out))

    def _next_unsolved(self) -> None:
        shown = range(self.game.count or 1) if self.pages.order is None else self.pages.order
        left = (number for number in shown if not self.is_solved(number))
        number = next(left, None)
        if number is None:
            self.app.say("all levels of this pack are solved")
        else:
            self.play(number)

    def _random(self) -> None:
        self.play(random.randrange(self.game.count or MOST_SEEDS))


def _example_of(puzzle: Puzzle) -> str:
    """Return one of the puzzle's options as an example, a number if it has one; empty if it has no options."""
    options = sorted(dataclasses.fields(puzzle.options), key=lambda field: type(field.default) is not int)
    return f" {options[0].name}={options[0].default}" if options else ""
