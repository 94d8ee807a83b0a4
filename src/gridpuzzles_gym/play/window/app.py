"""The app: one window, a stack of screens, and the main loop; and what opens it with a game, or an agent to watch."""

import contextlib
import dataclasses
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pygame

from ...engine.pictures import painting
from .. import jobs
from ..preferences import Preferences
from ..progress import Progress
from . import NoWindowError, crash

if TYPE_CHECKING:  # importing these takes long, and the window is shown before
    from gridpuzzles_gym.agents.game import Game

    from ..playback import RecordedActions
    from ..session import WatchOptions
    from ..solving import Solution

TITLE = "gridpuzzles"
"""The name of the app."""
SCREENS = {
    "start": "levels.StartScreen",
    "levels": "levels.LevelsScreen",
    "playing": "playing.PlayingScreen",
    "pause": "cards.PauseScreen",
    "victory": "cards.VictoryScreen",
    "solving": "playback.SolvingScreen",
    "generating": "generating.GeneratingScreen",
    "watching": "playback.WatchingScreen",
    "editor": "editor.EditorScreen",
    "settings": "cards.SettingsScreen",
    "menu": "cards.MenuScreen",
    "rules": "cards.RulesScreen",
    "help": "cards.HelpScreen",
}
"""The module and the class of each screen.

Screens lead to each other in circles: a game to its pause menu, the menu to the levels, the levels to a game. So they
open each other by name, without an import.
"""
SIZE = (1280, 800)
SMALLEST = (320, 240)
FRAMES, TICKS = 60, 30
"""Frames a second while something moves, and calls of ``tick`` while a screen waits for a job."""
REPEAT = 250, 60
"""Milliseconds after which a held key repeats, and between two repetitions."""
LONGEST_WAIT, POLL_INTERVAL = 1000, 20
"""Maximum time that an idle app waits for events, and the time between two polls, in milliseconds.

``pygame.event.wait`` polls every millisecond, which takes two to four times as much processor time.
"""
MESSAGE_SECONDS = 6.0
INVISIBLE_DRIVERS = frozenset({"dummy", "offscreen"})
"""The names of SDL's video drivers whose windows are invisible."""


def screen_class(name: str) -> Any:
    """Return the class of a screen; the first call imports its module.

    Raises:
        KeyError: There is no such screen.
    """
    module, _, kind = SCREENS[name].partition(".")
    return getattr(importlib.import_module(f"{__package__}.{module}"), kind)


