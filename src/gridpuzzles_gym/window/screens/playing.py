"""The game: a puzzle's board, its numbers, and everything that a person can do with it."""

import functools
from collections import deque
from collections.abc import Callable, Sequence

import pygame

from ...session.choices import picture_settings
from ...session.game import Game
from ..game.ending import Ending
from ..game.extras import Extras
from ..game.hints import Hints
from ..game.marks import Marks
from ..game.pointer import Pointer
from ..model.controls import controls, keys_of
from ..model.score_line import record, status_line
from ..model.unfinished import continue_unfinished, save_unfinished
from ..views.board_view import BoardView
from .host import Host
from .rules import teach
from .screen import Entry, KeyHelp, Screen

SAVE_SECONDS = 0.3
"""Maximum age of an unsaved change, in seconds."""
LONGEST_TICK = 2.0
"""Maximum time between two calls of ``tick`` that counts as played: a computer that sleeps does not play."""

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

    def __init__(self, app: Host, game: Game, origin: str = "") -> None:
        super().__init__(app)
        self.game, self.origin = game, origin
        continue_unfinished(game, app.progress)
        self.view = BoardView(game.puzzle, app.preferences.animation)
        self.pointer, self.extras = Pointer(app, self.view), Extras(self)
        self._queue: deque[int] = deque()
        self.marks = Marks(game, self.view)
        self._unsaved: float | None = None
        self._new = True
        self.ending: Ending | None = None
        self.hints = Hints(app, game)
        self._pictures = picture_settings(app.preferences, game.puzzle)
        if game.skipped:
            app.say(game.skipped)
        self._show()
        self.hints.look_ahead()

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
                Entry("More", self.extras.open, "f5"),
            )
        )
        self.message_box = pygame.Rect(self._top.left, gap, self._top.width, round(0.8 * self.line))
        self._board = pygame.Rect(gap, self._top.bottom + gap, width - 2 * gap, self.floor - self._top.bottom - 2 * gap)
        self.on_key("n", lambda: self.go_to(game.number + 1))
        for key, action in (("u", self._undo), ("y", self._redo), ("h", self._ask)):
            self.on_key(key, action)
        for entry in self.extras.entries():
            self.on_key(entry.key, functools.partial(self.extras.press, entry))
        for key, number in self.actions.items():  # the puzzle's own keys take precedence
            self.on_key(key, functools.partial(self.act, [number]))

    def _follow_preferences(self) -> None:
        """Use the keys and, if they have changed, the pictures that are chosen in the settings."""
        puzzle, options, preferences = self.game.puzzle, self.game.env.options, self.app.preferences
        self.actions = keys_of(puzzle, options, preferences).actions
        mouse = (*self.pointer.help(puzzle), *self.marks.help)
        self.help = (*controls(puzzle, options, preferences), *mouse, *HELP, *self.extras.keys())
        pictures = picture_settings(preferences, puzzle)
        if pictures != self._pictures:
            self._pictures = self.game.pictures = pictures
            self._show()

    # -- time and events -------------------------------------------------------------------------------

    def take(self, event: pygame.event.Event) -> None:
        """Let keys mark squares, after the key for that."""
        if event.type == pygame.KEYDOWN and self.marks.take(event.key):
            self._show()
        else:
            super().take(event)

    def tick(self, seconds: float) -> None:
        """Continue movements, play queued actions, save, and notice the end."""
        if self._new:
            self._new = False
            teach(self.app, self.game, self.guide)
        if self.view.moving:
            self.view.tick(seconds)
            self.dirty = True
        if not self.view.moving and self._queue:
            self._play(self._queue.popleft())
        guidance = self.hints.guidance
        self.hints.poll()
        self.dirty = self.dirty or guidance != self.hints.guidance
        if not self.game.over:
            self.game.seconds += min(seconds, LONGEST_TICK)
        if self._unsaved is not None:
            self._unsaved += seconds
            if self._unsaved >= SAVE_SECONDS:
                self._save()
        if not self.view.moving:
            self.tick_ending(seconds)
        animated = self.ending is not None and self.ending.animated
        self.moving = self.view.moving or bool(self._queue) or animated
        agent_plays = self.ending is not None and self.ending.waiting
        self.waiting = self._unsaved is not None or self.hints.waiting or agent_plays

    def tick_ending(self, seconds: float) -> bool:
        """Let time pass at the end of the game; return whether the picture has changed."""
        if self.ending is None:
            return False
        was_animated = self.ending.animated
        changed = self.ending.tick(seconds)
        self.dirty = self.dirty or changed
        if was_animated and not self.ending.animated and self.game.solved:
            self.app.show("victory", self)
        return changed

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse: click, drag, right click, wheel."""
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
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 3:
            self.marks.put(self.view.square_at(event.pos))
            self._show()
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
        self.write(surface, self.hints.guidance or title, upper, self.theme.accent)
        self.write(surface, status_line(self.game, self.app.progress), upper.move(0, upper.height), self.theme.ink)
        if self.ending is None:
            self.view.draw(surface, self._board, self.theme.panel)
            self.pointer.draw(surface, self.game, self.theme)
            if self.marks.chosen is not None:
                pygame.draw.rect(surface, self.theme.accent, self.view.square(*self.marks.chosen), 4)
            return
        self.write(surface, self.ending.words, upper.move(0, 2 * upper.height), self.theme.faint)
        self.view.draw(surface, self.ending.shaken(self._board), self.theme.panel)
        if not self.view.moving:
            self.ending.draw(self, surface, self.view)

    def _show(self, moved: bool = False, just_now: bool = False) -> None:
        """Show the position, with what was hidden at the end.

        Args:
            moved: Whether to show the movement of its last action.
            just_now: Whether that action has just ended the game.
        """
        scene = self.game.scene(self.marks.on)
        over = self.game.over
        self.view.show(self.game.puzzle.revealed(scene) if over else scene, moved)
        self.dirty = True
        if over == (self.ending is not None):
            return
        if self.ending is not None:
            self.ending.close()
        self.ending = Ending(self.app, self.game, just_now) if over else None
        if self.ui is not None:  # other buttons
            self.open(self.size)

    # -- what can be done ------------------------------------------------------------------------------

    def _play(self, action: int) -> None:
        if self.game.over:
            self._queue.clear()
            return
        self.game.play(action)
        self._show(moved=True, just_now=self.game.over)
        self._changed()
        self.app.sound("move" if not self.game.over else "solved" if self.game.solved else "died")
        if self.game.over:
            self._queue.clear()
            record(self.game, self.app.progress)

    def _undo(self) -> None:
        self.change(Game.undo)

    def _redo(self) -> None:
        self.change(Game.redo, moved=True)

    def change(self, change: Callable[[Game], bool], moved: bool = False) -> None:
        """Undo, redo, or turn the board.

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
        self.marks = Marks(self.game, self.view)
        continue_unfinished(self.game, self.app.progress)
        self.hints = Hints(self.app, self.game)
        self._show()
        self._changed()
        self.hints.look_ahead()
        self.open(self.size)

    def guide(self) -> None:
        """Show the next step, now and after each move on this level."""
        self.hints.guides = True
        self.hints.follow()

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

    # -- saving ----------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Forget the hint and the message, and save the game soon, because the position has changed."""
        self.hints.forget()
        self.hints.follow()
        self.pointer.forget()
        self.app.unsay()
        if self._unsaved is None:
            self._unsaved = 0.0
        self.waiting = True

    def _save(self) -> None:
        self._unsaved = None
        save_unfinished(self.game, self.app.progress)
