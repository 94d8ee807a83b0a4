"""Where a game is chosen: the start screen, and the levels of a puzzle as pages of small pictures."""

import functools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pygame

from gridpuzzles_gym.agents.puzzle_agents import key_of

from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ..arguments import all_puzzles
from ..choices import MenuEntry, by_difficulty, choices_of, ids_of, is_for_testing, own_entries, smallest
from ..editing import can_be_drawn, own_folder
from ..level_maker import label_of, option_presets
from ..play_session import PlaySession
from ..preferences import picture_settings, playing_settings
from ..scores import columns_of
from .app import TITLE, App
from .playing import PlayingScreen, as_line, pasted_levels, pasted_text
from .screen import Action, Entry, KeyHelp, Screen
from .widgets import natural_width, thumbnail

EXAMPLE_SEED = 2
"""The seed of the games on the cards."""
CELL = 8.3
"""The approximate width of a picture, in multiples of the text size."""
MOST_SEEDS = 1_000_000
"""The seeds of generated levels are smaller, so that a person can remember them."""
MOST_DIGITS = 6
SHOWN = ("all levels", "unsolved", "solved")
"""Which levels of a pack are shown."""


class StartScreen(Screen):
    """A card with a picture for each puzzle, and buttons below.

    Args:
        app: The app.
    """

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self._pictures: dict[str, pygame.Surface] = {}

    def build(self) -> None:
        """Lay out the cards and the buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        self.toolbar(
            (
                Entry("Generate levels", lambda: self.app.show("generating"), "g"),
                Entry("Watch an agent", lambda: self.app.show("watching"), "w"),
                Entry("Editor", lambda: self.app.show("editor"), "e"),
                Entry("Settings", lambda: self.app.show("settings"), "s"),
                Entry("Quit", self._ask_to_quit, "escape"),
            )
        )
        self._title = self.message_box = pygame.Rect(gap, gap, width - 2 * gap, round(1.3 * line))
        top = self._title.bottom + gap
        area = pygame.Rect(gap, top, width - 2 * gap, self.floor - top - gap)
        names = [puzzle.name for puzzle in self.puzzles]
        self._games = {name: game for name, game in self.app.progress.latest_games() if name in names}
        widest = max(natural_width(puzzle.title, self.text) for puzzle in self.puzzles) + 12
        self._cards = dict(zip(names, _cells(area, len(names), gap, line, widest), strict=True))
        for k, puzzle in enumerate(self.puzzles):
            card = self._cards[puzzle.name]
            entries = [Entry(puzzle.title, functools.partial(self._choose, puzzle), str(k + 1))]
            if puzzle.name in self._games:
                key = "c" if puzzle.name == next(iter(self._games)) else ""
                entries.append(Entry("Continue", functools.partial(self._continue, puzzle.name), key))
            self.row(pygame.Rect(card.left + 6, card.bottom - line - 6, card.width - 12, line), entries)
        self._pictures.clear()
        self.waiting = True  # until all pictures are drawn
        if self.focus.point is None:
            self.focus.point = self._cards[names[0]].midbottom

    def cells(self) -> list[tuple[pygame.Rect, Action]]:
        """Return the pictures of the puzzles."""
        cards = ((puzzle, self._cards[puzzle.name]) for puzzle in self.puzzles)
        return [
            (
                pygame.Rect(card.left, card.top, card.width, card.height - self.line - 6),
                functools.partial(self._choose, puzzle),
            )
            for puzzle, card in cards
        ]

    def tick(self, seconds: float) -> None:
        """Draw one more picture: the window appears before all are drawn."""
        missing = [puzzle for puzzle in self.puzzles if puzzle.name not in self._pictures]
        self.waiting = len(missing) > 1
        for puzzle in missing[:1]:
            card = self._cards[puzzle.name]
            game = smallest(puzzle).game(**picture_settings(self.app.preferences, puzzle))
            session = PlaySession(game, seed=EXAMPLE_SEED)
            size = card.width - 12, max(card.height - self.line - 20, 4)
            self._pictures[puzzle.name] = thumbnail(puzzle, session.scene(), size, self.theme.card)
            session.close()
            self.dirty = True

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the cards."""
        super().draw(surface)
        self.write(surface, TITLE, self._title, self.theme.accent, 1.3 * self.line)
        for name, card in self._cards.items():
            self.card(surface, card)
            picture = self._pictures.get(name)
            area = pygame.Rect(card.left, card.top + 6, card.width, card.height - self.line - 18)
            if picture is not None:
                surface.blit(picture, picture.get_rect(center=area.center))

    def resume(self) -> None:
        """Show the current games to continue and use the current settings."""
        self.open(self.size)

    # -- what can be done ------------------------------------------------------------------------------

    def _choose(self, puzzle: Puzzle) -> None:
        self.app.show("levels", puzzle)

    def _continue(self, name: str) -> None:
        try:
            game = PlaySession.resumed(self._games[name])
        except (ValueError, OSError) as error:
            self.app.progress.forget_latest_game(name)
            self.app.say(f"the saved game cannot be continued: {error}")
            self.open(self.size)
        else:
            game.pictures = picture_settings(self.app.preferences, game.puzzle)
            self.app.show("playing", game)

    def _ask_to_quit(self) -> None:
        self.app.show("menu", "Quit? Games are saved.", [Entry("Quit", self.app.quit, "q"), Entry("Stay", bool)])


