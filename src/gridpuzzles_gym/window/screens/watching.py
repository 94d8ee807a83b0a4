"""Watching agents: what they do and think, side by side, or against a person."""

import dataclasses
import functools
from collections.abc import Sequence

import pygame

from gridpuzzles_gym.agents.registry import advising_agents, agents_of

from ...engine.board.gestures import Square
from ...engine.puzzle import Puzzle
from ...session.arguments import all_puzzles
from ...session.choices import Choice, choices_of, picture_settings, playing_settings
from ...session.game import Game
from ...session.players import YOU, RecordedActions
from ...session.session import short_name
from ...session.watch_options import WatchOptions
from ...session.watching import Watching
from ..model.controls import keys_of
from ..model.trained_models import is_model_file
from ..views.board_view import SECONDS, BoardView
from ..views.player_view import draw_player
from .files import MODEL, ask_for_model
from .host import Host
from .screen import Entry, Screen

NOBODY = "no second player"
"""The entry of the second player's menu for a single player."""
ONCE = WatchOptions(episodes=1)
"""The options of a screen that is opened from a menu: an episode is played once."""


class WatchingScreen(Screen):
    """One or two players of the same level, and what they think.

    Args:
        app: The app.
        puzzle: The puzzle; None for the first.
        choice: The source of levels; None for the puzzle's first.
        number: The number of the level, from 0, or the seed.
        players: As for :class:`~gridpuzzles_gym.session.watching.Watching`; empty for the agent that gives advice.
        options: How they are watched; seed and settings apply until another puzzle is chosen.
        log: Receives one line for each finished episode.
    """

    help = (
        (". and ,", "one step, one step back"),
        ("N", "next level"),
        ("drop a trained model", "watch it; or choose it in a menu"),
        ("your own keys and gestures", "play, if you are one of the two"),
    )
    chooses = False

    def __init__(
        self,
        app: Host,
        puzzle: Puzzle | None = None,
        choice: Choice | None = None,
        number: int | None = None,
        players: Sequence[str | RecordedActions] = (),
        options: WatchOptions = ONCE,
        log: list[str] | None = None,
    ) -> None:
        super().__init__(app)
        self.puzzles = all_puzzles()
        self.watching: Watching | None = None
        self.thoughts_shown, self._options = options.notes, options
        self._log = [] if log is None else log
        self._grabbed: Square | None = None
        self.puzzle = puzzle or self.puzzles[0]
        self.choices = choices_of(self.puzzle)
        if choice is not None and choice not in self.choices:
            self.choices.insert(0, choice)
        self.choice = choice or self.choices[0]
        self.players: list[str | RecordedActions] = list(players) or [default_agent(self.puzzle)]
        self.watch(number)

    # -- what is watched -------------------------------------------------------------------------------

    def watch(self, number: int | None = None) -> None:
        """Watch the chosen players, beginning with a level."""
        self._close()
        self.views: list[BoardView] = []
        try:
            settings = {**picture_settings(self.app.preferences, self.puzzle), **self._options.settings}
            options = dataclasses.replace(self._options, level=self.choice.level, settings=settings)
            made = Watching(self.choice.env_id, self.players, options, number)
        except (ValueError, OSError) as error:
            self.app.say(str(error))
            return
        self.watching = made
        self.views = [BoardView(self.puzzle, self.app.preferences.animation) for _ in made.players]
        self.actions = keys_of(self.puzzle, made.players[0].game.env.options, self.app.preferences).actions
        self.waiting = True
        self._show()

    def choose(self, menu: str, text: str) -> None:
        """Choose an entry of one of the menus ``"puzzle"``, ``"levels"``, ``"first"`` and ``"second"``."""
        if text == MODEL:
            ask_for_model(self.app, self.puzzle, functools.partial(self._play_model, menu))
            return
        if menu == "puzzle":
            self.puzzle = next(puzzle for puzzle in self.puzzles if puzzle.title == text)
            self.choices = choices_of(self.puzzle)
            self.choice = self.choices[0]
            self.players = [default_agent(self.puzzle)]
            self._options = dataclasses.replace(ONCE, fps=self._options.fps)
        elif menu == "levels":
            self.choice = next(choice for choice in self.choices if choice.title == text)
            settings = {name: value for name, value in self._options.settings.items() if name != "levels"}
            self._options = dataclasses.replace(self._options, settings=settings)
        elif menu == "first":
            self.players[0] = self._named(text)
        else:
            self.players[1:] = [] if text == NOBODY else [self._named(text)]
        keeps = menu in ("first", "second") and self.watching is not None
        self.watch(self.watching.players[0].game.number if keeps and self.watching is not None else None)
        self.open(self.size)

    def _named(self, text: str) -> str | RecordedActions:
        """Return the player of a menu entry: a current player, or the name of an agent."""
        return next((player for player in self.players if _name(player) == text), text)

    @property
    def view(self) -> BoardView:
        """The board of the person, or of the first player."""
        players = [] if self.watching is None else self.watching.players
        own = [view for player, view in zip(players, self.views, strict=True) if player.name == YOU]
        return (own or self.views)[0]

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out menus, boards and buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        agents = [*agents_of(self.puzzle), MODEL, YOU]
        first, second = _name(self.players[0]), _name(self.players[1]) if len(self.players) > 1 else NOBODY
        menus = (
            ("puzzle", "Puzzle", [puzzle.title for puzzle in self.puzzles], self.puzzle.title),
            ("levels", "Levels", [choice.title for choice in self.choices], self.choice.title),
            ("first", "Who plays?", _with(agents[:-1] if second == YOU else agents, first), first),
            ("second", "Who plays too?", _with([NOBODY, *(agents[:-1] if first == YOU else agents)], second), second),
        )
        wide = (width - 5 * gap) // 4
        for k, (name, heading, entries, chosen) in enumerate(menus):
            place = pygame.Rect(gap + k * (wide + gap), gap, wide, line)
            self.menu(place, heading, entries, chosen, functools.partial(self.choose, name))
        top = line + 2 * gap
        paused = self.watching is not None and self.watching.paused
        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                Entry("Step back", self._back, "left"),
                Entry("Resume" if paused else "Pause", self._pause, "space"),
                Entry("Step", self._step, "right"),
                Entry("Thoughts", self._toggle, "t"),
                Entry("Slower", lambda: self._faster(-1), "-"),
                Entry("Faster", lambda: self._faster(1), "+"),
                Entry("Previous", lambda: self._go(-1), "pageup", lambda: self._has(-1)),
                Entry("Next", lambda: self._go(1), "pagedown", lambda: self._has(1)),
                Entry("Take over", self._take_over, "p", self._has_agent),
            )
        )
        self._area = pygame.Rect(gap, top, width - 2 * gap, self.floor - top - gap)
        self.message_box = pygame.Rect(gap, top, width - 2 * gap, round(1.3 * self.text))
        others = ((",", self._back), (".", self._step), ("=", lambda: self._faster(1)), ("n", lambda: self._go(1)))
        for key, action in others:
            self.on_key(key, action)
        if self.watching is not None and self.watching.person is not None:  # a person's own keys take precedence
            for key, number in self.actions.items():
                self.on_key(key, functools.partial(self._act, [number]))

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse of a person who plays."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self.views:
            self._grabbed = self.view.square_at(event.pos)
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1 and self._grabbed is not None:
            start, self._grabbed = self._grabbed, None
            end = self.view.square_at(event.pos)
            if end is not None:
                self._point(start, end)

    # -- time ------------------------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive decisions, take the steps that are due, and continue movements."""
        if self.watching is None:
            return
        if any(view.moving for view in self.views):
            for view in self.views:
                view.tick(seconds)
            self.dirty = True
        before = self.watching.at
        if self.watching.tick(seconds):
            self._show(self.watching.at == before + 1 and self.watching.pace < 1 / SECONDS)
        self.moving = any(view.moving for view in self.views)
        self.waiting = self.watching.running or self.watching.thinking or self.watching.continues

    def leave(self) -> None:
        """End all agents."""
        self._close()

    def _close(self) -> None:
        if self.watching is not None:
            self._log += self.watching.log
            self.watching.close()
            self.watching = None

    def dropped(self, path: str) -> None:
        """Let a dropped model be the first player; open the levels of other files."""
        if is_model_file(path):
            self._play_model("first", path)
        else:
            super().dropped(path)

    def _play_model(self, menu: str, path: str) -> None:
        place = 0 if menu == "first" else 1
        self.players[place : place + 1] = [path]
        self.choose(menu, _name(path))

    def _show(self, moved: bool = False) -> None:
        if self.watching is None:
            return
        for player, view in zip(self.watching.players, self.views, strict=True):
            view.show(self.watching.scene(player, self.thoughts_shown), moved and player.steps == self.watching.at)
        self.dirty = True

    # -- what can be done ------------------------------------------------------------------------------

    def _pause(self) -> None:
        if self.watching is not None:
            self.watching.paused = not self.watching.paused
            self.open(self.size)

    def _step(self) -> None:
        if self.watching is not None:
            self._hold()
            if self.watching.forward():
                self._show(True)

    def _back(self) -> None:
        if self.watching is not None:
            self._hold()
            if self.watching.back():
                self._show()

    def _hold(self) -> None:
        """Pause, because steps are taken by hand."""
        if self.watching is not None and not self.watching.paused and self.watching.person is None:
            self._pause()

    def _faster(self, steps: int) -> None:
        if self.watching is not None:
            self.watching.faster(steps)
            self._options = dataclasses.replace(self._options, fps=self.watching.pace)

    def _toggle(self) -> None:
        self.thoughts_shown = not self.thoughts_shown
        self._show()

    def _has(self, step: int) -> bool:
        return self.watching is not None and self.watching.players[0].game.has(step)

    def _go(self, step: int) -> None:
        if self.watching is not None and self._has(step):
            self.watching.go_to(self.watching.players[0].game.number + step)
            self.waiting = True
            self._show()

    def _has_agent(self) -> bool:
        return self.watching is not None and any(player.name != YOU for player in self.watching.players)

    def _take_over(self) -> None:
        """Play from the first agent's position."""
        if self.watching is None:
            return
        saved = next(player for player in self.watching.players if player.name != YOU).game.save()
        own = playing_settings(self.app.preferences, self.puzzle)
        saved |= {"undone": [], "hinted": list(range(len(saved["taken"]))), "limit": None, "slot": "taken over"}
        game = Game.resumed({**saved, "settings": {**own, **saved["settings"]}})
        if game.over:
            game.undo()
        self._hold()
        self.app.show("playing", game, "the agents")

    def _act(self, actions: Sequence[int]) -> None:
        if self.watching is not None:
            for action in actions:
                if self.watching.play(action):
                    self._show(True)
            self.waiting = True

    def _point(self, start: Square, end: Square) -> None:
        gestures, person = self.puzzle.gestures, None if self.watching is None else self.watching.person
        if gestures is None or person is None or person.ended:
            return
        scene = person.game.scene()
        rows = scene.level, scene.state, scene.options
        self._act(gestures.click(*rows, end) if start == end else gestures.drag(*rows, start, end))

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the boards and the players' thoughts."""
        super().draw(surface)
        if self.watching is None:
            self.write(surface, "choose an agent", self._area, self.theme.faint)
            return
        players = self.watching.players
        wide = self._area.width // len(players)
        for k, (player, view) in enumerate(zip(players, self.views, strict=True)):
            area = pygame.Rect(self._area.left + k * wide, self._area.top, wide, self._area.height)
            draw_player(self, surface, self.watching, player, view, area.inflate(-8, 0), self.thoughts_shown)


def default_agent(puzzle: Puzzle) -> str:
    """Return the name of a puzzle's agent that gives advice; without one, of its first agent."""
    return [*advising_agents(puzzle), *agents_of(puzzle)][0]


def _name(player: str | RecordedActions) -> str:
    return player.name if isinstance(player, RecordedActions) else short_name(player)


def _with(entries: Sequence[str], chosen: str) -> list[str]:
    """Return the entries of a menu with the chosen one, which may be a model's path."""
    return list(dict.fromkeys([*entries, chosen]))
