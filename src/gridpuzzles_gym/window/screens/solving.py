"""Solving: the progress of a search or an agent on the game, and then its solution, step by step; and replays."""

from collections.abc import Callable
from typing import NamedTuple

import pygame

from gridpuzzles_gym.agents.registry import is_model

from ...session.game import Game
from ...session.session import short_name
from ..model.demonstrating import Demonstration, choices_for
from ..views.board_view import SECONDS, BoardView
from ..views.slider import Slider
from .files import MODEL, ask_for_model
from .host import Host
from .screen import Entry, KeyHelp, Screen


class Replay(NamedTuple):
    """What is replayed."""

    name: str
    play_on: Callable[[Game], object]
    """Called with the game if the person wants to play on from a position of it."""


class SolvingScreen(Screen):
    """A demonstration from the current position of a game, or a replay of all its actions.

    Args:
        app: The app.
        game: The game, which another screen closes; this one closes the game of a replay.
        replay: The replay; None for a demonstration.
    """

    help: KeyHelp = (
        (". and ,", "one step, one step back"),
        ("Home, End, drag the slider", "go to any step"),
        ("P", "take over: play on from here"),
        ("drop a trained model", "let it play; or choose it in the menu"),
    )
    chooses = False

    def __init__(self, app: Host, game: Game, replay: Replay | None = None) -> None:
        super().__init__(app)
        self.game, self.replay = game, replay
        if replay is not None:
            self.help = self.help[:-1]  # there is no menu
        self.choices = choices_for(game)
        self.slider = Slider()
        self.view = BoardView(game.puzzle, app.preferences.animation)
        self._taken_over = False
        self._layout: tuple[bool, bool] | None = None
        self.show = Demonstration(game, self.choices[0] if replay is None else replay.name, replay is not None)
        self._draw_scene()

    def choose(self, choice: str) -> None:
        """Let another search or agent play from where the last one began."""
        paused, pace = self.show.paused, self.show.pace
        self.show.close()
        self.show.withdraw()
        if choice not in self.choices:
            self.choices.append(choice)
        self.show = Demonstration(self.game, choice)
        self.show.paused, self.show.pace = paused, pace
        self._draw_scene()
        self.open(self.size)

    def build(self) -> None:
        """Lay out the menu, the board and the buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        searching, paused = self.show.searching, self.show.paused
        self._layout = searching, paused
        wide = 0
        if self.replay is None:
            names = {choice: short_name(choice) if is_model(choice) else choice for choice in self.choices}
            self._names = {name: choice for choice, name in names.items()}
            wide = min(10 * line, width // 3)
            place = pygame.Rect(gap, gap, wide, line)
            self.menu(place, "Who solves it?", [*self._names, MODEL], names[self.show.choice], self._pick)
        self._words = self.message_box = pygame.Rect(wide + 2 * gap, gap, width - wide - 3 * gap, line)
        back = Entry("Back", self.back, "escape")
        running = (
            Entry("Step back", self._step_back, "left"),
            Entry("Play" if paused else "Pause", self._pause, "space"),
            Entry("Step", self._step, "right"),
            Entry("Slower", lambda: self._pace(-1), "-"),
            Entry("Faster", lambda: self._pace(1), "+"),
            Entry("Take over", self.take_over, "return"),
        )
        self.toolbar((back, *((Entry("Stop and keep the best", self.show.stop, "s"),) if searching else running)))
        top, high = line + 2 * gap, 0 if self.show.length is None else 2 * line // 3
        self._board = pygame.Rect(gap, top, width - 2 * gap, self.floor - top - high - gap)
        self.slider.lay_out(pygame.Rect(gap, self._board.bottom, width - 2 * gap, high), self.show.length or 0)
        if searching:
            return
        for key, action in (
            (",", self._step_back),
            (".", self._step),
            ("=", lambda: self._pace(1)),
            ("p", self.take_over),
            ("home", lambda: self._seek(0)),
            ("end", lambda: self._seek(self.slider.length)),
        ):
            self.on_key(key, action)

    def handle(self, event: pygame.event.Event) -> None:
        """Step with the wheel, and go where the slider is dragged."""
        chosen = self.slider.take(event)
        if chosen is not None and self.slider.length:
            self._seek(chosen)
        elif event.type == pygame.MOUSEWHEEL and not self.show.searching:
            for _ in range(abs(event.y)):
                self._step_back() if event.y < 0 else self._step()

    def _pick(self, name: str) -> None:
        if name == MODEL:
            ask_for_model(self.app, self.game.puzzle, self.choose)
        else:
            self.choose(self._names[name])

    def tick(self, seconds: float) -> None:
        """Receive results, play the actions that are due, and continue the movement."""
        if self.view.moving:
            self.view.tick(seconds)
            self.dirty = True
        before = self.show.at
        if self.show.tick(seconds):
            self._draw_scene(self.show.at == before + 1 and self.show.pace * SECONDS < 1)
        if self._layout != (self.show.searching, self.show.paused):
            self.open(self.size)
        self.moving = self.view.moving
        self.waiting = self.show.thinking or not (self.show.paused or self.show.ended)

    def leave(self) -> None:
        """End the search. Unless the person has taken over, undo its actions."""
        self.show.close()
        if not self._taken_over and self.replay is None:
            self.show.withdraw()
        elif not self._taken_over:
            self.game.close()

    def dropped(self, path: str) -> None:
        """Let a dropped model play; open the levels of other files."""
        if is_model(path) and self.replay is None:
            self.choose(path)
        else:
            super().dropped(path)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the result and the board."""
        super().draw(surface)
        failed = self.show.error or (self.show.hint is not None and self.show.hint.message)
        self.write(surface, self.show.words(), self._words, self.theme.bad if failed else self.theme.accent)
        self.view.draw(surface, self._board, self.theme.panel)
        if self.slider.length:
            self.slider.draw(surface, self.show.at, self.theme)

    # -- what can be done ------------------------------------------------------------------------------

    def take_over(self) -> None:
        """Close this screen and keep the current position."""
        self._taken_over = True
        self.back()
        if self.replay is not None:
            self.replay.play_on(self.game)

    def _pause(self) -> None:
        self.show.paused = not self.show.paused
        self.waiting = True

    def _step(self) -> None:
        self.show.paused = True
        self.view.finish()
        if self.show.forward():
            self._draw_scene(True)
        self.waiting = self.moving = True

    def _step_back(self) -> None:
        self.show.paused = True
        if self.show.back():
            self._draw_scene()
        self.waiting = True

    def _seek(self, at: int) -> None:
        self.show.paused = True
        self.show.seek(at)
        self._draw_scene()
        self.waiting = True

    def _pace(self, steps: int) -> None:
        self.show.faster(steps)
        self.app.say(f"{self.show.pace:g} steps a second")

    def _draw_scene(self, moved: bool = False) -> None:
        scene = self.game.scene()
        self.view.show(self.game.puzzle.revealed(scene) if self.game.over else scene, moved)
        self.dirty = True
