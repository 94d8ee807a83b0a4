"""The game: a puzzle's board, its numbers, and everything that a person can do with it."""

import contextlib
import functools
from collections import deque
from collections.abc import Callable, Sequence

import pygame

from gridpuzzles_gym.agents.puzzle_agents import board_of
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.board.interaction import Square
from ...engine.levels.level_text import levels_in_text, line_about, split_valid_and_errors
from ...engine.levels.sources import levels_text
from ...engine.messages import one_line, plural, shorten
from ...engine.puzzle import LevelError, Puzzle
from ...engine.wording import wording_of
from ..advice import Advice, Hint
from ..choices import MenuEntry, ids_of
from ..play_session import PlaySession
from ..playback import Hindsight, has_hindsight
from ..preferences import controls, key_name, keys_of, picture_settings, playing_settings
from ..progress import Best
from ..scores import continue_unfinished, record, save_unfinished, status_line
from ..solving import count_pushes, letters_of
from .app import App
from .screen import Entry, KeyHelp, Screen, can
from .widgets import BoardView, draw_path, draw_reachable

LONGEST_LINE = 160
"""Maximum length of a message, in characters."""
IMPOSSIBLE = "that is not possible from here"
CLIPBOARD = "the clipboard"
SEEN = "rules_seen"
"""The name of a puzzle's choice that is set once its rules were shown."""
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

    def __init__(self, app: App, game: PlaySession, origin: str = "") -> None:
        super().__init__(app)
        self.game, self.origin = game, origin
        continue_unfinished(game, app.progress)
        self.view = BoardView(game.puzzle)
        self._pressed: Square | None = None
        self._queue: deque[int] = deque()
        self._new = True
        self._over = self._just_solved = False
        self.hindsight: Hindsight | None = None
        self._advice, self._hint = Advice(game), Hint()
        self._pictures = picture_settings(app.preferences, game.puzzle)
        if game.game.left_out:
            app.say(game.game.left_out)
        self._show()

    def build(self) -> None:
        """Lay out the numbers, the board and the buttons."""
        self._follow_preferences()
        width, gap, game = self.size[0], self.gap, self.game
        lines = 3 if self.hindsight_words else 2
        self._top = pygame.Rect(gap, gap, width - 2 * gap, round(0.8 * lines * self.line))
        undo = Entry("Undo", self._undo, "backspace", lambda: game.can_undo)
        redo = Entry("Redo", self._redo, "f4", lambda: game.can_redo)
        restart = Entry("Restart", self.restart, "home", lambda: game.can_undo)
        self.toolbar(
            (
                Entry("Pause", lambda: self.app.show("pause", self), "escape"),
                *((undo, restart) if self._over else (undo, redo, restart, Entry("Hint", self._ask, "f2"))),
                self.answer,
                Entry("Previous", lambda: self.go_to(game.number - 1), "pageup", lambda: game.has(-1)),
                Entry("Next", lambda: self.go_to(game.number + 1), "pagedown", lambda: game.has(1)),
                Entry("More", lambda: self.app.show("menu", "More", self._more), "f5"),
            )
        )
        self.message_box = pygame.Rect(self._top.left, gap, self._top.width, round(0.8 * self.line))
        self._board = pygame.Rect(gap, self._top.bottom + gap, width - 2 * gap, self.floor - self._top.bottom - 2 * gap)
        self.on_key("n", lambda: self.go_to(game.number + 1))
        for key, action in (("u", self._undo), ("y", self._redo), ("h", self._ask)):
            self.on_key(key, action)
        for entry in self._more:
            self.on_key(entry.key, lambda entry=entry: entry.action() if can(entry) else None)  # type: ignore[misc]
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
            self._teach()
        if self.view.moving:
            self.view.tick(seconds)
            self.dirty = True
        if not self.view.moving and self._queue:
            self._play(self._queue.popleft())
        hint = self._advice.poll()
        if hint is not None:
            self._show_hint(hint)
        self.poll_ending()
        self.moving = self.view.moving or bool(self._queue)
        self.waiting = self._advice.waiting or self.agent_plays
        if self._just_solved and not self.moving:
            self._just_solved = False
            if self.game.solved:  # it may have been undone meanwhile
                self.app.show("victory", self)

    @property
    def agent_plays(self) -> bool:
        """Whether an agent is playing the level after its end, to say what it would have done."""
        return self.hindsight is not None and not self.hindsight.known

    @property
    def hindsight_words(self) -> str:
        """What an agent would have done, after the end; empty if no agent is asked."""
        return "" if self.hindsight is None else self.hindsight.words()

    def poll_ending(self) -> bool:
        """Receive what an agent does after the end; return whether the picture has changed."""
        changed = self.hindsight is not None and self.hindsight.poll()
        self.dirty = self.dirty or changed
        return changed

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse: click, drag, wheel."""
        if event.type == pygame.MOUSEWHEEL:
            for _ in range(abs(event.y)):
                self._undo() if event.y < 0 else self._redo()
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._pressed, self.dirty = self.view.square_at(event.pos), True
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            start, end, self._pressed = self._pressed, self.view.square_at(event.pos), None
            self.dirty = True
            if start is not None and end is not None:
                self._gesture(start, end)
        elif event.type == pygame.MOUSEMOTION and self._pressed is not None:
            self.dirty = True

    def _gesture(self, start: Square, end: Square) -> None:
        """Play the actions of a click, or of a drag from one square to another."""
        gestures, scene = self.game.puzzle.gestures, self.game.scene()
        if gestures is None or self.game.over:
            return
        rows = scene.level, scene.state, scene.options
        actions = gestures.click(*rows, end) if start == end else gestures.drag(*rows, start, end)
        if actions:
            self.act(actions)
        elif end != gestures.actor(scene.level, scene.state):
            self.app.say(IMPOSSIBLE)

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
        self._end_jobs()
        save_unfinished(self.game, self.app.progress)
        self.game.close()

    def _end_jobs(self) -> None:
        self._advice.cancel()
        if self.hindsight is not None:
            self.hindsight.close()
            self.hindsight = None

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
        self.write(surface, self.hindsight_words, upper.move(0, 2 * upper.height), self.theme.faint)
        self.view.draw(surface, self._board, self.theme.panel)
        if self._pressed is not None and self.view.square_at(pygame.mouse.get_pos()) != self._pressed:
            draw_reachable(surface, self.view, game.puzzle.gestures, self._pressed, self.theme.accent)
        if not self.view.moving and self.hindsight is not None:
            draw_path(surface, self.view, self.hindsight.path, self.theme.accent)

    def _show(self, moved: bool = False) -> None:
        """Show the position, with what was hidden at the end; ``moved`` shows the movement of the last action."""
        scene = self.game.scene()
        over = self.game.over
        self.view.show(self.game.puzzle.revealed(scene) if over else scene, moved)
        self.dirty = True
        if over == self._over:
            return
        self._over = over
        self._end_jobs()
        if over and has_hindsight(self.game.puzzle):
            self.hindsight = Hindsight(self.game)
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
        self._change(self.game.undo)

    def _redo(self) -> None:
        self._change(self.game.redo, moved=True)

    def restart(self) -> None:
        """Return to the start of the level; everything can be redone."""
        self._change(self.game.restart)

    def _change(self, change: Callable[[], object], moved: bool = False) -> None:
        """Undo or redo; ``moved`` shows the movement of the last action."""
        self._queue.clear()
        change()
        self._show(moved)
        self._changed()

    def go_to(self, number: int) -> None:
        """Play another level of the same pack, if there is one with this number."""
        if self.game.has(number - self.game.number):
            self._begin(lambda: self.game.go_to(number))

    def replace(self, game: PlaySession) -> None:
        """Play another game of the same puzzle."""
        earlier = self.game
        self._begin(lambda: setattr(self, "game", game))
        earlier.close()

    def _begin(self, change: Callable[[], object]) -> None:
        """Save the game, and go to another level, which is continued where it was left."""
        self._queue.clear()
        save_unfinished(self.game, self.app.progress)
        self._end_jobs()
        self._over = False
        change()
        continue_unfinished(self.game, self.app.progress)
        self._advice = Advice(self.game)
        self._show()
        self._changed()
        self.open(self.size)

    def _ask(self) -> None:
        """Ask for a hint; asking again plays it."""
        if self.game.over:
            return
        if self._hint.action is not None:
            self.act([self._hint.action])
            return
        hint = self._advice.ask()
        if hint is None:
            self.app.say("thinking…")
        else:
            self._show_hint(hint)

    def _show_hint(self, hint: Hint) -> None:
        self._hint = hint
        if hint.action is None:
            self.app.say(hint.message or f"{hint.source} knows nothing to do here")
            return
        puzzle, options = self.game.puzzle, self.game.env.options
        step = (
            keys_of(puzzle, options, self.app.preferences).words.get(hint.action)
            or puzzle.actions(options)[hint.action]
        )
        left = f", {plural(len(hint.plan), 'move')} to the goal" if hint.solves else ""
        self.game.hint(hint.action)
        self.app.say(f"hint: {step}{left} (ask again to play it)")

    def _teach(self) -> None:
        """Show the rules if this is the person's first game of the puzzle."""
        app, puzzle = self.app, self.game.puzzle
        if app.teaches and has_rules(puzzle) and not app.preferences.chosen(puzzle.name, SEEN, False):
            app.progress.save_preferences(app.preferences.choosing(puzzle.name, SEEN, True))
            app.show("rules", puzzle, self.game.env.config, True)

    @property
    def answer(self) -> Entry:
        """The button for a solution from here or, at the end, for the whole level."""
        return Entry("Show the solver's" if self._over else "Solve", self.solve, "f3")

    def solve(self) -> None:
        """Let a search or an agent solve the level from here; at the end, from its start."""
        if self._over:
            self.restart()
        self.app.show("solving", self.game)

    def resume(self) -> None:
        """Show the position and use the settings, which another screen may have changed."""
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
            Entry("Copy the level", self._copy_level, "ctrl+c", lambda: game.puzzle.hidden is None or game.over),
            Entry("Copy the moves", lambda: self.app.say(copy_text("the moves", moves_text(game))), "ctrl+m"),
            Entry("Paste a level", self._paste, "ctrl+v"),
        )

    def replay(self) -> None:
        """Show all moves again from the start of the level, in a game of their own."""
        saved = self.game.save()
        game = self.game.copied(taken=[*saved["taken"], *saved["undone"]], undone=[])
        self.app.show("solving", game, "your moves")

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
            self.app.show("solving", game, "your best solution")

    def _copy_level(self) -> None:
        game = self.game
        text = f"; {game.title}\n{game.puzzle.format(game.scene().level, game.states[0])}"
        self.app.say(copy_text("the level", text))

    def _paste(self) -> None:
        """Play the first level in the clipboard."""
        puzzle = self.game.puzzle
        try:
            choice, left_out = pasted_levels(puzzle, pasted_text())
            game = PlaySession(choice.game(**playing_settings(self.app.preferences, puzzle)))
        except (ValueError, OSError) as error:
            self.app.say(as_line(error))
            return
        self.replace(game)
        if left_out:
            self.app.say(as_line(left_out))

    def _changed(self) -> None:
        """Forget the hint and the message, because the position has changed."""
        self._hint = Hint()
        self.app.unsay()
        self.waiting = True


