"""The editor: draw a level, see what is wrong with it, solve it, save it, play it."""

import functools
from collections.abc import Callable, Sequence

import pygame

from ...engine.puzzle import Puzzle
from ...session.arguments import all_puzzles
from ...session.choices import playing_settings
from ..model.editing.board_faults import fault_lines, faults_of
from ..model.editing.board_reading import Fault
from ..model.editing.drawn_board import Square
from ..model.own_levels import own_folder, read_draft, write_draft
from ..views.drawing_board import DrawingBoard, PaletteView, squares_between
from ..views.piece_pictures import PiecePictures
from .host import Host
from .level_actions import LevelActions
from .screen import Action, Entry, Screen

DRAW, FILL, MOVE = "draw", "fill", "move"
LEFT, RIGHT = 1, 3
LINES = 3
"""Maximum number of lines of text below the board."""
DRAFT_SECONDS = 0.3
"""Maximum age of an unsaved drawing, in seconds."""


class EditorScreen(Screen):
    """A board to draw on, with a palette on the left.

    Args:
        app: The app.
        puzzle: The puzzle; None, or a puzzle without a palette, for the first with one.
    """

    help = (
        ("left button", "draw, fill or move, according to the tool"),
        ("right button", "erase the uppermost piece"),
        ("arrows, Space, X", "choose a square, draw on it, erase it"),
        ("1 … 9, wheel", "choose a piece"),
        ("U, Y", "undo, redo"),
        ("drop a file", "draw on its first level"),
    )
    chooses = False

    def __init__(self, app: Host, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = [each for each in all_puzzles() if each.palette is not None]
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
        self.tool = MOVE if self.editing.palette.arranged else DRAW
        self.piece = self.pieces[1]
        self.actions = LevelActions(self)
        self._button = 0
        self._stroked: list[Square] = []
        self._hovered: Square | None = None
        self._taken: Square | None = None

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces of the palette."""
        return list(self.editing.palette.pieces(self.editing.board.extent))

    # -- layout ----------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out the title, the palette, the board, a line of text and the buttons."""
        width, line, gap = self.size[0], self.line, self.gap
        self._build_buttons()
        side = min(max(width // 6, 60), 10 * line)
        puzzles = {puzzle.title: puzzle for puzzle in self.puzzles}
        place = pygame.Rect(gap, gap, side, line)
        self.menu(place, "Levels of", [*puzzles], self.puzzle.title, lambda title: self._go_to(puzzles[title]))
        sizes = min(9 * line, width // 3)
        box = pygame.Rect(side + 2 * gap, gap, width - side - sizes - 4 * gap, line)
        self.entry = self.text_line(
            box, self.editing.title, self._retitle, lambda: self.ui.set_focus_set(None), "the level's title"
        )
        self.row(
            pygame.Rect(box.right + gap, gap, sizes, line),
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
        count = min(max((self.size[1] - 3 * line) // (6 * line), 2), LINES)
        top = self.floor - count * high - gap
        left, wide = side + 2 * gap, width - side - 3 * gap
        self._lines = [pygame.Rect(left, top + k * high, wide, high) for k in range(count)]
        self.message_box = self._lines[0].unionall(self._lines)
        self.message_box.height = min(self.message_box.height, line)
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
        tools = ((DRAW, "d"), (FILL, "f"), (MOVE, "m")) if not editing.palette.arranged else ((DRAW, "d"), (MOVE, "m"))
        self.toolbar(
            (
                *(
                    Entry(
                        tool.capitalize(),
                        functools.partial(self._use, tool),
                        key,
                        None,
                        functools.partial(self._is, tool),
                    )
                    for tool, key in tools
                ),
                Entry("Undo", lambda: self.change(editing.undo), "backspace", lambda: editing.can_undo),
                Entry("Redo", lambda: self.change(editing.redo), "f4", lambda: editing.can_redo),
                Entry("Clear", lambda: self.change(editing.clear), "delete"),
                *((Entry(ending, self._next_ending, "g"),) if len(endings) > 1 else ()),
                Entry("Back", self.back, "escape"),
                Entry("Open", self.actions.ask_open, "o"),
                *self.actions.entries(),
            )
        )

    def _lay_out(self) -> None:
        """Adapt everything to the changed board."""
        editing = self.editing
        self.view = DrawingBoard(self._area, editing.board)
        self.palette = PaletteView(self._palette_area, self.pieces, round(1.3 * self.line))
        self.faults = list(faults_of(self.puzzle, editing.board))
        self.dirty = True

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the pieces of the palette."""
        return [(box, functools.partial(self._choose, piece)) for piece, box in self.palette.boxes.items()]

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the palette, the board and what is wrong with it."""
        super().draw(surface)
        board, theme = self.editing.board, self.theme
        self.palette.draw(self, surface, self.pictures, self.editing.palette.pieces(board.extent), board, self.piece)
        self.view.draw(surface, self.pictures, theme, self.faults, self._hovered)
        for place, (words, color) in zip(self._lines, self._status(), strict=False):
            self.write(surface, words, place, color)

    @property
    def fault(self) -> Fault | None:
        """The board's first fault."""
        return self.faults[0] if self.faults else None

    def _status(self) -> list[tuple[str, str]]:
        """Return the lines about the level, each with its colour; faults of the square under the mouse come first."""
        if self.faults:
            lines, widest = len(self._lines), max(int(self._lines[0].width / (0.7 * self.text)), 1)
            return [(line, self.theme.bad) for line in fault_lines(self.faults, self._hovered, lines, widest)]
        height, width = self.editing.board.extent
        return [self.actions.words() or (f"a valid level of {width}×{height} squares", self.theme.good)]

    # -- time and events -------------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive the results of a job, and save the drawing."""
        self.actions.poll()
        if self._unsaved is not None:
            self._unsaved += seconds
            if self._unsaved >= DRAFT_SECONDS:
                self.save_draft()
        self.waiting = self.actions.busy or self._unsaved is not None

    def rebuild(self) -> None:
        """Create the widgets again."""
        self.open(self.size)

    def leave(self) -> None:
        """End the job, and save the drawing."""
        self.actions.cancel()
        self.save_draft()

    def resume(self) -> None:
        """Use the current style, which another screen may have changed."""
        self.pictures = PiecePictures(self.puzzle, playing_settings(self.app.preferences, self.puzzle))
        self.dirty = True

    def dropped(self, path: str) -> None:
        """Draw on the first level of a file that was dropped onto the window."""
        try:
            self.actions.open(path)
        except (ValueError, OSError) as error:
            self.app.say(str(error))

    def take(self, event: pygame.event.Event) -> None:
        """End a stroke wherever the button is released."""
        if event.type == pygame.MOUSEBUTTONUP and event.button == self._button:
            self._end_stroke(event.pos)
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

    def _retitle(self, title: str) -> None:
        self.change(lambda: setattr(self.editing, "title", title))

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
            self.change(lambda: self.editing.erase(square))
        elif self.tool == DRAW:
            self.change(lambda: self.editing.put(square, self.piece))
        elif self.tool == FILL and len(self._stroked) == 1:
            self.change(lambda: self.editing.fill(square, self.piece))

    def _end_stroke(self, point: tuple[int, int]) -> None:
        start, end = self._stroked[0], self.view.square_at(point)
        if self.tool == MOVE and self._button == LEFT and end is not None:
            self.change(lambda: self.editing.move(start, end))
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
        """Use the tool on the chosen square; to move a piece, first choose it, then where it goes."""
        square, taken, self._taken = self._hovered, self._taken, None
        if square is None:
            return
        if self.tool != MOVE:
            draw = self.editing.put if self.tool == DRAW else self.editing.fill
            self.change(lambda: draw(square, self.piece))
        elif taken is None:
            self._taken = square
        else:
            self.change(lambda: self.editing.move(taken, square))

    def _erase_here(self) -> None:
        if (square := self._hovered) is not None:
            self.change(lambda: self.editing.erase(square))

    # -- drawing ---------------------------------------------------------------------------------------

    def change(self, change: Callable[[], object]) -> None:
        """Change the drawing; it is saved a little later."""
        extent, ending = self.editing.board.extent, self.editing.board.ending
        try:
            change()
        except ValueError as error:
            self.app.say(str(error))
            return
        self._unsaved = 0.0 if self._unsaved is None else self._unsaved
        self.waiting = True
        if (extent, ending) != (self.editing.board.extent, self.editing.board.ending):
            self.piece = self.piece if self.piece in self.pieces else self.pieces[0]
            self.rebuild()
        else:
            self._lay_out()

    def _choose(self, piece: str) -> None:
        self.piece = piece
        self.tool = DRAW if self.tool == MOVE else self.tool
        self._lay_out()

    def _is(self, tool: str) -> bool:
        return tool == self.tool

    def _use(self, tool: str) -> None:
        self.tool, self._taken = tool, None
        self._lay_out()

    def _resize(self, rows: int, columns: int) -> None:
        height, width = self.editing.board.extent
        self.change(lambda: self.editing.resize(height + rows, width + columns))

    def _next_ending(self) -> None:
        endings = list(self.editing.palette.endings)
        now = self.editing.board.ending
        at = endings.index(now) if now in endings else -1
        self.change(lambda: self.editing.set_ending(endings[(at + 1) % len(endings)]))

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
