"""The first screen: the puzzles, and everything else that can be done."""

import functools

import pygame

from ...engine.puzzle import Puzzle, Scene
from ..arguments import all_puzzles
from ..choices import smallest
from ..game import Game
from .board_view import thumbnail
from .host import Host
from .screen import Screen


class StartScreen(Screen):
    """A card for each puzzle, and buttons below.

    Args:
        app: The app.
    """

    help = (("1 … 9", "a puzzle"), ("c", "continue the last game"), ("g", "generate levels"), ("w", "watch an agent"))

    def __init__(self, app: Host) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self._scenes: dict[str, Scene] = {}
        self._pictures: dict[str, pygame.Surface] = {}
        self.waiting = True  # until all pictures are drawn

    def build(self) -> None:
        """Lay out the cards and the buttons."""
        width, height = self.size
        line, gap = self.line, max(height // 60, 4)
        self._title = pygame.Rect(0, gap, width, round(1.6 * line))
        below = 2 * line + 3 * gap
        top = self._title.bottom + gap
        area = pygame.Rect(gap, top, width - 2 * gap, height - top - below - gap)
        grids = [_grid(area, columns, len(self.puzzles), gap) for columns in range(1, len(self.puzzles) + 1)]
        columns, wide, high = max(grids, key=lambda grid: min(grid[1], grid[2] - line))
        self._cards = {}
        for k, puzzle in enumerate(self.puzzles):
            row, column = divmod(k, columns)
            card = pygame.Rect(area.left + column * (wide + gap), area.top + row * (high + gap), wide, high)
            self._cards[puzzle.name] = card
            label = pygame.Rect(card.left + 6, card.bottom - line - 6, card.width - 12, line)
            self.button(label, puzzle.title, functools.partial(self._choose, puzzle), str(k + 1))
        self._pictures.clear()
        self.waiting = True
        latest = self.app.progress.latest_game()
        first = pygame.Rect(gap, height - below, width - 2 * gap, line)
        self.button(
            pygame.Rect(first.left, first.top, first.width, line),
            "Continue where I was" if latest is None else f"Continue: {_described(*latest)}",
            self._continue,
            "c",
            enabled=latest is not None,
        )
        second = first.move(0, line + gap)
        self.row(
            second,
            (
                ("Generate levels", self._generate, "g"),
                ("Watch an agent", self._watch, "w"),
                ("Editor", self._edit, "e"),
                ("Settings", self._settings, "s"),
                ("Quit", self.back, "escape"),
            ),
        )

    def tick(self, seconds: float) -> None:
        """Draw one more picture, so that the window is there before all of them are."""
        missing = [puzzle for puzzle in self.puzzles if puzzle.name not in self._pictures]
        if not missing:
            self.waiting = False
            return
        puzzle = missing[0]
        card = self._cards[puzzle.name]
        if puzzle.name not in self._scenes:
            self._scenes[puzzle.name] = _example(puzzle)
        room = card.width - 12, max(card.height - self.line - 20, 4)
        self._pictures[puzzle.name] = thumbnail(puzzle, self._scenes[puzzle.name], room)
        self.dirty = True

    def handle(self, event: pygame.event.Event) -> None:
        """Choose a puzzle by a click on its picture."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for puzzle in self.puzzles:
                if self._cards[puzzle.name].collidepoint(event.pos):
                    self._choose(puzzle)
                    return

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the cards."""
        super().draw(surface)
        self.write(surface, "gridpuzzles", self._title, self.theme.accent, 1.3 * self.line)
        for puzzle in self.puzzles:
            card = self._cards[puzzle.name]
            self.card(surface, card)
            picture = self._pictures.get(puzzle.name)
            room = pygame.Rect(card.left, card.top + 6, card.width, card.height - self.line - 18)
            if picture is None:
                self.write(surface, "…", room, self.theme.faint)
            else:
                surface.blit(picture, picture.get_rect(center=room.center))

    def resume(self) -> None:
        """There may be another game to continue."""
        self.open(self.size)

    def _choose(self, puzzle: Puzzle) -> None:
        self.app.show("levels", puzzle)

    def _continue(self) -> None:
        latest = self.app.progress.latest_game()
        if latest is None:
            return
        try:
            game = Game.resumed(latest[1])
        except (ValueError, OSError) as error:
            self.app.progress.save_game(latest[0], None)
            self.app.say(f"the saved game cannot be continued: {error}")
            self.open(self.size)
        else:
            self.app.show("playing", game)

    def _generate(self) -> None:
        self.app.show("generating")

    def _watch(self) -> None:
        self.app.show("watching")

    def _edit(self) -> None:
        self.app.show("editor")

    def _settings(self) -> None:
        self.app.show("settings")


def _grid(area: pygame.Rect, columns: int, count: int, gap: int) -> tuple[int, int, int]:
    """Return the number of columns, and the width and height of each of ``count`` cells."""
    rows = -(-count // columns)
    return columns, (area.width - gap * (columns - 1)) // columns, (area.height - gap * (rows - 1)) // rows


def _described(name: str, saved: dict[str, object]) -> str:
    titles = {puzzle.name: puzzle.title for puzzle in all_puzzles()}
    return f"{titles.get(name, name)}, {saved.get('title', '')}"


def _example(puzzle: Puzzle) -> Scene:
    """Return a scene that shows what a puzzle looks like."""
    return smallest(puzzle).game().scene()
