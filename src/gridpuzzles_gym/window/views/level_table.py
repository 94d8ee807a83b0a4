"""A table of the levels of a pack, page by page."""

from collections.abc import Callable, Sequence

import pygame

from ..model.results.level_list import AUTHOR, DIFFICULTY, SIZE, SOLVED, TITLE, LevelList
from ..screens.screen import Action, Screen
from .thumbnails import Pages

ROW = 1.5
"""The height of a row, in multiples of the text size."""
WIDE, NARROW = 8.0, 5.5
"""The widths of columns of words, at least, and of numbers, in multiples of the text size."""
DROPPED = (AUTHOR, SIZE, SOLVED, DIFFICULTY)
"""The columns that are left out first where there is little space; then the last ones."""


class LevelTable(Pages):
    """A row for each level, below the names of the columns."""

    def __init__(self) -> None:
        super().__init__()
        self._area = pygame.Rect(0, 0, 0, 0)
        self._row = 1
        self._places: dict[str, pygame.Rect] = {}
        self.columns: Sequence[str] = ()
        self.sorted_by, self.descending = "", False

    def lay_out(self, screen: Screen, area: pygame.Rect) -> None:
        """Use another area of the window; columns for which there is no space are left out."""
        first, text = self.page * self.per_page, screen.text
        self._area, self._row = area, round(ROW * text)
        self._rows = max(area.height // self._row - 1, 1)
        self.page = first // self.per_page
        self.turn(0)
        shown = list(self.columns)
        while len(shown) > 2 and sum(map(_width, shown)) > area.width / text:
            shown.remove(next((column for column in DROPPED if column in shown), shown[-1]))
        spare = area.width - text * sum(_width(column) for column in shown)
        self._places.clear()
        left = float(area.left)
        for column in shown:
            width = text * _width(column) + (spare if column == TITLE else 0)
            self._places[column] = pygame.Rect(round(left) + 4, area.top, round(width) - 8, self._row)
            left += width

    def headers(self, sort: Callable[[str], Action]) -> list[tuple[pygame.Rect, Action]]:
        """Return the names of the columns, and what a click on each does."""
        return [(rect, sort(column)) for column, rect in self._places.items()]

    def cell(self, number: int) -> pygame.Rect:
        """Return the rectangle of a level on this page."""
        top = self._area.top + (1 + self.place(number) - self.page * self.per_page) * self._row
        return pygame.Rect(self._area.left, top, self._area.width, self._row)

    def draw(self, screen: Screen, surface: pygame.Surface, levels: LevelList, played: int | None) -> None:
        """Draw the names of the columns and the levels of this page.

        Args:
            screen: The screen.
            surface: Its picture.
            levels: The levels.
            played: The number of the level that is being played, if any.
        """
        theme = screen.theme
        for column, place in self._places.items():
            mark = (" ▼" if self.descending else " ▲") if column == self.sorted_by else ""
            screen.write(surface, column + mark, place, theme.accent, screen.text, _align(column))
        y = self._area.top + self._row - 1
        pygame.draw.line(surface, theme.edge, (self._area.left, y), (self._area.right, y))
        for number in self.visible:
            cell = self.cell(number)
            if number == played:
                pygame.draw.rect(surface, theme.hovered, cell)
            ink = theme.good if levels.solved(number) else theme.ink
            for column, place in self._places.items():
                where = pygame.Rect(place.left, cell.top, place.width, cell.height)
                screen.write(surface, levels.text(number, column), where, ink, 1.1 * screen.text, _align(column))


def _width(column: str) -> float:
    return WIDE if column in (TITLE, AUTHOR) else NARROW


def _align(column: str) -> str:
    return "left" if column in (TITLE, AUTHOR) else "centre"
