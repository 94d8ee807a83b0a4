"""The start screen: the puzzles, the game to continue, and buttons for everything else."""

import dataclasses
import functools

import pygame

from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from ...session.arguments import all_puzzles
from ...session.choices import picture_settings
from ...session.game import Game
from ..model.showcase import Showcase, ShownGame
from ..views.board_view import SECONDS, thumbnail
from .host import TITLE, Host
from .screen import Action, Screen

_CONTINUE = ""
"""The name of the card of the game to continue; no puzzle has it."""


class StartScreen(Screen):
    """A card for each puzzle, which plays itself for a while, and buttons below.

    Args:
        app: The app.
    """

    help = (
        ("1 … 9", "a puzzle"),
        ("mouse on a picture", "the puzzle is played"),
        ("c", "continue the last game"),
        ("g", "generate levels"),
        ("w", "watch an agent"),
        ("e", "draw levels"),
        ("s", "settings"),
    )

    def __init__(self, app: Host) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self.showcase = Showcase({})
        self._scenes: dict[str, Scene] = {}
        self._pictures: dict[str, pygame.Surface | None] = {}
        self._pointed = ""
        self._moved: tuple[str, float] | None = None
        self.waiting = True  # until all pictures are drawn

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out the cards and the buttons."""
        width, height = self.size
        line, gap = self.line, max(height // 60, 4)
        self._title = pygame.Rect(0, gap, width, round(1.6 * line))
        top = self._title.bottom + gap
        area = pygame.Rect(gap, top, width - 2 * gap, height - top - line - 2 * gap)
        latest = self.app.progress.latest_game()
        cards: list[tuple[str, str, Action, str]] = [
            (puzzle.name, puzzle.title, functools.partial(self._choose, puzzle), str(k + 1))
            for k, puzzle in enumerate(self.puzzles)
        ]
        self._scenes.pop(_CONTINUE, None)
        if latest is not None:
            cards.append((_CONTINUE, f"Continue: {_described(*latest)}", self._continue, "c"))
        self._cards = dict(zip([card[0] for card in cards], _cells(area, len(cards), gap, line), strict=True))
        self._actions = {name: action for name, _, action, _ in cards}
        for name, label, action, key in cards:
            card = self._cards[name]
            self.button(pygame.Rect(card.left + 6, card.bottom - line - 6, card.width - 12, line), label, action, key)
        self._pictures.clear()
        self._moved = None
        self.waiting = True
        self.row(
            pygame.Rect(gap, height - line - gap, width - 2 * gap, line),
            (
                ("Generate levels", lambda: self.app.show("generating"), "g"),
                ("Watch an agent", lambda: self.app.show("watching"), "w"),
                ("Editor", lambda: self.app.show("editor"), "e"),
                ("Settings", lambda: self.app.show("settings"), "s"),
                ("Quit", self.back, "escape"),
            ),
        )

    def take(self, event: pygame.event.Event) -> None:
        """Follow the mouse."""
        if event.type in (pygame.MOUSEMOTION, pygame.WINDOWLEAVE):
            inside = (
                name for name, card in self._cards.items() if hasattr(event, "pos") and card.collidepoint(event.pos)
            )
            pointed = next(inside, "")
            self.dirty = self.dirty or pointed != self._pointed
            self._pointed = pointed
        super().take(event)

    def handle(self, event: pygame.event.Event) -> None:
        """Choose a card on a click on its picture."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for name, card in self._cards.items():
                if card.collidepoint(event.pos):
                    self._actions[name]()
                    return

    # -- time and pictures -----------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Draw one more picture, so that the window appears before all are drawn; then let the puzzles play."""
        missing = [name for name in self._cards if name not in self._pictures]
        if missing:
            self._draw_picture(missing[0])
            self.waiting = True
            return
        self.waiting = self.moving = False
        if self.app.looks_ahead and self.app.preferences.animation:
            self._animate(seconds)

    def _animate(self, seconds: float) -> None:
        """Continue the movement that is shown, or begin the next."""
        if self._moved is not None:
            name, phase = self._moved
            phase += seconds / SECONDS
            self._moved = (name, phase) if phase < 1 else None
            self._draw_picture(name, min(phase, 1.0))
        changed = self.showcase.tick(seconds, self._pointed)
        if changed is not None and self._moved is None:
            name, moved = changed
            self._scenes[name] = self.showcase.games[name].scene
            self._moved = (name, 0.0) if moved else None
            self._draw_picture(name, 0.0 if moved else 1.0)
        self.moving = self._moved is not None
        self.waiting = not self.showcase.resting(self._pointed)

    def _draw_picture(self, name: str, phase: float = 1.0) -> None:
        card = self._cards[name]
        puzzle, scene = self._scene(name)
        if scene is not None and scene.before is not None and phase < 1:
            scene = dataclasses.replace(scene, phase=phase)
        size = card.width - 12, max(card.height - self.line - 20, 4)
        self._pictures[name] = None if scene is None else thumbnail(puzzle, scene, size)
        self.dirty = True

    def _scene(self, name: str) -> tuple[Puzzle, Scene | None]:
        """Return the puzzle and the scene of a card; None as scene if the saved game cannot be continued."""
        if name == _CONTINUE:
            latest = self.app.progress.latest_game()
            assert latest is not None
            puzzle = next((each for each in self.puzzles if each.name == latest[0]), self.puzzles[0])
            if name not in self._scenes:
                try:
                    game = Game.resumed(latest[1])
                except (ValueError, OSError):
                    return puzzle, None
                self._scenes[name] = game.scene()
                game.close()
            return puzzle, self._scenes[name]
        puzzle = next(each for each in self.puzzles if each.name == name)
        if name not in self._scenes:
            shown = ShownGame(puzzle, picture_settings(self.app.preferences, puzzle))
            self.showcase.games[name] = shown
            self._scenes[name] = shown.scene
        return puzzle, self._scenes[name]

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the title and the cards."""
        super().draw(surface)
        self.write(surface, TITLE, self._title, self.theme.accent, 1.3 * self.line)
        for name, card in self._cards.items():
            self.card(surface, card, self.theme.accent if name == self._pointed else "")
            picture = self._pictures.get(name)
            area = pygame.Rect(card.left, card.top + 6, card.width, card.height - self.line - 18)
            if picture is not None:
                surface.blit(picture, picture.get_rect(center=area.center))
            elif name not in self._pictures:
                self.write(surface, "…", area, self.theme.faint)

    def resume(self) -> None:
        """Show the current game to continue and use the current settings."""
        self._scenes.clear()
        self.showcase.end()
        self.showcase = Showcase({})
        self.open(self.size)

    def leave(self) -> None:
        """End the search for games."""
        self.showcase.end()

    # -- what can be done ------------------------------------------------------------------------------

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
            game.pictures = picture_settings(self.app.preferences, game.puzzle)
            self.app.show("playing", game)


def _cells(area: pygame.Rect, count: int, gap: int, line: int) -> list[pygame.Rect]:
    """Return the rectangles of cards for the largest possible pictures; the last row is centered."""

    def size(columns: int) -> tuple[int, int]:
        rows = -(-count // columns)
        return (area.width - gap * (columns - 1)) // columns, (area.height - gap * (rows - 1)) // rows

    columns = max(range(1, count + 1), key=lambda columns: min(size(columns)[0], size(columns)[1] - line))
    wide, high = size(columns)
    cells = []
    for k in range(count):
        row, column = divmod(k, columns)
        indent = (columns - min(columns, count - row * columns)) * (wide + gap) // 2
        cells.append(pygame.Rect(area.left + indent + column * (wide + gap), area.top + row * (high + gap), wide, high))
    return cells


def _described(name: str, saved: dict[str, object]) -> str:
    titles = {puzzle.name: puzzle.title for puzzle in all_puzzles()}
    return f"{titles.get(name, name)}, {saved.get('title', '')}"
