"""The start screen: the puzzles, the games to continue, and buttons for everything else."""

import functools

import pygame

from ...engine.puzzle import Puzzle
from ..arguments import all_puzzles
from ..choices import smallest
from ..game import Game
from ..preferences import picture_settings
from .app import TITLE, App
from .screen import Action, Entry, Screen
from .widgets import natural_width, thumbnail

EXAMPLE_SEED = 2
"""The seed of the games on the cards."""


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
            game = smallest(puzzle).game(seed=EXAMPLE_SEED, **picture_settings(self.app.preferences, puzzle))
            size = card.width - 12, max(card.height - self.line - 20, 4)
            self._pictures[puzzle.name] = thumbnail(puzzle, game.scene(), size, self.theme.card)
            game.close()
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
            game = Game.resumed(self._games[name])
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
