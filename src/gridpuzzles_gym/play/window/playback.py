"""The screens that play actions back: solving, replays, and watching an agent with what it thinks."""

import functools
from collections.abc import Sequence

import pygame

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import advising_agents, agents_of
from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.pictures import painting
from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from ..arguments import all_puzzles
from ..choices import MenuEntry, choices_of
from ..play_session import PlaySession
from ..playback import (
    Playback,
    RecordedActions,
    WatchedEpisodes,
    path_of,
    replay,
    solve,
    solver_names,
)
from ..preferences import picture_settings
from ..session import WatchOptions, short_name
from .app import App
from .screen import Entry, KeyHelp, Screen
from .widgets import SECONDS, BoardView, Slider, draw_path, draw_values, wrap

ONCE = WatchOptions(episodes=1)
"""The options of a screen that is opened from a menu: an episode is played once."""


class PlaybackScreen(Screen):
    """A board, a slider, and buttons for going forwards and backwards.

    Args:
        app: The app.
        playback: What is played.
    """

    help: KeyHelp = (("Home, End, drag the slider", "go to any step"), ("wheel", "one step"))
    chooses = False

    def __init__(self, app: App, playback: Playback) -> None:
        super().__init__(app)
        self.slider = Slider()
        self._layout: tuple[bool, bool] | None = None
        self._show(playback)

    def _show(self, playback: Playback) -> None:
        """Show another playback."""
        self.playback = playback
        self.view = BoardView(playback.game.puzzle)
        self._draw_scene()

    def _build_controls(self, top: int, others: Sequence[Entry] = ()) -> None:
        """Lay out the board below ``top``, the slider and the buttons."""
        width, gap = self.size[0], self.gap
        searching, paused = self._layout = self._state
        steps = (
            Entry("Step back", lambda: self._seek(self.playback.at - 1), "left"),
            Entry("Play" if paused else "Pause", self._pause, "space"),
            Entry("Step", self._step, "right"),
            Entry("Slower", lambda: self._faster(-1), "-"),
            Entry("Faster", lambda: self._faster(1), "+"),
            *others,
        )
        stop = Entry("Stop and keep the best", self.playback.stop, "s")
        self.toolbar((Entry("Back", self.back, "escape"), *((stop,) if searching else steps)))
        high = 2 * self.line // 3
        self._board = pygame.Rect(gap, top, width - 2 * gap, self.floor - top - high - gap)
        self.slider.rect = pygame.Rect(2 * gap, self._board.bottom, width - 4 * gap, high)
        if not searching:
            self.on_key("=", lambda: self._faster(1))
            self.on_key("home", lambda: self._seek(0))
            self.on_key("end", lambda: self._seek(self.slider.length))

    @property
    def _state(self) -> tuple[bool, bool]:
        """What the buttons depend on: whether a search is running, and whether it is paused."""
        return self.playback.searching, self.playback.paused

    def handle(self, event: pygame.event.Event) -> None:
        """Step with the wheel, and go where the slider is dragged."""
        chosen = self.slider.take(event)
        if chosen is not None and self.slider.length:
            self._seek(chosen)
        elif event.type == pygame.MOUSEWHEEL and not self.playback.searching:
            for _ in range(abs(event.y)):
                self._seek(self.playback.at - 1) if event.y < 0 else self._step()

    def tick(self, seconds: float) -> None:
        """Receive results, play the actions that are due, and continue the movement."""
        if self.view.moving:
            self.view.tick(seconds)
            self.dirty = True
        before = self.playback.at
        if self._let_pass(seconds):
            self._draw_scene(self.playback.at == before + 1 and self.playback.pace * SECONDS < 1)
        self.slider.length = len(self.playback.decisions)
        if self._layout != self._state:
            self.open(self.size)
        self.moving = self.view.moving
        self.waiting = self.playback.busy or not (self.playback.paused or self.playback.ended)

    def _let_pass(self, seconds: float) -> bool:
        """Let time pass; return whether anything has changed."""
        return self.playback.tick(seconds)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the slider."""
        super().draw(surface)
        if self.slider.length:
            self.slider.draw(surface, self.playback.at, self.theme)

    def _scene(self) -> Scene:
        """Return the scene to draw."""
        raise NotImplementedError

    def _draw_scene(self, moved: bool = False) -> None:
        self.view.show(self._scene(), moved)
        self.waiting = self.dirty = True

    def _pause(self) -> None:
        self.playback.paused = not self.playback.paused
        self.waiting = True

    def _step(self) -> None:
        self.playback.paused = True
        self.view.finish()
        self._draw_scene(self.playback.forward())

    def _seek(self, at: int) -> None:
        self.playback.paused = True
        self.playback.seek(at)
        self._draw_scene()

    def _faster(self, steps: int) -> None:
        self.playback.faster(steps)
        self.app.say(f"{self.playback.pace:g} steps a second")


class SolvingScreen(PlaybackScreen):
    """A solution from the current position of a game, or a replay of all its actions.

    Args:
        app: The app.
        game: The game, which another screen closes; this one closes the game of a replay.
        replayed: What is replayed; empty for a solution.
    """

    def __init__(self, app: App, game: PlaySession, replayed: str = "") -> None:
        self.game, self.names, self.replayed = game, solver_names(game), replayed
        self.chosen, self._taken_over = self.names[0], False
        super().__init__(app, replay(game, replayed) if replayed else solve(game, self.chosen))

    def choose(self, name: str) -> None:
        """Let another search or agent play from where the last one began."""
        before = self.playback
        before.close()
        before.seek(0)
        self.chosen, playback = name, solve(self.game, name)
        playback.paused, playback.pace = before.paused, before.pace
        self._show(playback)
        self.open(self.size)

    def build(self) -> None:
        """Lay out the menu, the board and the buttons."""
        width, line, gap, wide = self.size[0], self.line, self.gap, 0
        if not self.replayed:
            wide = min(10 * line, width // 3)
            self.menu(pygame.Rect(gap, gap, wide, line), "Who solves it?", self.names, self.chosen, self.choose)
            self.on_key("return", self.take_over)
        self._words = self.message_box = pygame.Rect(wide + 2 * gap, gap, width - wide - 3 * gap, line)
        self._build_controls(
            line + 2 * gap, () if self.replayed else (Entry("Play on from here", self.take_over, "p"),)
        )

    def leave(self) -> None:
        """End the search. Unless the person has taken over, undo its actions."""
        self.playback.close()
        if self.replayed:
            self.game.close()
        elif not self._taken_over:
            self.playback.seek(0)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the result and the board."""
        super().draw(surface)
        playback = self.playback
        failed = playback.error or (playback.hint is not None and playback.hint.message)
        self.write(surface, playback.words(), self._words, self.theme.bad if failed else self.theme.accent)
        self.view.draw(surface, self._board, self.theme.panel)

    def take_over(self) -> None:
        """Close this screen and keep the current position."""
        self._taken_over = True
        self.back()

    def _scene(self) -> Scene:
        scene = self.game.scene()
        return self.game.puzzle.revealed(scene) if self.game.over else scene


