"""The levels of a puzzle: packs, files and generated instances, page by page."""

import dataclasses
import functools
import random
from typing import Any

import pygame
import pygame_gui

from gridpuzzles_gym.agents.identity import key_of

from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ...session.arguments import read_settings
from ...session.choices import Choice, choices_of, ids_of, own_choices, playing_settings
from ..model.own_levels import own_folder
from ..model.progress import level_id
from ..views.board_view import thumbnail
from .host import Host
from .screen import Screen

_CELL = 150
"""The approximate width of a thumbnail in pixels."""


class LevelsScreen(Screen):
    """Sources of levels on the left, thumbnails on the right.

    Args:
        app: The app.
        puzzle: The puzzle.
        path: A file or folder with levels to show first.

    Raises:
        ValueError: There are no valid levels in that file or folder.
    """

    help = (
        ("click", "play a level"),
        ("← → or wheel", "other pages"),
        ("n", "the first level that is not solved yet"),
        ("r", "a random level"),
    )

    def __init__(self, app: Host, puzzle: Puzzle, path: str | None = None) -> None:
        super().__init__(app)
        self.puzzle = puzzle
        self.choices = [*choices_of(puzzle), *own_choices(puzzle, own_folder(app.progress, puzzle))]
        if path is not None:
            self.choices.insert(0, Choice(path.rsplit("/", 1)[-1], ids_of(puzzle)[0], path))
        self.page = 0
        self.words = ""
        self.choose(self.choices[0])

    def choose(self, choice: Choice) -> None:
        """Show the levels of another source.

        Raises:
            ValueError: It has no valid levels.
        """
        self.game = choice.game(**self._settings())
        self.choice, self.page = choice, 0
        self._pictures: dict[int, pygame.Surface] = {}
        self._ids: dict[int, str] = {}
        self.waiting = True

    @property
    def pages(self) -> int:
        """The number of pages; generated instances have many."""
        return 1000 if self.game.count is None else -(-self.game.count // self.per_page)

    @property
    def per_page(self) -> int:
        """The number of thumbnails on a page."""
        return max(self._columns * self._rows, 1)

    def build(self) -> None:
        """Lay out sources, thumbnails and buttons."""
        width, height = self.size
        line, gap = self.line, max(height // 80, 4)
        self._title = pygame.Rect(gap, gap, width - 2 * gap, line)
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 5, 110), 240), height - 2 * line - 4 * gap)
        self.column(side, [(choice.title, functools.partial(self._pick, choice)) for choice in self.choices])
        self._area = pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height)
        if self.game.count is None:
            box = pygame.Rect(self._area.left, self._area.top, self._area.width, line)
            pygame_gui.elements.UITextEntryLine(
                box, self.ui, placeholder_text="options" + _example_of(self.puzzle), initial_text=self.words
            )
            self._area = pygame.Rect(box.left, box.bottom + gap, box.width, self._area.height - line - gap)
        self._columns = max(self._area.width // _CELL, 1)
        self._rows = max(self._area.height // (_CELL + line // 2), 1)
        self._pictures.clear()
        self.page = min(self.page, self.pages - 1)
        self.waiting = True
        self.row(
            pygame.Rect(gap, height - line - gap, width - 2 * gap, line),
            (
                ("Back", self.back, "escape"),
                ("Previous page", lambda: self._turn(-1), "left"),
                ("Next page", lambda: self._turn(1), "right"),
                ("Next unsolved", self._next_unsolved, "n"),
                ("Random", self._random, "r"),
                ("Editor", self._edit, "e"),
            ),
        )

    def tick(self, seconds: float) -> None:
        """Draw one more thumbnail."""
        missing = [number for number in self._shown() if number not in self._pictures]
        if not missing:
            self.waiting = False
            return
        number = missing[0]
        cell = self._cell(number)
        self.game.go_to(number)
        size = cell.width - 12, max(cell.height - self.line // 2 - 14, 4)
        self._pictures[number] = thumbnail(self.puzzle, self.game.scene(), size)
        self.dirty = True

    def handle(self, event: pygame.event.Event) -> None:
        """Play a level on a click, turn pages with the wheel."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for number in self._shown():
                if self._cell(number).collidepoint(event.pos):
                    self.play(number)
                    return
        elif event.type == pygame.MOUSEWHEEL:
            self._turn(-event.y)
        elif event.type == pygame_gui.UI_TEXT_ENTRY_FINISHED:
            self.words = event.text
            self._pick(self.choice)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the thumbnails."""
        super().draw(surface)
        count = "" if self.game.count is None else f": {plural(self.game.count, 'level')}"
        words = f"{self.puzzle.title} – {self.choice.title}{count}, page {self.page + 1} of {self.pages}"
        self.write(surface, words, self._title, self.theme.accent)
        for number in self._shown():
            cell, solved = self._cell(number), self.is_solved(number)
            self.card(surface, cell, self.theme.good if solved else "")
            caption = pygame.Rect(cell.left + 4, cell.bottom - self.line // 2 - 4, cell.width - 8, self.line // 2)
            name = f"seed {number}" if self.game.pack is None else f"{number + 1}. {self.game.pack[number].name}"
            tick = "✓ " if solved else ""
            self.write(surface, tick + name, caption, self.theme.good if tick else self.theme.faint, self.line // 2)
            picture = self._pictures.get(number)
            if picture is not None:
                area = pygame.Rect(cell.left, cell.top + 4, cell.width, cell.height - self.line // 2 - 8)
                surface.blit(picture, picture.get_rect(center=area.center))

    def resume(self) -> None:
        """Show levels that were solved or drawn meanwhile."""
        own = own_choices(self.puzzle, own_folder(self.app.progress, self.puzzle))
        self.choices += [choice for choice in own if choice not in self.choices]
        self.open(self.size)

    def play(self, number: int) -> None:
        """Play a level."""
        self.app.show("playing", self.choice.game(number, **self._settings()))

    # ----------------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, Any]:
        own = read_settings(self.words.split()) if self.words else {}
        return {**playing_settings(self.app.preferences, self.puzzle), **own}

    def _pick(self, choice: Choice) -> None:
        try:
            self.choose(choice)
        except (ValueError, OSError) as error:
            self.app.say(str(error))
        else:
            self.open(self.size)

    def _turn(self, pages: int) -> None:
        self.page = min(max(self.page + pages, 0), self.pages - 1)
        self.waiting = self.dirty = True

    def _shown(self) -> range:
        first = self.page * self.per_page
        last = first + self.per_page
        return range(first, last if self.game.count is None else min(last, self.game.count))

    def _cell(self, number: int) -> pygame.Rect:
        row, column = divmod(number - self.page * self.per_page, self._columns)
        wide, high = self._area.width // self._columns, self._area.height // self._rows
        return pygame.Rect(self._area.left + column * wide, self._area.top + row * high, wide - 6, high - 6)

    def is_solved(self, number: int) -> bool:
        """Return whether a level has been solved before."""
        if self.game.pack is None:
            return False
        solved = self.app.progress.solved(self.puzzle.name)
        if not solved:
            return False
        if number not in self._ids:
            self._ids[number] = level_id(key_of(self.puzzle, self.game.pack[number]))
        return self._ids[number] in solved

    def _next_unsolved(self) -> None:
        left = (number for number in range(self.game.count or 1) if not self.is_solved(number))
        number = next(left, None)
        if number is None:
            self.app.say("all levels of this pack are solved")
        else:
            self.play(number)

    def _random(self) -> None:
        self.play(random.randrange(self.game.count or 1_000_000))

    def _edit(self) -> None:
        self.app.show("editor", self.puzzle)


def _example_of(puzzle: Puzzle) -> str:
    """Return one of the puzzle's options as an example, a number if it has one; empty if it has no options."""
    options = sorted(dataclasses.fields(puzzle.options), key=lambda field: type(field.default) is not int)
    return f", e.g. {options[0].name}={options[0].default}" if options else ""
