"""The levels of a source, as pictures or as a table, sorted and filtered."""

from collections.abc import Callable

import pygame

from ...session.game import Game
from ..model.progress import Progress
from ..model.results.level_list import NUMBER, LevelList
from .level_table import LevelTable
from .thumbnails import Thumbnails


class LevelPages:
    """The pages of pictures and of the table, which show the same levels.

    Args:
        draw: As for :class:`~.thumbnails.Thumbnails`.

    Attributes:
        levels: What is known of the levels; None if they are generated.
        listed: Whether the table is shown, if there is one.
        words: What the levels are filtered by.
    """

    def __init__(self, draw: Callable[[int, tuple[int, int]], pygame.Surface]) -> None:
        self.pictures, self.table = Thumbnails(draw), LevelTable()
        self.levels: LevelList | None = None
        self.listed, self.words = False, ""

    @property
    def grid(self) -> Thumbnails | LevelTable:
        """The pages that are shown."""
        return self.table if self.tabular else self.pictures

    @property
    def tabular(self) -> bool:
        """Whether the table is shown."""
        return self.listed and self.levels is not None

    def show(self, game: Game, count: int | None, progress: Progress) -> None:
        """Show the levels of another game.

        Args:
            game: The game.
            count: The number of pictures; None if there is no end.
            progress: The person's results.
        """
        self.pictures.clear()
        self.pictures.count, self.pictures.order, self.pictures.page, self.table.page = count, None, 0, 0
        self.levels = None if game.pack is None else LevelList(game, progress)
        self.words, self.table.sorted_by = "", ""
        self.sort(NUMBER)

    def sort(self, column: str) -> None:
        """Sort by a column, in the other direction if the levels are sorted by it already."""
        table = self.table
        table.descending = column == table.sorted_by and not table.descending
        table.sorted_by = column
        self._arrange()

    def find(self, words: str) -> int | None:
        """Show the levels with some words; if they are the number of a level, show its page and return its index."""
        self.words = words
        self._arrange()
        number = int(words) - 1 if self._is_number else -1
        if self.levels is None or not 0 <= number < len(self.levels.pack):
            return None
        self.grid.turn_to(number)
        return number

    def switch(self) -> None:
        """Show the table instead of the pictures, or the other way round, with the first level of this page."""
        first = self.grid.visible[:1]
        self.listed = not self.listed
        for number in first:
            self.grid.turn_to(number)

    @property
    def _is_number(self) -> bool:
        words = self.words.strip()
        return words.isascii() and words.isdigit() and len(words) < 9

    def _arrange(self) -> None:
        if self.levels is None:
            return
        table = self.table
        table.columns = self.levels.columns
        order = self.levels.order(table.sorted_by, table.descending, "" if self._is_number else self.words)
        for pages in (self.pictures, table):
            pages.order, pages.count = order, len(order)
            pages.turn(0)