class WatchingScreen(PlaybackScreen):
    """An agent on a level, and what it thinks.

    Args:
        app: The app.
        game: The game; None for the first levels of the first puzzle.
        number: The number of the level, from 0, or the seed.
        players: Agents as for :class:`~..playback.WatchedEpisodes`; the first plays. Empty for the one that gives
            advice.
        options: How they are watched, until another puzzle is chosen.
        log: Receives one line for each finished episode.
    """

    def __init__(
        self,
        app: App,
        game: Game | None = None,
        number: int | None = None,
        players: Sequence[str | RecordedActions] = (),
        options: WatchOptions = ONCE,
        log: list[str] | None = None,
    ) -> None:
        self.puzzles = all_puzzles()
        self._log = [] if log is None else log
        game = (game or choices_of(self.puzzles[0])[0].game()).with_levels()
        self.players: list[str | RecordedActions] = list(players) or [default_agent(game.puzzle)]
        self._use(game, self.players[0], options, _episodes(app, game, self.players[0], options, number))
        super().__init__(app, self.watching.playback)

    # -- what is watched -------------------------------------------------------------------------------

    def _use(self, game: Game, player: str | RecordedActions, options: WatchOptions, watching: WatchedEpisodes) -> None:
        """Watch a game, and offer the levels of its puzzle, those of the game among them."""
        self.game, self.puzzle, self.choices = game, game.puzzle, choices_of(game.puzzle)
        self.player, self._options, self.watching = player, options, watching
        chosen = [choice for choice in self.choices if (choice.env_id, choice.level) == (game.id, game.choice)]
        if not chosen:
            title = game.choice if isinstance(game.choice, str) and "\n" not in game.choice else "given levels"
            chosen = [MenuEntry(title, game.id, game.choice)]
            self.choices.insert(0, chosen[0])
        self.choice = chosen[0]

    def choose(self, menu: str, text: str) -> None:
        """Choose an entry of one of the menus ``"puzzle"``, ``"levels"`` and ``"agent"``."""
        game, player, players, options, number = self.game, self.player, self.players, self._options, None
        try:
            if menu == "puzzle":
                puzzle = next(puzzle for puzzle in self.puzzles if puzzle.title == text)
                game, player, options = choices_of(puzzle)[0].game(), default_agent(puzzle), ONCE
                players = [player]
            elif menu == "levels":
                choice = next(choice for choice in self.choices if choice.title == text)
                game = choice.game(**{name: value for name, value in game.settings.items() if name != "levels"})
            else:
                player = next((player for player in players if _name(player) == text), text)
                number = self.watching.game.number
            game = game.with_levels()
            watching = _episodes(self.app, game, player, options, number)
        except (ValueError, OSError) as error:
            self.app.say(str(error))
            return
        self.leave()
        self.players = players
        self._use(game, player, options, watching)
        self._show(watching.playback)
        self.open(self.size)

    # -- widgets ---------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out menus, boards and buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        agents = list(dict.fromkeys([*map(_name, self.players), *agents_of(self.puzzle)]))
        menus = (
            ("puzzle", "Puzzle", [puzzle.title for puzzle in self.puzzles], self.puzzle.title),
            ("levels", "Levels", [choice.title for choice in self.choices], self.choice.title),
            ("agent", "Who plays?", agents, _name(self.player)),
        )
        wide = (width - 4 * gap) // 3
        for k, (name, heading, entries, chosen) in enumerate(menus):
            place = pygame.Rect(gap + k * (wide + gap), gap, wide, line)
            self.menu(place, heading, entries, chosen, functools.partial(self.choose, name))
        self._build_controls(
            line + 2 * gap,
            (
                Entry("Previous", lambda: self._go(-1), "pageup", lambda: self.watching.game.has(-1)),
                Entry("Next", lambda: self._go(1), "pagedown", lambda: self.watching.game.has(1)),
            ),
        )
        self.message_box = pygame.Rect(gap, line + 2 * gap, width - 2 * gap, round(1.3 * self.text))

    # -- time ------------------------------------------------------------------------------------------

    def _let_pass(self, seconds: float) -> bool:
        changed = self.watching.tick(seconds)
        self.playback = self.watching.playback
        return changed

    def tick(self, seconds: float) -> None:
        """Let time pass, for this episode or until the next."""
        super().tick(seconds)
        self.waiting = self.waiting or self.watching.continues

    def leave(self) -> None:
        """End the agent."""
        self._log += self.watching.log
        self.watching.close()

    def _scene(self) -> Scene:
        return self.watching.scene(self._options.notes)

    def _go(self, step: int) -> None:
        self.watching.go_to(self.watching.game.number + step)
        self.playback = self.watching.playback
        self._draw_scene()

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the board, its numbers, and what the agent thinks."""
        super().draw(surface)
        watching, view, area = self.watching, self.view, self._board
        line = round(1.3 * self.text)
        rows = [pygame.Rect(area.left, area.top + k * line, area.width, line) for k in range(2)]
        name = watching.playback.name
        self.write(surface, f"{name}: {_status(watching)}", rows[0], self.theme.accent, 1.1 * self.text)
        self.write(surface, _numbers(watching), rows[1], self.theme.faint, self.text)
        thoughts = watching.playback.thoughts
        board = pygame.Rect(area.left, rows[1].bottom, area.width, area.bottom - rows[1].bottom - 4)
        words = pygame.Rect(board.right, board.top, 0, board.height)
        if self._options.notes and board.width > 1.5 * board.height:  # next to the board
            words = pygame.Rect(board.right - board.width // 4, board.top + line, board.width // 4, board.height - line)
            board.width -= words.width + self.gap
        elif self._options.notes:  # below it
            count = len(thoughts.figures) + len(thoughts.probabilities) + len(thoughts.legend) + bool(thoughts.values)
            below = line * min(max(count, 6), max(area.height // (4 * line), 0))
            board.height -= below
            words = pygame.Rect(area.left + area.width // 8, board.bottom + 4, 3 * area.width // 4, below)
        view.draw(surface, board, self.theme.panel)
        if self._options.notes and view.scene is not None:
            if not view.moving:
                self._draw_thoughts(surface, view.scene, thoughts)
            names = self.puzzle.actions(watching.game.env.options)
            draw_words(self, surface, thoughts, names, words)

    def _draw_thoughts(self, surface: pygame.Surface, scene: Scene, thoughts: Thoughts) -> None:
        """Draw what the agent thinks over the board."""
        puzzle, view = self.puzzle, self.view
        draw_values(surface, view, thoughts.values)
        path = thoughts.path or path_of(scene, puzzle, thoughts.plan)
        draw_path(surface, view, path, self.theme.accent)


def draw_words(
    screen: Screen, surface: pygame.Surface, thoughts: Thoughts, actions: Sequence[str], box: pygame.Rect
) -> None:
    """Write what is not on the board: figures, probabilities, and the meaning of notes and colours.

    Args:
        screen: The screen, for its theme.
        surface: The surface.
        thoughts: What the agent thinks.
        actions: The names of the actions.
        box: Where to write; what does not fit is left out.
    """
    lines = [(f"{name}: {words}", screen.theme.ink) for name, words in thoughts.figures.items()]
    for name, share in zip(actions, thoughts.probabilities, strict=False):
        lines.append((f"{name}: {100 * share:.0f} %", screen.theme.ink))
    if thoughts.values:
        low, high = min(thoughts.values.values()), max(thoughts.values.values())
        lines.append((f"{thoughts.values_name}, from blue to yellow: {low:.3g} to {high:.3g}", screen.theme.faint))
    for example, meaning in thoughts.legend.items():
        words = f"e.g. {example}" if any(map(str.isdigit, example)) else example
        lines.append((f"{words}: {meaning}", screen.theme.faint))
    height, letters = round(1.3 * screen.text), painting.font(screen.text)
    rows = [(part, color) for words, color in lines for part in wrap(words, letters, box.width)]
    for k, (words, color) in enumerate(rows[: box.height // height]):
        row = pygame.Rect(box.left, box.top + k * height, box.width, height)
        screen.write(surface, words, row, color, screen.text, "left")


def _status(watching: WatchedEpisodes) -> str:
    playback, game = watching.playback, watching.game
    if playback.error:
        return playback.error
    if game.over:
        return game.summary()
    words = f"step {playback.at}, return {game.scene().score:g}"
    return f"{words}, paused" if playback.paused else words


def _numbers(watching: WatchedEpisodes) -> str:
    game = watching.game
    count = "" if game.count is None else f"{game.number + 1} of {game.count}: "
    parts = [f"{count}{game.title}", watching.tally(), f"{watching.playback.pace:g} steps/s"]
    return " · ".join(part for part in parts if part)


def default_agent(puzzle: Puzzle) -> str:
    """Return the name of a puzzle's agent that gives advice; without one, of its first agent."""
    return [*advising_agents(puzzle), *agents_of(puzzle)][0]


def _episodes(
    app: App, game: Game, player: str | RecordedActions, options: WatchOptions, number: int | None
) -> WatchedEpisodes:
    """Return an agent's episodes, beginning with a level; raises ValueError if it cannot play there."""
    settings = {**picture_settings(app.preferences, game.puzzle), **game.settings}
    return WatchedEpisodes(game.with_settings(**settings), player, options, number)


def _name(player: str | RecordedActions) -> str:
    return player.name if isinstance(player, RecordedActions) else short_name(player)
