"""The game: a puzzle's board, its numbers, and everything that a person can do with it."""

import functools
from collections import deque
from collections.abc import Callable, Sequence

import pygame

from ...engine.board.interaction import Actions, Square
from ...engine.messages import one_line, plural, shorten
from .. import texts
from ..advice import Advice, Hint
from ..game import Game
from ..playback import Hindsight, has_hindsight
from ..preferences import controls, keys_of, picture_settings, playing_settings
from ..progress import Best, continue_unfinished, save_unfinished
from ..scores import record, status_line
from .app import App
from .board_view import BoardView, draw_path, draw_reachable
from .cards import teach
from .screen import Action, Entry, KeyHelp, Screen
from .widgets import Theme, key_name

SAVE_SECONDS = 0.3
"""Maximum age of an unsaved change, in seconds."""
LONGEST_LINE = 160
"""Maximum length of a message, in characters."""
IMPOSSIBLE = "that is not possible from here"
HELP: KeyHelp = (
    ("U, wheel down", "undo"),
    ("Y, wheel up", "redo"),
    ("H", "hint; again: play it"),
    ("N", "next level"),
)
"""The keys of all puzzles without a button; a puzzle's own keys take precedence."""


class PlayingScreen(Screen):
    """A game.

    Args:
        app: The app.
        game: The game; this screen closes it.
        origin: The name of the screen that has opened it, for a menu entry that leads back there; empty for none.
    """

    chooses = False

    def __init__(self, app: App, game: Game, origin: str = "") -> None:
        super().__init__(app)
        self.game, self.origin = game, origin
        continue_unfinished(game, app.progress)
        self.view = BoardView(game.puzzle, app.preferences.animation)
        self.pointer = Pointer(app, self.view)
        self._queue: deque[int] = deque()
        self._unsaved: float | None = None
        self._new = True
        self.ending: Ending | None = None
        self._just_solved = False
        self.hints = Hints(app, game)
        self._pictures = picture_settings(app.preferences, game.puzzle)
        if game.skipped:
            app.say(game.skipped)
        self._show()

    def build(self) -> None:
        """Lay out the numbers, the board and the buttons."""
        self._follow_preferences()
        width, gap, game = self.size[0], self.gap, self.game
        lines = 3 if self.ending is not None and self.ending.words else 2
        self._top = pygame.Rect(gap, gap, width - 2 * gap, round(0.8 * lines * self.line))
        undo = Entry("Undo", self._undo, "backspace", lambda: game.can_undo)
        redo = Entry("Redo", self._redo, "f4", lambda: game.can_redo)
        restart = Entry("Restart", self.restart, "home", lambda: game.can_undo)
        self.toolbar(
            (
                Entry("Pause", lambda: self.app.show("pause", self), "escape"),
                *((undo, redo, restart, Entry("Hint", self._ask, "f2")) if self.ending is None else (undo, restart)),
                self.answer,
                Entry("Previous", lambda: self.go_to(game.number - 1), "pageup", lambda: game.has(-1)),
                Entry("Next", lambda: self.go_to(game.number + 1), "pagedown", lambda: game.has(1)),
                Entry("More", self._show_more, "f5"),
            )
        )
        self.message_box = pygame.Rect(self._top.left, gap, self._top.width, round(0.8 * self.line))
        self._board = pygame.Rect(gap, self._top.bottom + gap, width - 2 * gap, self.floor - self._top.bottom - 2 * gap)
        self.on_key("n", lambda: self.go_to(game.number + 1))
        for key, action in (("u", self._undo), ("y", self._redo), ("h", self._ask)):
            self.on_key(key, action)
        for entry in self._more:
            self.on_key(entry.key, lambda entry=entry: entry.action() if _can(entry) else None)  # type: ignore[misc]
        for key, number in self.actions.items():  # the puzzle's own keys take precedence
            self.on_key(key, functools.partial(self.act, [number]))

    def _follow_preferences(self) -> None:
        """Use the keys and, if they have changed, the pictures that are chosen in the settings."""
        puzzle, options, preferences = self.game.puzzle, self.game.env.options, self.app.preferences
        self.actions = keys_of(puzzle, options, preferences).actions
        more = [(key_name(entry.key), entry.label[0].lower() + entry.label[1:]) for entry in self._more]
        self.help = (*controls(puzzle, options, preferences), *HELP, *more)
        pictures = picture_settings(preferences, puzzle)
        if pictures != self._pictures:
            self._pictures = self.game.pictures = pictures
            self._show()

    # -- time and events -------------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Continue movements, play queued actions, save, and notice the end."""
        if self._new:
            self._new = False
            teach(self.app, self.game)
        if self.view.moving:
            self.view.tick(seconds)
            self.dirty = True
        if not self.view.moving and self._queue:
            self._play(self._queue.popleft())
        self.hints.poll()
        if self._unsaved is not None:
            self._unsaved += seconds
            if self._unsaved >= SAVE_SECONDS:
                self._save()
        self.poll_ending()
        self.moving = self.view.moving or bool(self._queue)
        agent_plays = self.ending is not None and self.ending.waiting
        self.waiting = self._unsaved is not None or self.hints.waiting or agent_plays
        if self._just_solved and not self.moving:
            self._just_solved = False
            if self.game.solved:  # it may have been undone meanwhile
                self.app.show("victory", self)

    def poll_ending(self) -> bool:
        """Receive what an agent does after the end; return whether the picture has changed."""
        changed = self.ending is not None and self.ending.poll()
        self.dirty = self.dirty or changed
        return changed

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse: click, drag, wheel."""
        if event.type == pygame.MOUSEWHEEL:
            for _ in range(abs(event.y)):
                self._undo() if event.y < 0 else self._redo()
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.pointer.press(event.pos)
            self.dirty = True
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            self.dirty = True
            actions = self.pointer.release(event.pos, self.game)
            if actions:
                self.act(actions)
        elif event.type == pygame.MOUSEMOTION and self.pointer.dragging:
            self.dirty = True

    def act(self, actions: Sequence[int]) -> None:
        """Play actions, one after the other; a movement that is being shown ends at once."""
        self.view.finish()
        while self._queue:
            self._play(self._queue.popleft())
            self.view.finish()
        self._queue.extend(actions)
        if self._queue:
            self._play(self._queue.popleft())
        self.moving = True

    def leave(self) -> None:
        """Save the game and close it."""
        while self._queue:
            self._play(self._queue.popleft())
        self.hints.cancel()
        if self.ending is not None:
            self.ending.close()
        self._save()
        self.game.close()

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the numbers, the board and what the mouse points at."""
        super().draw(surface)
        upper = pygame.Rect(self._top.left, self._top.top, self._top.width, round(0.8 * self.line))
        game = self.game
        count = "" if game.count is None else f" {game.number + 1} of {game.count}:"
        title = f"{game.puzzle.title}{count} {game.title}"
        self.write(surface, title, upper, self.theme.accent)
        self.write(surface, status_line(self.game, self.app.progress), upper.move(0, upper.height), self.theme.ink)
        if self.ending is None:
            self.view.draw(surface, self._board, self.theme.panel)
            self.pointer.draw(surface, self.game, self.theme)
            return
        self.write(surface, self.ending.words, upper.move(0, 2 * upper.height), self.theme.faint)
        self.view.draw(surface, self._board, self.theme.panel)
        if not self.view.moving and self.ending.hindsight is not None:
            draw_path(surface, self.view, self.ending.hindsight.path, self.theme.accent)

    def _show(self, moved: bool = False) -> None:
        """Show the position, with what was hidden at the end; ``moved`` shows the movement of the last action."""
        scene = self.game.scene()
        over = self.game.over
        self.view.show(self.game.puzzle.revealed(scene) if over else scene, moved)
        self.dirty = True
        if over == (self.ending is not None):
            return
        if self.ending is not None:
            self.ending.close()
        self.ending = Ending(self.app, self.game) if over else None
        if self.ui is not None:  # other buttons
            self.open(self.size)

    # -- what can be done ------------------------------------------------------------------------------

    def _play(self, action: int) -> None:
        if self.game.over:
            self._queue.clear()
            return
        self.game.play(action)
        self._show(moved=True)
        self._changed()
        if self.game.over:
            self._queue.clear()
            self._just_solved = self.game.solved
            record(self.game, self.app.progress)

    def _undo(self) -> None:
        self.change(Game.undo)

    def _redo(self) -> None:
        self.change(Game.redo, moved=True)

    def change(self, change: Callable[[Game], bool], moved: bool = False) -> None:
        """Undo or redo.

        Args:
            change: Returns whether it has changed the position.
            moved: Whether to show the movement of the last action.
        """
        self._queue.clear()
        if change(self.game):
            self._show(moved)
            self._changed()

    def restart(self) -> None:
        """Return to the start of the level; everything can be redone."""
        self._queue.clear()
        self.game.restart()
        self._show()
        self._changed()

    def go_to(self, number: int) -> None:
        """Play another level of the same pack, if there is one with this number."""
        if self.game.has(number - self.game.number):
            self._begin(lambda: self.game.go_to(number))

    def replace(self, game: Game) -> None:
        """Play another game of the same puzzle."""
        earlier = self.game
        self._begin(lambda: setattr(self, "game", game))
        earlier.close()

    def _begin(self, change: Callable[[], object]) -> None:
        """Save the game, and go to another level, which is continued where it was left."""
        self._queue.clear()
        self._save()
        self.hints.cancel()
        if self.ending is not None:
            self.ending.close()
            self.ending = None
        change()
        continue_unfinished(self.game, self.app.progress)
        self.hints = Hints(self.app, self.game)
        self._show()
        self._changed()
        self.open(self.size)

    def _ask(self) -> None:
        """Ask for a hint; asking again plays it."""
        action = None if self.game.over else self.hints.ask()
        if action is not None:
            self.act([action])

    @property
    def answer(self) -> Entry:
        """The button for a solution from here or, at the end, for the whole level."""
        if self.ending is None:
            return Entry("Solve", self.solve, "f3")
        label, action = self.ending.entry or ("Show the solver's", self.solve_again)
        return Entry(label, action, "f3")

    def solve_again(self) -> None:
        """Let a search or an agent solve the whole level."""
        self.restart()
        self.solve()

    def solve(self) -> None:
        """Let a search or an agent solve the level from here."""
        self.app.show("solving", self.game)

    def resume(self) -> None:
        """Show the position and use the settings, which another screen may have changed."""
        self.view.animated = self.app.preferences.animation
        self._show()
        self._changed()

    # -- the menu More ---------------------------------------------------------------------------------

    @property
    def _more(self) -> Sequence[Entry]:
        """The entries of the menu; ``possible`` says which of them can be used now."""
        game = self.game
        return (
            Entry("Replay my moves", self.replay, "ctrl+r", lambda: game.can_undo or game.can_redo),
            Entry("Replay my best solution", self._replay_best, "ctrl+b", lambda: self._best is not None),
            Entry("Copy …", self._ask_what, "ctrl+c"),
            Entry("Paste a level", self._paste, "ctrl+v"),
        )

    def _show_more(self) -> None:
        self.app.show("menu", "More", [entry for entry in self._more if _can(entry)])

    def replay(self) -> None:
        """Show all moves again from the start of the level, in a game of their own."""
        saved = self.game.save()
        game = self.game.copied(taken=[*saved["taken"], *saved["undone"]], undone=[])
        self.app.show("solving", game, "your moves", self.replace)

    @property
    def _best(self) -> Best | None:
        """The person's best solution of this level, if its moves are known."""
        key = self.game.key
        best = None if key is None else self.app.progress.best(self.game.puzzle.name, key)
        return best if best is not None and best.actions else None

    def _replay_best(self) -> None:
        best = self._best
        assert best is not None
        try:
            game = self.game.copied(taken=[*best.actions], seed=best.seed, undone=[], hinted=[])
        except ValueError as error:  # it was found by other rules
            self.app.say(f"it cannot be played: {error}")
        else:
            self.app.show("solving", game, "your best solution", self.replace)

    def _ask_what(self) -> None:
        """Ask what to copy; a level or position of which a part is hidden would show it."""
        game = self.game
        parts: dict[str, Callable[[Game], str]] = {"the moves so far": texts.moves_text}
        if texts.shows_all(game):
            parts = {"the position": texts.position_text, "the level": texts.level_text, **parts}
        entries = [Entry(f"Copy {name}", functools.partial(self._copy, name, text)) for name, text in parts.items()]
        self.app.show("menu", "Copy", entries)

    def _copy(self, name: str, text: Callable[[Game], str]) -> None:
        self.app.say(copy_text(name, text(self.game)))

    def _paste(self) -> None:
        """Play the first level in the clipboard."""
        puzzle = self.game.puzzle
        try:
            choice, left_out = texts.pasted_levels(puzzle, pasted_text())
            game = choice.game(**playing_settings(self.app.preferences, puzzle))
        except (ValueError, OSError) as error:
            self.app.say(as_line(error))
            return
        self.replace(game)
        if left_out:
            self.app.say(as_line(left_out))

    # -- saving ----------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Forget the hint and the message, and save the game soon, because the position has changed."""
        self.hints.forget()
        self.app.unsay()
        if self._unsaved is None:
            self._unsaved = 0.0
        self.waiting = True

    def _save(self) -> None:
        self._unsaved = None
        save_unfinished(self.game, self.app.progress)


