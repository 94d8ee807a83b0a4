"""The actions of the editor on a drawn level: solve, rate, open, save, print and play it."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from gridpuzzles_gym.agents.parallel.workers import Work

from ...engine.levels.text_files import read_level_text
from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...session.arguments import chosen_levels
from ...session.choices import ids_of, playing_settings
from ...session.game import Game
from ...session.jobs import Job
from ...session.rating import Verdict, rate_level, solve_level
from ..game.copying import copy_text, pasted_text, said
from ..model.editing.board_reading import Fault, drawn_from, read_board
from ..model.editing.drawn_board import DrawnBoard
from ..model.editing.level_editing import Editing
from ..model.own_levels import file_for
from ..views.theme import Theme
from .files import ANY, NEW, OLD
from .host import Host
from .screen import Entry

UNTITLED = "untitled"
"""The title of an untitled level while it is played."""


class Editor(Protocol):
    """The part of the editor's screen that the actions use."""

    app: Host
    puzzle: Puzzle
    editing: Editing
    folder: Path | None
    """The folder of the person's levels."""
    dirty: bool

    @property
    def fault(self) -> Fault | None:
        """The board's first fault."""

    @property
    def theme(self) -> Theme:
        """The colours."""

    def change(self, change: Callable[[], object]) -> None:
        """Change the drawing."""

    def save_draft(self) -> None:
        """Save the drawing in progress."""

    def rebuild(self) -> None:
        """Create the widgets again."""


class LevelActions:
    """The actions of one editor.

    Args:
        screen: The editor.
    """

    def __init__(self, screen: Editor) -> None:
        self.screen, self.app = screen, screen.app
        self._job: Job | None = None
        self._searched: DrawnBoard | None = None
        self._found: tuple[DrawnBoard, Verdict] | None = None
        self._progress = ""

    def entries(self) -> tuple[Entry, ...]:
        """Return the buttons."""

        def valid() -> bool:
            return self.screen.fault is None

        return (
            Entry("Save", self.ask_save, "s", valid),
            Entry("Copy", self.copy, "ctrl+c"),
            Entry("Paste", self.paste, "ctrl+v"),
            Entry("Stop", self.stop, "f3") if self.busy else Entry("Solve", self.solve, "f3", valid),
            Entry("Rate", self.rate, "r", valid),
            Entry("Watch", self.watch, "w", valid),
            Entry("Play", self.play, "return", valid),
        )

    # -- searching -------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return self._job is not None

    @property
    def verdict(self) -> Verdict | None:
        """The result for the current board; None if there is none."""
        found = self._found
        return found[1] if found is not None and found[0] == self.screen.editing.board else None

    @property
    def solution(self) -> tuple[int, ...] | None:
        """A solution of the current board; None if none is known."""
        return self.verdict.actions or None if self.verdict is not None else None

    def words(self) -> tuple[str, str] | None:
        """Return the result, or the progress of the search, and its colour; None if there is neither."""
        theme, verdict = self.screen.theme, self.verdict
        if self.busy:
            return self._progress or "searching …", theme.faint
        if verdict is None:
            return None
        return verdict.words, theme.bad if verdict.solvable is False else theme.good

    def solve(self) -> None:
        """Search for a solution."""
        self._start(solve_level)

    def rate(self) -> None:
        """Rate the level's difficulty."""
        self._start(rate_level)

    def _start(self, work: Work) -> None:
        level = self._level()
        if level is None:
            return
        self.cancel()
        self._searched, self._progress = self.screen.editing.board, ""
        self._job = Job(work, (self.screen.puzzle, level))
        self.screen.rebuild()

    def poll(self) -> None:
        """Receive the results of the job."""
        job = self._job
        if job is None:
            return
        for update in job.poll():
            if isinstance(update, Verdict):
                assert self._searched is not None
                self._found = self._searched, update
            else:
                seconds, positions = f"{update.seconds:.0f} s", plural(update.expanded, "position")
                self._progress = f"searching: {positions}, {seconds}"
            self.screen.dirty = True
        if job.done:
            if job.error:
                self.app.say(job.error)
            self._job = None
            self.screen.rebuild()

    def stop(self) -> None:
        """End the search without a result."""
        self.cancel()
        self.screen.rebuild()

    def cancel(self) -> None:
        """End the job, because the screen is closed or another job starts."""
        if self._job is not None:
            self._job.cancel()
            self._job = None

    # -- files -----------------------------------------------------------------------------------------

    def ask_open(self) -> None:
        """Ask which level to draw on."""
        heading = "Draw on a level: a file, or a file or pack and a number, such as medium:3"
        folder = self.screen.folder
        self.app.show("files", heading, folder or Path(), [("Open", ANY, lambda path: self.open(str(path)))])

    def open(self, choice: str) -> None:
        """Replace the drawing by a level; :meth:`Editing.undo` restores it.

        Args:
            choice: A level file, whose first level is used and may be invalid; or a file or pack with the number of a
                level, such as ``"medium:3"``.

        Raises:
            ValueError: There is no such level.
        """
        puzzle = self.screen.puzzle
        if Path(choice).is_file():
            self._replace(*read_board(puzzle, read_level_text(Path(choice))))
        else:
            level = chosen_levels(puzzle, choice)[0]
            self._replace(level.name, drawn_from(puzzle, level))

    def _replace(self, title: str, board: DrawnBoard) -> None:
        editing = self.screen.editing
        editing.title = title
        self.screen.change(lambda: editing.change(board))
        self.screen.rebuild()

    def copy(self) -> None:
        """Copy the drawing, which may be invalid, to the clipboard."""
        self.app.say(copy_text("the drawing", self.screen.editing.text))

    def paste(self) -> None:
        """Replace the drawing by the first level in the clipboard; undo restores it."""
        try:
            text = pasted_text()
        except ValueError as error:
            self.app.say(str(error))
            return
        try:
            self._replace(*read_board(self.screen.puzzle, text))
        except ValueError as error:
            self.app.say(said(f"the clipboard has no level of {self.screen.puzzle.title}: {error}"))

    def ask_save(self) -> None:
        """Ask for the file to save the level to."""
        if self._level() is None:
            return
        editing = self.screen.editing

        def save(path: Path, replace: bool = False) -> None:
            editing.save(path, replace)
            self.app.say(f"saved {path}")

        def append(path: Path) -> None:
            editing.append(path)
            self.app.say(f"added to {path}")

        uses = (("Save", NEW, save), ("Add to it", OLD, append), ("Replace it", OLD, lambda path: save(path, True)))
        self.app.show("files", "Save the level", file_for(self.screen.folder, editing.title), uses)

    # -- playing ---------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play the level."""
        game = self._game()
        if game is not None:
            self.app.show("playing", game, "the editor")

    def watch(self) -> None:
        """Watch a search or an agent play the level."""
        game = self._game()
        if game is not None:
            self.app.show("playing", game, "the editor")
            self.app.show("solving", game)

    def _game(self) -> Game | None:
        """Return a game of the level; if it is invalid, show why and return None."""
        level, screen = self._level(), self.screen
        if level is None:
            return None
        screen.save_draft()
        named = level if screen.editing.title else dataclasses.replace(level, name=UNTITLED)
        settings = playing_settings(self.app.preferences, screen.puzzle)
        game = Game(ids_of(screen.puzzle)[0], **settings, levels=[named])
        game.slot = "drawn"
        return game

    def _level(self) -> Level | None:
        """Return the level; if it is invalid, show why and return None."""
        try:
            return self.screen.editing.level()
        except ValueError as error:
            self.app.say(str(error))
            return None
