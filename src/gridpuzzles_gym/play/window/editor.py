"""The editor: place pieces, see what is wrong with the level, check whether it can be solved, save it, play it."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pygame

from ...engine.messages import plural
from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.puzzle import Level, Puzzle
from ...engine.system.files import write_text
from ..advice import Hint, Position, Request, advice_job
from ..arguments import all_puzzles
from ..choices import ids_of
from ..editing import (
    Drawing,
    DrawnBoard,
    Fault,
    Square,
    can_be_drawn,
    drawn_from,
    fault_of,
    new_level_file,
    own_folder,
    palette_of,
    read_board,
)
from ..jobs import Job
from ..play_session import PlaySession
from ..preferences import playing_settings
from .app import App
from .playing import as_line, copy_text, pasted_text
from .screen import Action, Entry, Screen

LEFT, RIGHT = 1, 3
CHECK_SECONDS = 60.0
"""Time limit of the search for a solution, in seconds."""
UNTITLED = "untitled"
"""The title of a drawn level while it is played."""
LARGEST_TILE, SMALLEST_TILE = 200, 3
STEP, COARSE = 4, 24
"""Tiles larger than COARSE have a width that is a multiple of STEP, so that few sizes of pictures must be drawn."""
SMALLEST_GRID = 12
"""Minimum width of a tile with which grid lines are drawn, in pixels."""


@functools.lru_cache(8)
def piece_pictures(puzzle: Puzzle, settings: tuple[tuple[str, Any], ...], tile: int) -> dict[str, pygame.Surface]:
    """Return a picture of every cell, cut out of the puzzle's own pictures of example levels.

    Args:
        puzzle: A puzzle with a palette.
        settings: Options of the pictures, such as ``style``, with their names; hidden pieces are shown in any case.
        tile: The width of a picture, in pixels.
    """
    drawing, palette = drawing_of(puzzle), palette_of(puzzle)
    found: dict[str, tuple[int, pygame.Surface]] = {}
    for text in palette.examples(palette.size):
        for level in puzzle.parse(text, "example"):
            board, scene = drawn_from(puzzle, level), puzzle.first_scene(level)
            options = dataclasses.replace(scene.options, **dict(settings))
            scene = puzzle.revealed(dataclasses.replace(scene, options=options))
            whole = pygame.Surface(drawing.measure(scene, tile), 0, 32)
            drawing.draw(whole, scene, tile)
            for (row, column), cell in board.squares():
                around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
                walls = sum(not board.has(each) or board.on(each) == palette.border for each in around)
                if cell not in found or walls < found[cell][0]:  # of its squares, the one next to the fewest walls
                    part = whole.subsurface(drawing.square(scene, tile, row, column))
                    found[cell] = walls, pygame.transform.smoothscale(part, (tile, tile))
    return {cell: picture for cell, (_, picture) in found.items()}


def squares_between(start: Square, end: Square) -> Iterator[Square]:
    """Yield the squares on a straight line from one to another, without the first."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    for step in range(1, steps + 1):
        row, column = (round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
        yield row, column


class EditorScreen(Screen):
    """A board to draw on, with a palette on the left.

    Args:
        app: The app.
        puzzle: The puzzle; None, or a puzzle without a palette, for the first with one.
    """

    help = (
        ("left button", "draw"),
        ("right button", "erase the uppermost piece"),
        ("1 … 9, wheel", "choose a piece"),
    )
    chooses = False

    def __init__(self, app: App, puzzle: Puzzle | None = None) -> None:
        super().__init__(app)
        self.puzzles = [each for each in all_puzzles() if can_be_drawn(each)]
        if puzzle is not None and puzzle not in self.puzzles:
            app.say(f"levels of {puzzle.title} cannot be drawn")
        self._show(puzzle if puzzle in self.puzzles else self.puzzles[0])

    def _show(self, puzzle: Puzzle) -> None:
        """Show the drawing in progress of a puzzle."""
        self.puzzle = puzzle
        self.folder = own_folder(self.app.progress, puzzle)
        self.editing: Drawing = self.app.drawings.setdefault(puzzle.name, Drawing(puzzle))
        self.piece = self.pieces[1]
        self._job: Job | None = None
        self._checked: tuple[DrawnBoard, str, bool] | None = None
        self._button = 0
        self._stroked: list[Square] = []
        self._hovered: Square | None = None

    @property
    def board(self) -> DrawnBoard:
        """The drawing's current board."""
        return self.editing.board

    @property
    def pieces(self) -> Sequence[str]:
        """The pieces of the palette."""
        return list(self.editing.palette.pieces(self.board.extent))

    # -- layout ----------------------------------------------------------------------------------------

    def build(self) -> None:
        """Lay out the palette, the board, a line of text and the buttons."""
        width, line, gap, editing = self.size[0], self.line, self.gap, self.editing

        def valid() -> bool:
            return self.fault is None

        self.toolbar(
            (
                Entry("Back", self.back, "escape"),
                Entry("Undo", lambda: self.change(editing.undo), "backspace", lambda: editing.can_undo),
                Entry("Clear", lambda: self.set(DrawnBoard.new(editing.palette, self.board.extent)), "delete"),
                Entry("Copy", lambda: self.app.say(copy_text("the drawing", self.board.text())), "ctrl+c"),
                Entry("Paste", self._paste, "ctrl+v"),
                Entry("Save", self._save, "s", valid),
                Entry("Stop", self._stop, "f3") if self._job else Entry("Check", self._check, "f3", valid),
                Entry("Play", lambda: self.app.show("playing", self._game(), "the editor"), "return", valid),
            )
        )
        side = min(max(width // 6, 60), 10 * line)
        puzzles = {puzzle.title: puzzle for puzzle in self.puzzles}
        place = pygame.Rect(gap, gap, side, line)
        self.menu(place, "Levels of", [*puzzles], self.puzzle.title, lambda title: self._go_to(puzzles[title]))
        left, wide = side + 2 * gap, width - side - 3 * gap
        sizes = (("− column", (0, -1)), ("+ column", (0, 1)), ("− row", (-1, 0)), ("+ row", (1, 0)))
        resizing = [Entry(label, functools.partial(self._resize, *more)) for label, more in sizes]
        self.row(pygame.Rect(left, gap, wide, line), resizing)
        high = round(0.75 * line)
        top = self.floor - high - gap
        self._words = self.message_box = pygame.Rect(left, top, wide, high)
        self._palette_area = pygame.Rect(gap, line + 2 * gap, side, self.floor - line - 3 * gap)
        self._area = pygame.Rect(left, line + 2 * gap, wide, top - line - 3 * gap)
        for k, piece in enumerate(self.pieces[:9]):
            self.on_key(str(k + 1), functools.partial(self._choose, piece))
        self._lay_out()

    def _lay_out(self) -> None:
        """Adapt everything to the changed board."""
        height, width = self.board.extent
        tile = min(max(min(self._area.width // width, self._area.height // height), SMALLEST_TILE), LARGEST_TILE)
        self._tile = tile - tile % STEP if tile > COARSE else tile
        self.board_rect = pygame.Rect(0, 0, width * self._tile, height * self._tile)
        self.board_rect.center = self._area.center
        area, pieces = self._palette_area, self.pieces
        each = min(area.height // len(pieces), round(1.3 * self.line))
        self.palette = {
            piece: pygame.Rect(area.left, area.top + k * each, area.width, each - 2) for k, piece in enumerate(pieces)
        }
        self.fault: Fault | None = fault_of(self.puzzle, self.board)
        self.dirty = True

    def square(self, square: Square) -> pygame.Rect:
        """Return the rectangle of a square in the window."""
        left, top = self.board_rect.left + square[1] * self._tile, self.board_rect.top + square[0] * self._tile
        return pygame.Rect(left, top, self._tile, self._tile)

    def square_at(self, point: tuple[int, int]) -> Square | None:
        """Return the square at a point of the window; None if there is none."""
        if not self.board_rect.collidepoint(point):
            return None
        return (point[1] - self.board_rect.top) // self._tile, (point[0] - self.board_rect.left) // self._tile

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return the pieces of the palette."""
        return [(box, functools.partial(self._choose, piece)) for piece, box in self.palette.items()]

    # -- the picture -----------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the palette, the board and what is wrong with it."""
        super().draw(surface)
        self._draw_palette(surface)
        self._draw_board(surface)
        self.write(surface, *self._status())

    def _draw_palette(self, surface: pygame.Surface) -> None:
        """Draw the pieces with their names, and a card below the chosen one."""
        theme, names = self.theme, self.editing.palette.pieces(self.board.extent)
        for piece, box in self.palette.items():
            if piece == self.piece:
                self.card(surface, box, theme.accent)
            side = min(box.height, box.width) - 6
            if side > 3:
                surface.blit(self._pictures(side)[piece], (box.left + 3, box.top + 3))
            label = pygame.Rect(box.left + side + 12, box.top, box.width - side - 14, box.height)
            self.write(surface, names[piece], label, theme.accent if piece == self.piece else theme.ink, align="left")

    def _draw_board(self, surface: pygame.Surface) -> None:
        """Draw all squares, with frames around those at fault, the first one thick."""
        theme, rect, tile, pictures = self.theme, self.board_rect, self._tile, self._pictures(self._tile)
        for square, cell in self.board.squares():
            surface.blit(pictures[cell], self.square(square))
        if tile >= SMALLEST_GRID:
            for x in range(rect.left + tile, rect.right, tile):
                pygame.draw.line(surface, theme.edge, (x, rect.top), (x, rect.bottom - 1))
            for y in range(rect.top + tile, rect.bottom, tile):
                pygame.draw.line(surface, theme.edge, (rect.left, y), (rect.right - 1, y))
        pygame.draw.rect(surface, theme.edge, rect.inflate(2, 2), 1)
        for k, square in enumerate(() if self.fault is None else self.fault.squares):
            box = self.square(square)
            if k == 0:
                painting.put_card(surface, box, theme.bad, opacity=0.35, sheen=0)
            pygame.draw.rect(surface, theme.bad, box.inflate(2, 2), max(tile // (20 if k else 10), 1))
        if self._hovered is not None and self.board.has(self._hovered):
            pygame.draw.rect(surface, theme.accent, self.square(self._hovered), max(tile // 20, 1))

    def _pictures(self, tile: int) -> Mapping[str, pygame.Surface]:
        settings = playing_settings(self.app.preferences, self.puzzle)
        return piece_pictures(self.puzzle, tuple(sorted(settings.items())), tile)

    def _status(self) -> tuple[str, pygame.Rect, str]:
        """Return the line about the level, its place and its colour."""
        if self.fault is not None:
            return str(self.fault), self._words, self.theme.bad
        if self._job is not None:
            return "checking …", self._words, self.theme.faint
        if self._checked is not None and self._checked[0] == self.board:
            return self._checked[1], self._words, self.theme.good if self._checked[2] else self.theme.bad
        height, width = self.board.extent
        return f"a valid level of {width}×{height} squares", self._words, self.theme.good

    # -- time and events -------------------------------------------------------------------------------

    def tick(self, seconds: float) -> None:
        """Receive the result of a check."""
        job = self._job
        if job is not None:
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
                self.open(self.size)
        self.waiting = self._job is not None

    def leave(self) -> None:
        """End the check."""
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def take(self, event: pygame.event.Event) -> None:
        """End a stroke wherever the button is released."""
        if event.type == pygame.MOUSEBUTTONUP and event.button == self._button:
            self._button = 0
            self.editing.end_stroke()
        super().take(event)

    def handle(self, event: pygame.event.Event) -> None:
        """Handle the mouse."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (LEFT, RIGHT):
            square = self.square_at(event.pos)
            if square is not None and not self._button:
                self._button, self._stroked = event.button, [square]
                self.editing.begin_stroke()
                self._touch(square)
        elif event.type == pygame.MOUSEMOTION:
            self._move(self.square_at(event.pos))
        elif event.type == pygame.MOUSEWHEEL:
            pieces = self.pieces
            self._choose(pieces[(pieces.index(self.piece) - event.y) % len(pieces)])

    def _move(self, square: Square | None) -> None:
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
        self.set(self.board.erase(square) if self._button == RIGHT else self.board.put(square, self.piece))

    # -- drawing ---------------------------------------------------------------------------------------

    def change(self, change: Callable[[], object]) -> None:
        """Change the drawing."""
        before = self.board.extent
        change()
        if before == self.board.extent:
            self._lay_out()
        else:
            self.open(self.size)

    def set(self, board: DrawnBoard) -> None:
        """Replace the board; undo restores it."""
        self.change(lambda: self.editing.change(board))

    def _choose(self, piece: str) -> None:
        self.piece, self.dirty = piece, True

    def _resize(self, rows: int, columns: int) -> None:
        height, width = self.board.extent
        try:
            self.set(self.board.resized(height + rows, width + columns))
        except ValueError as error:
            self.app.say(str(error))

    def _go_to(self, puzzle: Puzzle) -> None:
        self.leave()
        self._show(puzzle)
        self.open(self.size)

    # -- what can be done ------------------------------------------------------------------------------

    def _paste(self) -> None:
        """Replace the drawing by the first level in the clipboard; undo restores it."""
        try:
            self.set(read_board(self.puzzle, pasted_text()))
        except ValueError as error:
            self.app.say(as_line(f"the clipboard has no level of {self.puzzle.title}: {error}"))

    def _save(self) -> None:
        """Save the level among the person's own, as a new file."""
        path = new_level_file(self.folder, "level")
        try:
            write_text(path, self.board.text())
            self.app.say(f"saved {path}")
        except OSError as error:
            self.app.say(str(error))

    def _game(self) -> PlaySession:
        """Return a game of the level."""
        level: Level = dataclasses.replace(self.editing.level(), name=UNTITLED)
        settings = playing_settings(self.app.preferences, self.puzzle)
        game = PlaySession.of(ids_of(self.puzzle)[0], **settings, levels=[level])
        game.slot = "drawn"
        return game

    def _check(self) -> None:
        """Search for a solution; without chance and hidden pieces, whether there is one."""
        game = self._game()
        self._searched = self.board
        self._job = Job(advice_job, Request(Position.of(game), (), CHECK_SECONDS))
        game.close()
        self.open(self.size)

    def _stop(self) -> None:
        self.leave()
        self.open(self.size)