class Pointer:
    """The mouse on the board of a game.

    Args:
        app: The app, which shows why nothing happens.
        view: The board.
    """

    def __init__(self, app: App, view: BoardView) -> None:
        self.app, self.view = app, view
        self._pressed: Square | None = None

    @property
    def dragging(self) -> bool:
        """Whether the button is pressed on the board."""
        return self._pressed is not None

    def press(self, point: tuple[int, int]) -> None:
        """Begin a click or a drag at a point of the window."""
        self._pressed = self.view.square_at(point)

    def release(self, point: tuple[int, int], game: Game) -> Actions:
        """Return the actions of the click or drag that ends at a point of the window."""
        start, end, self._pressed = self._pressed, self.view.square_at(point), None
        gestures = game.puzzle.gestures
        if start is None or end is None or gestures is None or game.over:
            return ()
        scene = game.scene()
        rows = scene.level, scene.state, scene.options
        actions = gestures.click(*rows, end) if start == end else gestures.drag(*rows, start, end)
        if not actions and end != gestures.actor(scene.level, scene.state):
            self.app.say(IMPOSSIBLE)
        return actions

    def draw(self, surface: pygame.Surface, game: Game, theme: Theme) -> None:
        """Mark where the piece that is dragged can be moved."""
        if self._pressed is not None and self.view.square_at(pygame.mouse.get_pos()) != self._pressed:
            draw_reachable(surface, self.view, game.puzzle.gestures, self._pressed, theme.accent)


