"""Pages of small pictures with a caption, such as the levels of a pack, sorted and filtered."""

from collections.abc import Callable, Sequence

import pygame

from ..game import PlaySession
from ..progress import Progress
from ..scores import NUMBER, LevelList
from .screen import Screen

CELL = 8.3
"""The approximate width of a picture, in multiples of the text size."""


class Thumbnails:
    """The numbered pictures of a screen, page by page. They are drawn one after the other, and kept.

    Args:
        draw: ``draw(number, size)``: the picture of a number, at most as large as ``size``.

    Attributes:
        count: How many there are; None if there is no end.
        order: Their numbers in the order in which they are shown; None for all of them from 0.
        page: The number of the page.
    """

    def __init__(self, draw: Callable[[int, tuple[int, int]], pygame.Surface]) -> None:
        self.count: int | None = 0
        self.order: Sequence[int] | None = None
        self.page = 0
        self._columns = self._rows = 1
        self._draw = draw
        self._pictures: dict[int, pygame.Surface] = {}
        self._area = pygame.Rect(0, 0, 0, 0)
        self._caption = 0

    @property
    def per_page(self) -> int:
        """The number of things on a page."""
        return self._columns * self._rows

    @property
    def pages(self) -> int:
        """The number of pages; 1000 if there is no end."""
        return 1000 if self.count is None else max(-(-self.count // self.per_page), 1)

    @property
    def visible(self) -> Sequence[int]:
        """The numbers on this page."""
        first = self.page * self.per_page
        last = first + self.per_page
        if self.order is not None:
            return self.order[first:last]
        return range(first, last if self.count is None else min(last, self.count))

    def turn(self, pages: int) -> None:
        """Show another page."""
        self.page = min(max(self.page + pages, 0), self.pages - 1)

    def has(self, pages: int) -> bool:
        """Return whether there is a page so many pages after this one."""
        return 0 <= self.page + pages < self.pages

    def place(self, number: int) -> int:
        """Return the place of a number in the order."""
        return number if self.order is None else self.order.index(number)

    def turn_to(self, number: int) -> None:
        """Show the page of a number, if it is not left out."""
        if self.order is None or number in self.order:
            self.page = self.place(number) // self.per_page
            self.turn(0)

    def lay_out(self, screen: Screen, area: pygame.Rect) -> None:
        """Use another area of the window."""
        cell, caption = round(CELL * screen.text), round(1.1 * screen.text)
        if (area, caption) != (self._area, self._caption):
            self._pictures.clear()
        first = self.page * self.per_page
        self._area, self._caption = area, caption
        self._columns, self._rows = max(area.width // cell, 1), max(area.height // (cell + caption), 1)
        self.page = first // self.per_page
        self.turn(0)

    def clear(self) -> None:
        """Forget all pictures."""
        self._pictures.clear()

    def cell(self, number: int) -> pygame.Rect:
        """Return the rectangle of a number on this page."""
        row, column = divmod(self.place(number) - self.page * self.per_page, self._columns)
        wide, high = self._area.width // self._columns, self._area.height // self._rows
        return pygame.Rect(self._area.left + column * wide, self._area.top + row * high, wide - 6, high - 6)

    def draw_next(self) -> bool:
        """Draw the next picture of this page that is missing; return whether there was one."""
        number = next((number for number in self.visible if number not in self._pictures), None)
        if number is None:
            return False
        cell = self.cell(number)
        self._pictures[number] = self._draw(number, (cell.width - 12, max(cell.height - self._caption - 14, 4)))
        return True

    def paint(self, screen: Screen, surface: pygame.Surface, number: int, caption: str, ink: str, edge: str) -> None:
        """Show a picture with its caption, in these colours; ``edge`` is empty for that of the theme."""
        cell = self.cell(number)
        screen.card(surface, cell, edge)
        below = pygame.Rect(cell.left + 4, cell.bottom - self._caption - 4, cell.width - 8, self._caption)
        screen.write(surface, caption, below, ink, self._caption)
        picture = self._pictures.get(number)
        if picture is not None:
            area = pygame.Rect(cell.left, cell.top + 4, cell.width, cell.height - self._caption - 8)
            surface.blit(picture, picture.get_rect(center=area.center))


class LevelPages(Thumbnails):
    """The levels of a source.

    Attributes:
        levels: What is known of the levels; None if they are generated.
        words: What the levels are filtered by.
        sorted_by: The name of the column by which they are sorted.
    """

    def __init__(self, draw: Callable[[int, tuple[int, int]], pygame.Surface]) -> None:
        super().__init__(draw)
        self.levels: LevelList | None = None
        self.words, self.sorted_by, self._descending = "", "", False

    def show(self, game: PlaySession, count: int | None, progress: Progress) -> None:
        """Show the levels of another game.

        Args:
            game: The game.
            count: The number of pictures; None if there is no end.
            progress: The person's results.
        """
        self.clear()
        self.count, self.order, self.page = count, None, 0
        self.levels = None if game.pack is None else LevelList(game, progress)
        self.words, self.sorted_by = "", ""
        self.sort(NUMBER)

    def sort(self, column: str) -> None:
        """Sort by a column, in the other direction if the levels are sorted by it already."""
        self._descending = column == self.sorted_by and not self._descending
        self.sorted_by = column
        self._arrange()

    def find(self, words: str) -> int | None:
        """Show the levels with some words; if they are the number of a level, show its page and return its index."""
        self.words = words
        self._arrange()
        number = int(words) - 1 if self._is_number else -1
        if self.levels is None or not 0 <= number < len(self.levels.pack):
            return None
        self.turn_to(number)
        return number

    @property
    def _is_number(self) -> bool:
        words = self.words.strip()
        return words.isascii() and words.isdigit() and len(words) < 9

    def _arrange(self) -> None:
        if self.levels is not None:
            self.order = self.levels.order(self.sorted_by, self._descending, "" if self._is_number else self.words)
            self.count = len(self.order)
            self.turn(0)