def _cells(area: pygame.Rect, count: int, gap: int, line: int, widest: int) -> list[pygame.Rect]:
    """Return the rectangles of cards for the largest possible pictures, if possible at least as wide as ``widest``."""

    def size(columns: int) -> tuple[int, int]:
        rows = -(-count // columns)
        return (area.width - gap * (columns - 1)) // columns, (area.height - gap * (rows - 1)) // rows

    def fits(columns: int) -> tuple[bool, int, int]:
        wide, high = size(columns)
        return high > 1.5 * line, min(wide, widest) // line, min(wide, high - line)

    columns = max(range(1, count + 1), key=fits)
    wide, high = size(columns)
    places = (divmod(k, columns) for k in range(count))
    return [
        pygame.Rect(area.left + column * (wide + gap), area.top + row * (high + gap), wide, high)
        for row, column in places
    ]


class Thumbnails:
    """The numbered pictures of a screen, page by page. They are drawn one after the other, and kept.

    Args:
        draw: ``draw(number, size)``: the picture of a number, at most as large as ``size``.

    Attributes:
        numbers: The numbers, in the order in which their pictures are shown.
        page: The number of the page.
    """

    def __init__(self, draw: Callable[[int, tuple[int, int]], pygame.Surface]) -> None:
        self.numbers: Sequence[int] = ()
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
        """The number of pages."""
        return max(-(-len(self.numbers) // self.per_page), 1)

    @property
    def visible(self) -> Sequence[int]:
        """The numbers on this page."""
        first = self.page * self.per_page
        return self.numbers[first : first + self.per_page]

    def turn(self, pages: int) -> None:
        """Show another page."""
        self.page = min(max(self.page + pages, 0), self.pages - 1)

    def has(self, pages: int) -> bool:
        """Return whether there is a page so many pages after this one."""
        return 0 <= self.page + pages < self.pages

    def turn_to(self, number: int) -> None:
        """Show the page of a number, if it has one."""
        self.page = self.numbers.index(number) // self.per_page if number in self.numbers else self.page
        self.turn(0)

    def show(self, numbers: Sequence[int]) -> None:
        """Show other pictures, from the first page on."""
        self._pictures.clear()
        self.numbers, self.page = numbers, 0

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

    def cell(self, number: int) -> pygame.Rect:
        """Return the rectangle of a number on this page."""
        row, column = divmod(self.numbers.index(number) - self.page * self.per_page, self._columns)
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

    def paint(self, screen: Screen, surface: pygame.Surface, number: int, caption: str, ink: str) -> None:
        """Show a picture with its caption, in this colour."""
        cell = self.cell(number)
        screen.card(surface, cell)
        below = pygame.Rect(cell.left + 4, cell.bottom - self._caption - 4, cell.width - 8, self._caption)
        screen.write(surface, caption, below, ink, self._caption)
        picture = self._pictures.get(number)
        if picture is not None:
            area = pygame.Rect(cell.left, cell.top + 4, cell.width, cell.height - self._caption - 8)
            surface.blit(picture, picture.get_rect(center=area.center))


class PagesScreen(Screen):
    """A screen with pages of pictures, each of which can be pressed."""

    help: KeyHelp = (("click", "play a level"), ("wheel", "other pages"))

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.pages = Thumbnails(self._picture)

    def _page_entries(self) -> tuple[Entry, Entry]:
        """Return the buttons to other pages."""
        previous = Entry("Previous page", lambda: self._turn(-1), "pageup", lambda: self.pages.has(-1))
        return previous, Entry("Next page", lambda: self._turn(1), "pagedown", lambda: self.pages.has(1))

    def _turn(self, pages: int) -> None:
        self.pages.turn(pages)
        self.waiting = self.dirty = True

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the levels of this page."""
        return [(self.pages.cell(number), functools.partial(self.play, number)) for number in self.pages.visible]

    def handle(self, event: pygame.event.Event) -> None:
        """Turn pages with the wheel."""
        if event.type == pygame.MOUSEWHEEL:
            self._turn(-event.y)

    def play(self, number: int) -> None:
        """Play a level."""

    def _picture(self, number: int, size: tuple[int, int]) -> pygame.Surface:
        raise NotImplementedError


class LevelsScreen(PagesScreen):
    """Sources of levels on the left, thumbnails on the right.

    Args:
        app: The app.
        puzzle: The puzzle.
        level: A pack, or a file or folder with levels, to show first; None for the puzzle's first.
        playing: The game from which it is opened, in which another level is then played.

    Raises:
        ValueError: There are no valid levels in that file or folder.
    """

    help = (*PagesScreen.help, ("digits", "go to a level"), ("Ctrl+V", "paste levels"))

    def __init__(
        self, app: App, puzzle: Puzzle, level: str | None = None, playing: PlayingScreen | None = None
    ) -> None:
        super().__init__(app)
        self.puzzle, self.playing = puzzle, playing
        self.settings: dict[str, Any] = {}
        self.choices = self._choices()
        first = self.choices[0]
        if level is not None:
            found = (choice for choice in self.choices if choice.level == level)
            first = next(found, MenuEntry(level.rsplit("/", 1)[-1], ids_of(puzzle)[0], level))
            if first not in self.choices:
                self.choices.insert(0, first)
        self._digits = ""
        self.shown = SHOWN[0]
        self.choose(first)
        if playing is not None and playing.game.choice == first.level:
            self.pages.page = playing.game.number  # with one picture on a page, until the layout is known

    def choose(self, choice: MenuEntry) -> None:
        """Show the levels of another source.

        Raises:
            ValueError: It has no valid levels.
        """
        self.game = self._open(choice, 0)
        self.choice, self._solved = choice, dict[int, bool]()
        self.columns = columns_of(self.game)
        self.sorted_by = next(iter(self.columns), "")
        self._arrange()

    def _arrange(self) -> None:
        """Show the levels that are asked for, in the order that is asked for."""
        pack = self.game.pack
        numbers: Sequence[int] = range(1 if self._is_new else MOST_SEEDS)
        if pack is not None:
            shown = SHOWN.index(self.shown)
            chosen = [each for each in range(len(pack)) if not shown or self.is_solved(each) == (shown == 2)]
            numbers = sorted(chosen, key=self.columns[self.sorted_by].__getitem__)
            if not numbers:
                self.app.say(f"no level of this pack is {self.shown}")
        self.pages.show(numbers)
        self.waiting = True

    def _open(self, choice: MenuEntry, number: int) -> PlaySession:
        own = self.settings if choice.level is None else {}
        return PlaySession(choice.game(**{**playing_settings(self.app.preferences, self.puzzle), **own}), number)

    def build(self) -> None:
        """Lay out sources, thumbnails and buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        self._title = self.message_box = pygame.Rect(gap, gap, width - 2 * gap, line)
        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                *self._page_entries(),
                Entry("Next unsolved", self._next_unsolved, "n"),
                Entry("Random", lambda: self.play(random.randrange(self.game.count or MOST_SEEDS)), "r"),
                Entry("Editor", lambda: self.app.show("editor", self.puzzle), "e", lambda: can_be_drawn(self.puzzle)),
            )
        )
        self.on_key("ctrl+v", self._paste)
        for digit in "0123456789":
            self.on_key(digit, functools.partial(self._type, digit))
        side = pygame.Rect(gap, line + 2 * gap, min(max(width // 5, 110), 10 * line), self.floor - line - 3 * gap)
        sources = [
            Entry(choice.title, functools.partial(self._pick, choice), selected=choice == self.choice)
            for choice in self.choices
        ]
        self.column(side, sources)
        area = pygame.Rect(side.right + gap, side.top, width - side.right - 2 * gap, side.height)
        menus = self._menus()
        for k, (name, labels, chosen, choose) in enumerate(menus):
            wide = min(8 * line, area.width // len(menus))
            self.menu(pygame.Rect(area.left + k * wide, area.top, wide - gap, line), name, labels, chosen, choose)
        above = line + gap if menus else 0
        self.pages.lay_out(self, pygame.Rect(area.left, area.top + above, area.width, area.height - above))
        visible = self.pages.visible
        if self.focus.point is None and visible:
            self.focus.point = self.pages.cell(visible[0]).center
        self.waiting = True

    def _menus(self) -> list[tuple[str, Sequence[str], str, Callable[[str], None]]]:
        """Return the heading, the labels, the chosen one, and what chooses another, of each menu above the levels."""
        if self.game.pack is not None:
            return [
                ("Which levels?", SHOWN, self.shown, functools.partial(self._show, "shown")),
                ("Sort by", list(self.columns), self.sorted_by, functools.partial(self._show, "sorted_by")),
            ]
        now = vars(self.game.env.options)
        return [
            (name, list(labels), label_of(labels, now), functools.partial(self._preset, labels))
            for name, labels in option_presets(self.puzzle).items()
        ]

    def _show(self, what: str, label: str) -> None:
        setattr(self, what, label)
        self._arrange()
        self.open(self.size)

    def tick(self, seconds: float) -> None:
        """Draw one more thumbnail."""
        self.waiting = self.pages.draw_next()
        self.dirty = self.dirty or self.waiting

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the thumbnails."""
        super().draw(surface)
        page = f", page {self.pages.page + 1}"
        if self.game.count is not None:
            page = f": {plural(len(self.pages.numbers), 'level')}{page} of {self.pages.pages}"
        words = f"{self.puzzle.title} – {self.choice.title}{page}"
        self.write(surface, words, self._title, self.theme.accent)
        for number in self.pages.visible:
            solved, name = self.is_solved(number), self._caption(number)
            ink = self.theme.good if solved else self.theme.faint
            self.pages.paint(self, surface, number, f"✓ {name}" if solved else name, ink)

    def resume(self) -> None:
        """Show levels that were solved or drawn meanwhile."""
        page = self.pages.page
        self._solved.clear()
        self._arrange()
        self.pages.page = page
        self.choices += [choice for choice in self._choices() if choice not in self.choices]
        self.open(self.size)

    def play(self, number: int) -> None:
        """Play a level, instead of the current one in the game from which this screen was opened."""
        try:
            game = self._open(self.choice, random.randrange(MOST_SEEDS) if self._is_new else number)
        except (ValueError, OSError) as error:  # such as a file that is gone
            self.app.say(str(error))
            return
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
        return "a new one" if self._is_new else f"seed {number}"

    def _choices(self) -> list[MenuEntry]:
        """Return the choices, without packs for testing agents."""
        bundled = [each for each in by_difficulty(choices_of(self.puzzle)) if not is_for_testing(each)]
        return [*bundled, *own_entries(self.puzzle, own_folder(self.app.progress, self.puzzle))]

    def _picture(self, number: int, size: tuple[int, int]) -> pygame.Surface:
        self.game.go_to(number)
        return thumbnail(self.puzzle, self.game.scene(), size, self.theme.card)

    def _preset(self, presets: Mapping[str, Mapping[str, Any]], label: str) -> None:
        self.settings |= presets[label]
        self._pick(self.choice)

    def _pick(self, choice: MenuEntry) -> None:
        try:
            self.choose(choice)
        except (ValueError, OSError) as error:
            self.app.say(str(error))
        else:
            self.open(self.size)

    def is_solved(self, number: int) -> bool:
        """Return whether a level has been solved before."""
        if self.game.pack is None or not self.app.progress.solved(self.puzzle.name):
            return False
        if number not in self._solved:
            key = key_of(self.puzzle, self.game.pack[number])
            self._solved[number] = self.app.progress.best(self.puzzle.name, key) is not None
        return self._solved[number]

    def _type(self, digit: str) -> None:
        """Go to the level whose number is typed."""
        count = self.game.count
        self._digits = (self._digits + digit)[-MOST_DIGITS:]
        if count is not None and int(self._digits) > count:
            self._digits = digit
        number = int(self._digits) - (count is not None)
        if number in self.pages.numbers and not self._is_new:
            self.pages.turn_to(number)
            self.focus.point, self.focus.shown = self.pages.cell(number).center, True
            self.waiting = True

    def _paste(self) -> None:
        """Show the levels in the clipboard."""
        try:
            choice, left_out = pasted_levels(self.puzzle, pasted_text())
            self.choose(choice)
        except (ValueError, OSError) as error:
            self.app.say(as_line(error))
            return
        self.choices = [choice, *(each for each in self.choices if each != choice)]
        self.open(self.size)
        if left_out:
            self.app.say(as_line(left_out))

    def _next_unsolved(self) -> None:
        number = next((number for number in self.pages.numbers if not self.is_solved(number)), None)
        if number is None:
            self.app.say("all levels that are shown are solved")
        else:
            self.play(number)