class App:
    """The window and the screens in it; the last of ``stack`` has the keyboard.

    Args:
        progress: The saved progress; None for the user's.
        size: The window's initial size, in pixels.

    Attributes:
        surface: The picture of the window.
        message: The line that is shown for a few seconds; empty for none.
        drawings: The drawing in progress of each puzzle, by its name.
        teaches: Whether the rules are shown before the first game of each puzzle.

    Raises:
        NoWindowError: No window can be opened.
    """

    def __init__(self, progress: Progress | None = None, size: tuple[int, int] = SIZE) -> None:
        self.progress = Progress() if progress is None else progress
        self.stack: list[Any] = []
        self.message = ""
        self.teaches = True
        self.drawings: dict[str, Any] = {}
        self._message_left, self._message_new = 0.0, False
        self.by_keyboard = False
        # The key pressed last and its screen: while it is held, it is repeated, but not on other screens.
        self._held: tuple[int, Any] | None = None
        self._clock = pygame.time.Clock()
        self.surface = _open_window(size)

    @property
    def preferences(self) -> Preferences:
        """The user's settings."""
        return self.progress.preferences

    @property
    def top(self) -> Any:
        """The screen that has the keyboard."""
        return self.stack[-1]

    # -- the stack -------------------------------------------------------------------------------------

    def push(self, screen: Any) -> None:
        """Show a screen above the others."""
        self.stack.append(screen)
        screen.focus.shown = screen.chooses and self.by_keyboard
        screen.open(self.surface.get_size())
        self._forget_message()

    def pop(self) -> None:
        """Close the last screen; closing the only one ends the app."""
        self._leave()
        self._forget_message()
        if self.stack:
            self._lay_out()
            self.top.resume()

    def show(self, name: str, *arguments: Any, **named: Any) -> None:
        """Show a screen above the others; the arguments are those of its class after ``app``."""
        self.push(screen_class(name)(self, *arguments, **named))

    def pop_to(self, name: str) -> bool:
        """Close screens until one of this name is the last; return False, with nothing closed, if there is none."""
        kind = screen_class(name)
        if not any(isinstance(screen, kind) for screen in self.stack):
            return False
        while not isinstance(self.top, kind):
            self.pop()
        return True

    def home(self) -> None:
        """Close everything but the start screen, which is opened if the app was started with another one."""
        if not self.pop_to("start"):
            self.quit()
            self.show("start")

    def quit(self) -> None:
        """Close all screens, the last one first, which ends their jobs."""
        while self.stack:
            self._leave()

    def _leave(self) -> None:
        screen = self.stack.pop()
        screen.leave()
        screen.remove_widgets()

    # -- the main loop ---------------------------------------------------------------------------------

    def run(self, name: str, *arguments: Any, **named: Any) -> None:
        """Show a screen, and run until it and all above it are closed; the arguments are as for :meth:`show`.

        Raises:
            CrashError: A bug has ended it; the games are saved, and the traceback is in a file.
        """
        try:
            from ..advice import warm_up

            with contextlib.suppress(OSError):  # without a process, jobs start their own
                jobs.prepare(warm_up)
            self.show(name, *arguments, **named)
            self._loop()
        finally:
            self.quit()
            jobs.end()
            pygame.display.quit()

    def _loop(self) -> None:
        try:
            while self.stack:
                self.frame(self._wait())
        except Exception as error:
            while self.stack:
                with contextlib.suppress(Exception):  # the screens below have games to save, too
                    self._leave()
            raise crash(error) from error

    def frame(self, events: list[pygame.event.Event], seconds: float | None = None) -> None:
        """Handle events and draw, if anything has changed.

        Args:
            events: The events since the last frame.
            seconds: The time since the last frame; None measures it.
        """
        passed = self._clock.tick() / 1000 if seconds is None else seconds
        for event in events:
            self._dispatch(event)
            if not self.stack:
                return
        if self.progress.notices and not self.message:
            self.say(self.progress.notices.pop(0))
        self.top.tick(passed)
        if not self.stack:
            return
        self.top.refresh()
        self.top.ui.update(passed)
        self._message_new = False
        if self.message:
            self._message_left -= passed
            if self._message_left <= 0:
                self.message = ""
                self.top.dirty = True
        if events or self.top.dirty or self.top.moving:
            self.draw()

    def _wait(self) -> list[pygame.event.Event]:
        """Wait for events as long as the top screen allows, and return them."""
        if self.top.dirty or self.top.moving:
            self._pause(FRAMES)
        elif self.top.waiting or self.message:
            self._pause(TICKS)
        else:
            for _ in range(LONGEST_WAIT // POLL_INTERVAL):
                events = pygame.event.get()
                if events:
                    return events
                pygame.time.wait(POLL_INTERVAL)
        return pygame.event.get()

    def _pause(self, rate: int) -> None:
        pygame.time.wait(max(1000 // rate - self._clock.get_rawtime(), 1))

    def _dispatch(self, event: pygame.event.Event) -> None:
        held = self._held
        if event.type == pygame.KEYUP and held is not None and event.key == held[0]:
            self._held = None
        elif event.type == pygame.KEYDOWN:
            self.by_keyboard = True
            if held is not None and event.key == held[0] and self.top is not held[1]:
                return
            self._held = event.key, self.top
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self.by_keyboard = False
        self._handle(event)

    def _handle(self, event: pygame.event.Event) -> None:
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.quit()
        elif event.type in (pygame.WINDOWSIZECHANGED, pygame.VIDEORESIZE):
            self._resized()
        elif event.type == pygame.DROPFILE:
            self.open_levels(event.file)
        elif (
            event.type == pygame.KEYDOWN and event.key == pygame.K_F1 and not isinstance(self.top, screen_class("help"))
        ):
            self.show("help", self.top)
        else:
            self.top.take(event)

    def draw(self) -> None:
        """Draw the visible screens and the message, and show them."""
        for k, screen in enumerate(self._lay_out()):
            if k:
                painting.put_card(self.surface, self.surface.get_rect(), "#000000", opacity=0.55, sheen=0)
            screen.paint(self.surface)
        if self.message:
            self._draw_message()
        pygame.display.flip()

    def _lay_out(self) -> list[Any]:
        """Return the visible screens, the lowest first, each laid out for the current size of the window."""
        lowest = len(self.stack) - 1
        while lowest and self.stack[lowest].overlay:
            lowest -= 1
        visible = self.stack[lowest:]
        for screen in visible:
            if screen.ui is None or screen.size != self.surface.get_size():
                screen.open(self.surface.get_size())
        return visible

    def _draw_message(self) -> None:
        screen = self.top
        box = screen.message_box.clip(self.surface.get_rect())
        screen.card(self.surface, box, screen.theme.accent)
        screen.write(self.surface, self.message, box.inflate(-16, -4), screen.theme.accent)

    # -- for screens -----------------------------------------------------------------------------------

    def say(self, message: str) -> None:
        """Show one line on this screen for a few seconds, or on the next if that is opened at the same time."""
        self.message, self._message_left, self._message_new = message, MESSAGE_SECONDS, True
        if self.stack:
            self.top.dirty = True

    def unsay(self) -> None:
        """Remove the message, because its cause is gone."""
        self.message = ""

    def _forget_message(self) -> None:
        """Remove the message of another screen."""
        if not self._message_new:
            self.unsay()

    def apply_preferences(self) -> None:
        """Rebuild all screens, because a setting has changed."""
        for screen in self.stack:
            screen.open(self.surface.get_size())

    def open_levels(self, path: str) -> None:
        """Show the levels of a file or folder; if there are none, say why."""
        from ..puzzle_detection import puzzle_for

        try:
            self.show("levels", puzzle_for(path, None), path)
        except (ValueError, OSError) as error:
            self.say(str(error))

    def _resized(self) -> None:
        surface = pygame.display.get_surface()
        if surface is None:
            return
        width, height = surface.get_size()
        if width < SMALLEST[0] or height < SMALLEST[1]:
            surface = pygame.display.set_mode((max(width, SMALLEST[0]), max(height, SMALLEST[1])), pygame.RESIZABLE)
        self.surface = surface
        self._lay_out()


def _open_window(size: tuple[int, int]) -> pygame.Surface:
    chosen = "SDL_VIDEODRIVER" in os.environ
    if not chosen and sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        raise NoWindowError("cannot open a window: no display; `gridpuzzles web` plays in a browser")
    # Frames are drawn in memory; a graphics driver, which may be software too, would take 15 ms more for each.
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
    try:
        pygame.display.init()
        pygame.font.init()
        surface = pygame.display.set_mode(size, pygame.RESIZABLE)
    except pygame.error as error:
        raise NoWindowError(f"cannot open a window: {error}") from None
    # If the display does not respond, SDL silently falls back to drivers whose windows are invisible.
    if not chosen and pygame.display.get_driver() in INVISIBLE_DRIVERS:
        pygame.display.quit()
        raise NoWindowError("cannot open a window: the display does not respond; `gridpuzzles web` plays in a browser")
    pygame.display.set_caption(TITLE)
    pygame.key.set_repeat(*REPEAT)
    return surface


# -- for commands: errors are reported before the window opens -------------------------------------------------


def play(game: "Game", seed: int | None = None) -> None:
    """Open the window with a game, and return when it is closed.

    Without a seed, the unfinished game of the level is continued.

    Args:
        game: The game.
        seed: The seed of a generated instance, or of a level's chance events.

    Raises:
        ValueError: A level is invalid.
        NoWindowError: No window can be opened.
    """
    from ..play_session import PlaySession
    from ..preferences import playing_settings

    PlaySession(game, seed=seed).close()  # an error is reported before a window opens
    app = App()
    own = {**playing_settings(app.preferences, game.puzzle), **game.settings}
    session = PlaySession(game.with_settings(**own), seed=seed)
    session.slot = "" if seed is None else f"seed {seed}"
    app.run("playing", session)


def watch(game: "Game", players: "Sequence[str | RecordedActions]", options: "WatchOptions") -> list[str]:
    """Open a window in which an agent plays, and return when it is closed.

    Args:
        game: The game.
        players: Names of agents, paths of trained models, or recorded actions: the first one plays, the others can be
            chosen in a menu.
        options: How they are watched.

    Returns:
        One line for each finished episode.

    Raises:
        ValueError: An agent is unknown, or a level is invalid.
        NoWindowError: No window can be opened.
    """
    from gridpuzzles_gym.agents.registry import observation_for

    from ..play_session import PlaySession

    for player in players:
        if isinstance(player, str):
            observation_for(player, game.puzzle, game.id)
    PlaySession(game, seed=options.seed).close()  # an error is reported before a window opens
    log: list[str] = []
    try:
        App().run("watching", game, players=players, options=options, log=log)
    except NoWindowError as error:
        raise NoWindowError(f"{error}; `gridpuzzles watch … --record FILE.gif` works without one") from None
    return log


def show_solutions(game: "Game", solutions: "Sequence[Solution]") -> list[str]:
    """Play the solutions of the first search in a window; those of the others are in its menu.

    Args:
        game: The game whose levels were solved.
        solutions: The results of :func:`~gridpuzzles_gym.play.solving.solve`; at least one.

    Returns:
        One line for each solution played to its end.

    Raises:
        NoWindowError: No window can be opened.
    """
    from ..playback import RecordedActions
    from ..session import WatchOptions

    titles = {solution.problem: solution.instance for solution in solutions}
    levels = []
    for problem, title in titles.items():
        (level,) = problem.puzzle.parse(problem.puzzle.format(problem.level, problem.state), title)
        levels.append(dataclasses.replace(level, name=title))
    actions: dict[str, dict[int, Sequence[int]]] = {}
    for solution in solutions:
        own = actions.setdefault(solution.search.name, {})
        own[[*titles].index(solution.problem)] = solution.result.actions
    players = [RecordedActions(f"found by {name}", own) for name, own in actions.items()]
    return watch(game.with_settings(levels=levels), players, WatchOptions(episodes=len(levels)))