class Hints:
    """The hints of a game.

    Args:
        app: The app.
        game: The game; its level may change.
    """

    def __init__(self, app: App, game: Game) -> None:
        self.app, self.game = app, game
        self._advice = Advice(game)
        self._shown: Hint | None = None

    @property
    def waiting(self) -> bool:
        """Whether a hint is being searched for; then :meth:`poll` must be called."""
        return self._advice.waiting

    def ask(self) -> int | None:
        """Return the action of the hint that is shown; without one, search for a hint and return None."""
        if self._shown is not None and self._shown.action is not None:
            return self._shown.action
        self._show(self._advice.ask())
        return None

    def poll(self) -> None:
        """Show the hint that was asked for, once it is known."""
        hint = self._advice.poll() if self.waiting else None
        if hint is not None:
            self._show(hint)

    def forget(self) -> None:
        """Remove the hint, because the position has changed."""
        self._shown = None

    def cancel(self) -> None:
        """Stop the search."""
        self._advice.cancel()

    def _show(self, hint: Hint | None) -> None:
        self._shown = hint
        if hint is None:
            self.app.say("thinking…")
        elif hint.action is None:
            self.app.say(hint.message or f"{hint.source} knows nothing to do here")
        else:
            puzzle, options = self.game.puzzle, self.game.env.options
            keys = keys_of(puzzle, options, self.app.preferences)
            step = keys.words.get(hint.action) or puzzle.actions(options)[hint.action]
            left = f", {plural(len(hint.plan), 'move')} to the goal" if hint.solves else ""
            self.game.hint(hint.action)
            self.app.say(f"hint: {step}{left} (ask again to play it)")