def has_rules(puzzle: Puzzle) -> bool:
    """Return whether a puzzle's rules are written in sentences."""
    try:
        wording_of(puzzle)
    except ValueError:
        return False
    return True


# -- the clipboard -----------------------------------------------------------------------------------------


def moves_text(game: PlaySession) -> str:
    """Return the moves so far: letters where pushes are counted, in upper case for a push (LURD), otherwise names."""
    puzzle, options = game.puzzle, game.env.options
    names, actions = puzzle.actions(options), game.actions
    if puzzle.deterministic:
        pushes = count_pushes(Problem(puzzle, game.scene().level, game.states[0], options), actions)
        if pushes is not None:
            return letters_of(names, actions, pushes)
    return " ".join(names[action] for action in actions)


def pasted_levels(puzzle: Puzzle, text: str) -> tuple[MenuEntry, str]:
    """Return the levels in a text that was copied from anywhere, and a line on those that are left out.

    Raises:
        ValueError: It has no valid level of this puzzle.
    """
    if not text.strip():
        raise ValueError(f"{CLIPBOARD} is empty")
    formats = puzzle.formats
    text = text.replace("\r\n", "\n").rstrip() + "\n"
    levels, errors = split_valid_and_errors(levels_in_text(puzzle.read, text, CLIPBOARD))
    if not levels and formats is not None:
        with contextlib.suppress(LevelError):
            entries, errors = split_valid_and_errors(formats.import_levels(text, CLIPBOARD, {}))
            text = next(iter(formats.writers.values()))(entries)
            levels = puzzle.parse(text, CLIPBOARD) if entries else []
    if not levels:
        raise LevelError(f"no level of {puzzle.title} in {CLIPBOARD}" + (f": {errors[0]}" if errors else ""))
    if errors:
        text = levels_text([level.name for level in levels], [board_of(puzzle, level) for level in levels])
    return MenuEntry("pasted", ids_of(puzzle)[0], text), line_about(CLIPBOARD, len(levels), errors) if errors else ""


def copy_text(name: str, text: str) -> str:
    """Copy a text to the clipboard, and return what is said to the person.

    Args:
        name: What it is, such as "the level".
        text: The text.
    """
    try:
        pygame.scrap.put_text(text)
    except pygame.error as error:
        return f"{CLIPBOARD} cannot be used: {error}"
    line = text.strip()
    return f"copied {name}" if "\n" in line else as_line(f"copied {name}: {line}")


def pasted_text() -> str:
    """Return the text in the clipboard; raises ValueError if the clipboard cannot be used."""
    try:
        return str(pygame.scrap.get_text())
    except pygame.error as error:
        raise ValueError(f"{CLIPBOARD} cannot be used: {error}") from None


def as_line(message: object) -> str:
    """Return an error or another message as one line of limited length."""
    return shorten(one_line(message), LONGEST_LINE)
