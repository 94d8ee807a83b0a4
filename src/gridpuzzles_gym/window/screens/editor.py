"""The editor: draw a level, see what is wrong with it, solve it, save it, play it."""

import functools
from collections.abc import Callable, Sequence

import pygame
import pygame_gui

from ...engine.puzzle import Puzzle
from ...session.arguments import all_puzzles
from ...session.choices import playing_settings
from ..model.board_faults import fault_lines, faults_of
from ..model.board_reading import Fault
from ..model.drawn_board import Square
from ..model.own_levels import own_folder, read_draft, write_draft
from ..views.drawing_board import DrawingBoard, PaletteView, squares_between
from ..views.piece_pictures import PiecePictures
from .host import Host
from .level_actions import LevelActions
from .screen import Screen

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
        ("1 … 9, wheel", "choose a piece"),
        ("d f m", "tool: draw, fill, move"),
        ("arrows", "more or fewer columns and rows"),
        ("Backspace, u", "undo"),
        ("F4, y", "redo"),
        ("Delete", "clear the board"),
        ("F3, r, w", "solve, rate, watch how it is solved"),
        ("Enter", "play the level"),
        ("s o p", "save, open, print"),
        ("drop a file", "draw on its first level"),
    )

    button_rows = 2

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

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces of the palette."""
        return list(self.editing.palette.pieces(self.editing.board.extent))

    # -- layout ----------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out the title, the palette, the board, a line of text and the buttons."""
        width, height = self.size
        line, gap = self.line, max(height // 80, 3)
        inner = pygame.Rect(gap, gap, width - 2 * gap, height - 2 * gap)
        side = min(max(width // 6, 60), 230)
        self.button(pygame.Rect(gap, gap, side, line), self.puzzle.title, self._next_puzzle, tip="another puzzle")
        sizes = min(4 * 3 * line, inner.width // 3)
        box = pygame.Rect(side + 2 * gap, gap, inner.width - side - sizes - 2 * gap, line)
        self.entry = pygame_gui.elements.UITextEntryLine(
            box, self.ui, placeholder_text="the level's title", initial_text=self.editing.title
        )
        self.row(
            pygame.Rect(box.right + gap, gap, sizes, line),
            [
                (f"{sign} {what}", functools.partial(self._resize, *more), key)
                for sign, what, more, key in (
                    ("−", "column", (0, -1), "left"),
                    ("+", "column", (0, 1), "right"),
                    ("−", "row", (-1, 0), "up"),
                    ("+", "row", (1, 0), "down"),
                )
            ],
        )
        last = pygame.Rect(gap, inner.bottom - line, inner.width, line)
        first = last.move(0, -line - gap)
        high = round(0.75 * line)
        count = min(max((height - 3 * line) // (6 * line), 1), LINES)
        top = first.top - count * high - gap
        left, wide = side + 2 * gap, inner.width - side - gap
        self._lines = [pygame.Rect(left, top + k * high, wide, high) for k in range(count)]
        self._palette_area = pygame.Rect(gap, line + 2 * gap, side, first.top - line - 3 * gap)
        self._area = pygame.Rect(left, line + 2 * gap, wide, top - line - 3 * gap)
        self._build_drawing_buttons(first)
        self._build_level_buttons(last)
        for k, piece in enumerate(self.pieces[:9]):
            self.on_key(str(k + 1), functools.partial(self._choose, piece))
        for key, action in (("u", self._undo), ("y", self._redo)):
            self.on_key(key, action)
        self._lay_out()

    def _build_drawing_buttons(self, rect: pygame.Rect) -> None:
        endings = self.editing.palette.endings
        ending = endings.get(self.editing.board.ending, self.editing.board.ending.strip())
        buttons = self.row(
            rect,
            (
                ("Draw", lambda: self._use(DRAW), "d"),
                *((("Fill", lambda: self._use(FILL), "f"),) if not self.editing.palette.arranged else ()),
                ("Move", lambda: self._use(MOVE), "m"),
                ("Undo", self._undo, "backspace"),
                ("Redo", self._redo, "f4"),
                ("Clear", lambda: self.change(self.editing.clear), "delete"),
                *(((ending, self._next_ending, "g"),) if len(endings) > 1 else ()),
            ),
        )
        named = {button.text: button for button in buttons}
        self._undoing, self._redoing = named["Undo"], named["Redo"]
        self._tools = [button for button in buttons if button.text.lower() in (DRAW, FILL, MOVE)]

    def _build_level_buttons(self, rect: pygame.Rect) -> None:
        entries = (("Back", self.back, "escape"), ("Open", self.actions.ask_open, "o"), *self.actions.entries())
        self._level_buttons = self.row(rect, entries)[2:]

    def _lay_out(self) -> None:
        """Adapt everything to the changed board."""
        editing = self.editing
        self.view = DrawingBoard(self._area, editing.board)
        self.palette = PaletteView(self._palette_area, self.pieces)
        self.faults = list(faults_of(self.puzzle, editing.board))
        able = [(self._undoing, editing.can_undo), (self._redoing, editing.can_redo)]
        able += [(button, self.actions.possible(button.text)) for button in self._level_buttons]
        for button, can in able:
            if can != button.is_enabled:
                button.enable() if can else button.disable()
        for button in self._tools:
            chosen = button.text.lower() == self.tool
            if chosen != button.is_selected:
                button.select() if chosen else button.unselect()
        self.dirty = True

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the palette, the board and what is wrong with it."""
        super().draw(surface)
        board, theme = self.editing.board, self.theme
        names = self.editing.palette.pieces(board.extent)
        for piece, box in self.palette.boxes.items():
            if piece == self.piece:
                self.card(surface, box, theme.accent)
            side = min(box.height, box.width) - 6
            if side > 3:
                place = pygame.Rect(box.left + 3, box.top + 3, side, side)
                surface.blit(self.pictures.piece(piece, side, board.extent), place)
            if self.palette.listed:
                label = pygame.Rect(box.left + side + 12, box.top, box.width - side - 14, box.height)
                self.write(
                    surface, names[piece], label, theme.accent if piece == self.piece else theme.ink, align="left"
                )
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
        """End a stroke wherever the button is released; if something is typed, Esc only ends that."""
        if event.type == pygame.MOUSEBUTTONUP and event.button == self._button:
            self._end_stroke(event.pos)
        if event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE and self._is_typing():
            self.ui.set_focus_set(None)
        else:
            super().take(event)

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse and the title."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (LEFT, RIGHT):
            self._press(event.pos, event.button)
        elif event.type == pygame.MOUSEMOTION:
            self._move(event.pos)
        elif event.type == pygame.MOUSEWHEEL:
            pieces = self.pieces
            self._choose(pieces[(pieces.index(self.piece) - event.y) % len(pieces)])
        elif event.type == pygame_gui.UI_TEXT_ENTRY_CHANGED:
            self.change(lambda: setattr(self.editing, "title", event.text))
        elif event.type == pygame_gui.UI_TEXT_ENTRY_FINISHED:
            self.ui.set_focus_set(None)

    def _press(self, point: tuple[int, int], button: int) -> None:
        self.ui.set_focus_set(None)
        piece, square = self.palette.piece_at(point), self.view.square_at(point)
        if piece is not None:
            self._choose(piece)
        elif square is not None and not self._button:
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

    def _use(self, tool: str) -> None:
        self.tool = tool
        self._lay_out()

    def _undo(self) -> None:
        self.change(self.editing.undo)

    def _redo(self) -> None:
        self.change(self.editing.redo)

    def _resize(self, rows: int, columns: int) -> None:
        height, width = self.editing.board.extent
        self.change(lambda: self.editing.resize(height + rows, width + columns))

    def _next_ending(self) -> None:
        endings = list(self.editing.palette.endings)
        now = self.editing.board.ending
        at = endings.index(now) if now in endings else -1
        self.change(lambda: self.editing.set_ending(endings[(at + 1) % len(endings)]))

    def _next_puzzle(self) -> None:
        self.leave()
        self._show(self.puzzles[(self.puzzles.index(self.puzzle) + 1) % len(self.puzzles)])
        self.rebuild()

    def save_draft(self) -> None:
        """Save the drawing in progress."""
        self._unsaved = None
        try:
            write_draft(self.folder, self.editing)
        except OSError as error:
            self.app.say(f"the drawing cannot be saved: {error.strerror}")