class Ending:
    """The end of a game: what an agent would have done.

    Args:
        app: The app.
        game: The game.
    """

    def __init__(self, app: App, game: Game) -> None:
        self.app, self.game = app, game
        self.hindsight = Hindsight(game) if has_hindsight(game.puzzle) else None

    @property
    def waiting(self) -> bool:
        """Whether the agent is still playing."""
        return self.hindsight is not None and not self.hindsight.known

    @property
    def words(self) -> str:
        """What an agent would have done; empty without hindsight."""
        return "" if self.hindsight is None else self.hindsight.words()

    @property
    def entry(self) -> tuple[str, Action] | None:
        """A button for watching that agent; None if there is none."""
        return None if self.hindsight is None else (f"Watch {self.hindsight.agent}", self.watch)

    def poll(self) -> bool:
        """Receive what the agent does; return whether its episode has just ended."""
        return self.hindsight is not None and self.hindsight.poll()

    def watch(self) -> None:
        """Watch the agent play this level from the start, with the same seed."""
        if self.hindsight is not None:
            choice, number, options = self.hindsight.show()
            self.app.show("watching", self.game.puzzle, choice, number, [self.hindsight.agent], options)

    def close(self) -> None:
        """End the agent."""
        if self.hindsight is not None:
            self.hindsight.close()


def _can(entry: Entry) -> bool:
    return entry.possible is None or entry.possible()


def copy_text(name: str, text: str) -> str:
    """Copy a text to the clipboard, and return what is said to the person.

    Args:
        name: What it is, such as "the level".
        text: The text.
    """
    try:
        pygame.scrap.put_text(text)
    except pygame.error as error:
        return f"the clipboard cannot be used: {error}"
    line = text.strip()
    return f"copied {name}" if "\n" in line else as_line(f"copied {name}: {line}")


def pasted_text() -> str:
    """Return the text in the clipboard; raises ValueError if the clipboard cannot be used."""
    try:
        return str(pygame.scrap.get_text())
    except pygame.error as error:
        raise ValueError(f"the clipboard cannot be used: {error}") from None


def as_line(message: object) -> str:
    """Return an error or another message as one line of limited length."""
    return shorten(one_line(message), LONGEST_LINE)
