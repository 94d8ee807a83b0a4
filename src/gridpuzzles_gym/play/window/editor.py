"""The editor: place pieces, see what is wrong with the level, check whether it can be solved, save it, play it."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import pygame

from ...engine.levels.level_text import read_level_text
from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...engine.system.files import write_text
from ..advice import Hint, Position, Request, advice_job
from ..arguments import all_puzzles, new_file
from ..choices import ids_of
from ..editing import (
    DrawnBoard,
    Square,
    can_be_drawn,
    fault_of,
    file_for,
    own_folder,
    read_board,
    read_draft,
    write_draft,
)
from ..game import PlaySession
from ..jobs import Job
from ..preferences import playing_settings
from .app import App
from .cards import save_buttons
from .drawing_board import DrawingBoard, PaletteView, PiecePictures, squares_between
from .playing import as_line, copy_text, pasted_text
from .screen import Action, Entry, Screen

LEFT, RIGHT = 1, 3
DRAFT_SECONDS = 0.3
"""Maximum age of an unsaved drawing, in seconds."""
CHECK_SECONDS = 60.0
"""Time limit of the search for a solution, in seconds."""
UNTITLED = "untitled"
"""The title of an untitled level while it is played."""


class EditorScreen(Screen):
    """A board to draw on, with a palette on the left.

    Args:
        app: The app.
        puzzle: The puzzle; None, or a puzzle without a palette, for the first with one.
    """

    help = (
        ("left button", "draw"),
        ("right button", "erase the uppermost piece"),
        ("arrows, Space, X", "choose a square, draw on it, erase it"),
        ("1 … 9, wheel", "choose a piece"),
        ("U, Y", "undo, redo"),
        ("drop a file", "draw on its first level"),
    )
    chooses = False

    def __init__(self, app: App, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = [each for each in all_puzzles() if can_be_drawn(each)]
        self._unsaved: float | None = None
        if puzzle is not None and puzzle not in self.puzzles:
            app.say(f"levels of {puzzle.title} cannot be drawn")
        self._show(puzzle if puzzle in self.puzzles else self.puzzles[0])

    def _show(self, puzzle: Puzzle) -> None:
        """Show the drawing in progress of a puzzle."""
        self.puzzle = puzzle
        self.folder = own_folder(self.app.progress, puzzle)
        self.editing = read_draft(self.folder, puzzle)
        self.pictures = PiecePictures(puzzle, playing_settings(self.app.preferences, puzzle))
        self.piece = self.pieces[1]
        self._job: Job | None = None
        self._checked: tuple[DrawnBoard, str, bool] | None = None
        self._button = 0
        self._stroked: list[Square] = []
        self._hovered: Square | None = None

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces of the palette."""
        return list(self.editing.palette.pieces(self.editing.board.extent))

    # -- layout ----------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out the palette, the board, a line of text and the buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        self._build_buttons()
        side = min(max(width // 6, 60), 10 * line)
        puzzles = {puzzle.title: puzzle for puzzle in self.puzzles}
        place = pygame.Rect(gap, gap, side, line)
        self.menu(place, "Levels of", [*puzzles], self.puzzle.title, lambda title: self._go_to(puzzles[title]))
        self.row(
            pygame.Rect(side + 2 * gap, gap, width - side - 3 * gap, line),
            [
                Entry(f"{sign} {what}", functools.partial(self._resize, *more))
                for sign, what, more in (
                    ("−", "column", (0, -1)),
                    ("+", "column", (0, 1)),
                    ("−", "row", (-1, 0)),
                    ("+", "row", (1, 0)),
                )
            ],
        )
        high = round(0.75 * line)
        top = self.floor - high - gap
        left, wide = side + 2 * gap, width - side - 3 * gap
        self._words = self.message_box = pygame.Rect(left, top, wide, high)
        self._palette_area = pygame.Rect(gap, line + 2 * gap, side, self.floor - line - 3 * gap)
        self._area = pygame.Rect(left, line + 2 * gap, wide, top - line - 3 * gap)
        for k, piece in enumerate(self.pieces[:9]):
            self.on_key(str(k + 1), functools.partial(self._choose, piece))
        for key, (row, column) in (("up", (-1, 0)), ("down", (1, 0)), ("left", (0, -1)), ("right", (0, 1))):
            self.on_key(key, functools.partial(self._point, row, column))
        for key, change in (("u", self.editing.undo), ("y", self.editing.redo)):
            self.on_key(key, functools.partial(self.change, change))
        self.on_key("space", self._draw_here)
        self.on_key("x", self._erase_here)
        self._lay_out()

    def _build_buttons(self) -> None:
        editing = self.editing
        endings = editing.palette.endings
        ending = endings.get(editing.board.ending, editing.board.ending.strip())

        def valid() -> bool:
            return self.fault is None

        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                Entry("Undo", lambda: self.change(editing.undo), "backspace", lambda: editing.can_undo),
                Entry("Redo", lambda: self.change(editing.redo), "f4", lambda: editing.can_redo),
                Entry("Clear", lambda: self._set(DrawnBoard.new(editing.palette, editing.board.extent)), "delete"),
                *((Entry(ending, self._next_ending, "g"),) if len(endings) > 1 else ()),
                Entry("Copy", lambda: self.app.say(copy_text("the drawing", editing.board.text())), "ctrl+c"),
                Entry("Paste", self._paste, "ctrl+v"),
                Entry("Save", self._save, "s", valid),
                Entry("Stop", self._stop, "f3") if self._job else Entry("Check", self._check, "f3", valid),
                Entry("Play", self._play, "return", valid),
            )
        )

    def _lay_out(self) -> None:
        """Adapt everything to the changed board."""
        editing = self.editing
        self.view = DrawingBoard(self._area, editing.board)
        self.palette = PaletteView(self._palette_area, self.pieces, round(1.3 * self.line))
        self.fault = fault_of(self.puzzle, editing.board)
        self.dirty = True

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the pieces of the palette."""
        return [(box, functools.partial(self._choose, piece)) for piece, box in self.palette.boxes.items()]

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the palette, the board and what is wrong with it."""
        super().draw(surface)
        board, theme = self.editing.board, self.theme
        self.palette.draw(self, surface, self.pictures, self.editing.palette.pieces(board.extent), self.piece)
        self.view.draw(surface, self.pictures, theme, self.fault, self._hovered)
        self.write(surface, *self._status())

    def _status(self) -> tuple[str, pygame.Rect, str]:
        """Return the line about the level, its place and its colour."""
        if self.fault is not None:
            return str(self.fault), self._words, self.theme.bad
        if self._job is not None:
            return "checking …", self._words, self.theme.faint
        if self._checked is not None and self._checked[0] == self.editing.board:
            return self._checked[1], self._words, self.theme.good if self._checked[2] else self.theme.bad
        height, width = self.editing.board.extent
        return f"a valid level of {width}×{height} squares", self._words, self.theme.good

    # -- time and events -------------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive the results of a job, and save the drawing."""
        self._poll()
        if self._unsaved is not None:
            self._unsaved += seconds
            if self._unsaved >= DRAFT_SECONDS:
                self.save_draft()
        self.waiting = self._job is not None or self._unsaved is not None

    def rebuild(self) -> None:
        """Create the widgets again."""
        self.open(self.size)

    def leave(self) -> None:
        """End the job, and save the drawing."""
        self._cancel()
        self.save_draft()

    def resume(self) -> None:
        """Use the current style, which another screen may have changed."""
        self.pictures = PiecePictures(self.puzzle, playing_settings(self.app.preferences, self.puzzle))
        self.dirty = True

    def dropped(self, path: str) -> None:
        """Draw on the first level of a file that was dropped onto the window."""
        try:
            self._set(read_board(self.puzzle, read_level_text(Path(path))))
        except (ValueError, OSError) as error:
            self.app.say(str(error))

    def take(self, event: pygame.event.Event) -> None:
        """End a stroke wherever the button is released."""
        if event.type == pygame.MOUSEBUTTONUP and event.button == self._button:
            self._end_stroke()
        super().take(event)

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (LEFT, RIGHT):
            self._press(event.pos, event.button)
        elif event.type == pygame.MOUSEMOTION:
            self._move(event.pos)
        elif event.type == pygame.MOUSEWHEEL:
            pieces = self.pieces
            self._choose(pieces[(pieces.index(self.piece) - event.y) % len(pieces)])

    def _press(self, point: tuple[int, int], button: int) -> None:
        self.ui.set_focus_set(None)
        square = self.view.square_at(point)
        if square is not None and not self._button:
            self._button, self._stroked = button, [square]
            self.editing.begin_stroke()
            self._touch(square)

    def _move(self, point: tuple[int, int]) -> None:
        square = self.view.square_at(point)
        if square != self._hovered:
            self._hovered, self.dirty = square, True
        if square is None or not self._button:
            return
        for passed in squares_between(self._stroked[-1], square):
            if passed not in self._stroked:
                self._touch(passed)
            self._stroked.append(passed)

    def _touch(self, square: Square) -> None:
        """Draw on a square of a stroke."""
        if self._button == RIGHT:
            self._set(self.editing.board.erase(square))
        else:
            self._set(self.editing.board.put(square, self.piece))

    def _end_stroke(self) -> None:
        self._button = 0
        self.editing.end_stroke()

    def _point(self, rows: int, columns: int) -> None:
        """Choose another square by the keyboard, at first the one in the middle."""
        height, width = self.editing.board.extent
        if self._hovered is None:
            self._hovered = height // 2, width // 2
        else:
            row, column = self._hovered
            self._hovered = min(max(row + rows, 0), height - 1), min(max(column + columns, 0), width - 1)
        self.dirty = True

    def _draw_here(self) -> None:
        if (square := self._hovered) is not None:
            self._set(self.editing.board.put(square, self.piece))

    def _erase_here(self) -> None:
        if (square := self._hovered) is not None:
            self._set(self.editing.board.erase(square))

    # -- drawing ---------------------------------------------------------------------------------------

    def change(self, change: Callable[[], object]) -> None:
        """Change the drawing; it is saved a little later."""
        before = self.editing.board
        change()
        board = self.editing.board
        self._unsaved = 0.0 if self._unsaved is None else self._unsaved
        self.waiting = True
        if (before.extent, before.ending) != (board.extent, board.ending):
            self.rebuild()
        else:
            self._lay_out()

    def _set(self, board: DrawnBoard) -> None:
        self.change(lambda: self.editing.change(board))

    def _choose(self, piece: str) -> None:
        self.piece = piece
        self._lay_out()

    def _resize(self, rows: int, columns: int) -> None:
        height, width = self.editing.board.extent
        try:
            self._set(self.editing.board.resized(height + rows, width + columns))
        except ValueError as error:
            self.app.say(str(error))

    def _next_ending(self) -> None:
        endings, board = list(self.editing.palette.endings), self.editing.board
        at = endings.index(board.ending) if board.ending in endings else -1
        self._set(dataclasses.replace(board, ending=endings[(at + 1) % len(endings)]))

    def _go_to(self, puzzle: Puzzle) -> None:
        self.leave()
        self._show(puzzle)
        self.rebuild()

    def save_draft(self) -> None:
        """Save the drawing in progress."""
        self._unsaved = None
        try:
            write_draft(self.folder, self.editing)
        except OSError as error:
            self.app.say(f"the drawing cannot be saved: {error.strerror}")

    # -- what can be done ------------------------------------------------------------------------------

    def _paste(self) -> None:
        """Replace the drawing by the first level in the clipboard; undo restores it."""
        try:
            self._set(read_board(self.puzzle, pasted_text()))
        except ValueError as error:
            self.app.say(as_line(f"the clipboard has no level of {self.puzzle.title}: {error}"))

    def _level(self) -> Level | None:
        """Return the level; if it is invalid, show why and return None."""
        try:
            return self.editing.level()
        except ValueError as error:
            self.app.say(str(error))
            return None

    def _save(self) -> None:
        """Ask for the file to save the level to."""
        level = self._level()

        def save(path: Path, replace: bool) -> None:
            write_text(new_file(path, replace, ".txt", ".xsb", ".sok"), self.editing.board.text())
            self.app.say(f"saved {path}")

        if level is not None:
            self.app.show("asking", "Save the level", str(file_for(self.folder, "my level")), save_buttons(save))

    def _game(self) -> PlaySession | None:
        """Return a game of the level; if it is invalid, show why and return None."""
        level = self._level()
        if level is None:
            return None
        self.save_draft()
        named = dataclasses.replace(level, name=UNTITLED)
        settings = playing_settings(self.app.preferences, self.puzzle)
        game = PlaySession.of(ids_of(self.puzzle)[0], **settings, levels=[named])
        game.slot = "drawn"
        return game

    def _play(self) -> None:
        """Play the level."""
        game = self._game()
        if game is not None:
            self.app.show("playing", game, "the editor")

    def _check(self) -> None:
        """Search for a solution; without chance and hidden pieces, whether there is one."""
        game = self._game()
        if game is not None:
            self._cancel()
            self._searched = self.editing.board
            self._job = Job(advice_job, Request(Position.of(game), (), CHECK_SECONDS))
            game.close()
            self.rebuild()

    def _poll(self) -> None:
        """Receive the result of the check."""
        job = self._job
        if job is None:
            return
        for hint in job.poll():
            if isinstance(hint, Hint):
                words = f"can be solved in {plural(len(hint.plan), 'move')}, by {hint.source}"
                if not hint.solves:
                    words = hint.message or f"{hint.source} can play it; whether it wins depends on chance"
                self._checked = self._searched, words, not hint.message
        if job.done:
            if job.error:
                self.app.say(job.error)
            self._job = None
            self.rebuild()

    def _stop(self) -> None:
        self._cancel()
        self.rebuild()

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
