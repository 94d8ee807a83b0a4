"""Levels that are drawn by hand: boards that need not be valid, and what is wrong with them.

Boards are immutable: every operation returns a new one.
"""

import dataclasses
import functools
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Self

from gridpuzzles_gym.agents.puzzle_agents import board_of

from ..engine.board.interaction import Cell, Palette
from ..engine.levels.sources import blocks
from ..engine.puzzle import UNFINISHED, Level, LevelError, Puzzle
from .progress import Progress

Square = tuple[int, int]
"""(row, column), from 0."""
SOURCE = "board"
"""The file name for boards in the positions of error messages."""
_AT_START = re.compile(rf"{SOURCE}:(\d+)(?::(\d+))?: ")
_POSITION = re.compile(rf"\b{SOURCE}:(\d+)(?::(\d+))?")
_SYMBOLS = re.compile(r" \(\S(?:,? (?:or )?\S)*\)|, \S or \S on a goal")
"""The symbols of pieces in level text, after their names."""


def can_be_drawn(puzzle: Puzzle) -> bool:
    """Whether levels of a puzzle are drawn piece by piece."""
    return puzzle.palette is not None and not puzzle.palette.arranged


@dataclasses.dataclass(frozen=True)
class DrawnBoard:
    """A rectangle of squares."""

    palette: Palette
    rows: tuple[tuple[Cell, ...], ...]
    """At least one row of at least one square; all rows have the same length."""

    @classmethod
    def new(cls, palette: Palette, extent: Square | None = None) -> Self:
        """Return an empty board with a border; its (height, width) is the palette's unless it is given."""
        height, width = palette.size if extent is None else extent
        empty = next(iter(palette.pieces((height, width))))
        border = palette.border or empty
        cells = [
            [empty if 0 < row < height - 1 and 0 < column < width - 1 else border for column in range(width)]
            for row in range(height)
        ]
        return cls(palette, tuple(map(tuple, cells)))

    @classmethod
    def of_lines(cls, palette: Palette, lines: Sequence[str]) -> Self:
        """Return the board in some lines of level text, which need not be playable.

        Raises:
            LevelError: It is too large, or has an unknown symbol.
        """
        empty = next(iter(palette.pieces(palette.size)))
        words = bool(empty.strip()) and any(" " in line.strip() for line in lines)
        read = [line.split() if words else list(line) for line in lines]
        height, width, most = len(read), max(map(len, read), default=0), palette.sides[1]
        if not (0 < width <= most and height <= most):
            raise LevelError(f"a board of {width}x{height} squares; allowed are 1 to {most} per side")
        known = palette.pieces((height, width))
        cells = [[_cell(palette, known, word) for word in [*row, *[empty] * (width - len(row))]] for row in read]
        return cls(palette, tuple(map(tuple, cells)))

    @property
    def extent(self) -> Square:
        """Its (height, width)."""
        return len(self.rows), len(self.rows[0])

    @property
    def empty(self) -> str:
        """The piece that means an empty square."""
        return next(iter(self.palette.pieces(self.extent)))

    def squares(self) -> Iterator[tuple[Square, Cell]]:
        """Yield every square with what is on it, row by row."""
        for row, cells in enumerate(self.rows):
            for column, cell in enumerate(cells):
                yield (row, column), cell

    def on(self, square: Square) -> Cell:
        """Return what is on a square."""
        return self.rows[square[0]][square[1]]

    def has(self, square: Square) -> bool:
        """Whether the board has a square."""
        return 0 <= square[0] < self.extent[0] and 0 <= square[1] < self.extent[1]

    def put(self, square: Square, piece: str) -> Self:
        """Return the board with a piece on a square; a unique piece is moved from its previous square."""
        palette, empty, board = self.palette, self.empty, self
        if group := palette.group_of(piece):
            for there, cell in self.squares():
                if set(palette.parts(cell)) & set(group):
                    board = board._set(there, palette.without(cell, group, empty))
        return board._set(square, palette.add(board.on(square), piece, empty))

    def erase(self, square: Square) -> Self:
        """Return the board without the top piece of a square."""
        return self._set(square, self.palette.without_top(self.on(square), self.empty))

    def resized(self, height: int, width: int) -> Self:
        """Return the board with another size.

        Rows are added and removed at the bottom, columns on the right, in both cases inside the border.

        Raises:
            ValueError: The size is not allowed.
        """
        least, most = self.palette.sides
        if not (least <= height <= most and least <= width <= most):
            raise ValueError(f"{width}x{height} squares; allowed are {least} to {most} per side")
        rows = _lengthened(self.rows, height, self.palette.border, self.empty)
        columns = _lengthened(list(zip(*rows, strict=True)), width, self.palette.border, self.empty)
        return dataclasses.replace(self, rows=tuple(zip(*columns, strict=True)))

    def text(self) -> str:
        """Return the level text, which may be invalid."""
        pitch = self._pitch
        lines = ("".join(cell.rjust(pitch) for cell in row)[pitch > 1 :].rstrip() for row in self.rows)
        return "".join(f"{line or self.palette.visible_empty}\n" for line in lines)

    def square_at(self, line: int, column: int) -> Square | None:
        """Return the square at a position of :meth:`text`, both counted from 1; None if there is none."""
        square = line - 1, min((column - 1 + (self._pitch > 1)) // self._pitch, self.extent[1] - 1)
        return square if self.has(square) else None

    @property
    def _pitch(self) -> int:
        """The number of characters from one square to the next; squares of one character have no space between them."""
        longest = max(len(cell) for row in self.rows for cell in row)
        return longest + (longest > 1)

    def _set(self, square: Square, cell: Cell) -> Self:
        row, column = square
        changed = (*self.rows[row][:column], cell, *self.rows[row][column + 1 :])
        return dataclasses.replace(self, rows=(*self.rows[:row], changed, *self.rows[row + 1 :]))


def _cell(palette: Palette, known: Collection[str], word: str) -> Cell:
    """Return the cell for a square of level text; raises LevelError on an unknown symbol."""
    cell = empty = next(iter(known))
    for symbol in word:
        piece_symbol = palette.aliases.get(symbol, symbol)
        if piece_symbol not in known and piece_symbol not in palette.combined:
            raise LevelError(f"unknown symbol {symbol!r}; allowed are {', '.join(map(repr, known))}")
        for piece in palette.parts(piece_symbol):
            cell = palette.add(cell, piece, empty) if piece != empty else cell
    return cell


def _lengthened(lines: Sequence[Sequence[Cell]], length: int, border: str, empty: str) -> list[Sequence[Cell]]:
    """Return rows or columns with some added or removed before the border, or at the end if there is no border."""
    changed = list(lines)
    last = len(changed) - bool(border)
    del changed[max(last - max(len(changed) - length, 0), 0) : last]
    while len(changed) < length:
        at = len(changed) - bool(border)
        around = zip(changed[at - 1], changed[-1], strict=True)
        changed.insert(at, [border if border and one == other == border else empty for one, other in around])
    return changed


@dataclasses.dataclass(frozen=True)
class Fault:
    """Why a board is not a valid level."""

    message: str
    """What is wrong; squares are written as ``row 3, column 5``, counted from 1."""
    squares: tuple[Square, ...] = ()
    """The squares concerned, the one at fault first; empty if none is."""

    def __str__(self) -> str:
        """Return the message after the first square."""
        where = "".join(f"row {row + 1}, column {column + 1}: " for row, column in self.squares[:1])
        return where + self.message


def palette_of(puzzle: Puzzle) -> Palette:
    """Return the pieces of a puzzle; raises ValueError if its levels cannot be drawn."""
    if puzzle.palette is None or puzzle.palette.arranged:
        raise ValueError(f"levels of {puzzle.title} cannot be drawn")
    return puzzle.palette


def drawn_from(puzzle: Puzzle, level: Level) -> DrawnBoard:
    """Return a level as a board."""
    return DrawnBoard.of_lines(palette_of(puzzle), board_of(puzzle, level).splitlines())


def read_board(puzzle: Puzzle, text: str) -> DrawnBoard:
    """Return the board of the first level in a text, which need not be playable.

    Raises:
        LevelError: There is no board, it is too large, or it has an unknown symbol.
    """
    try:
        return drawn_from(puzzle, puzzle.parse(text, SOURCE)[0])
    except (LevelError, IndexError):
        for _, lines in blocks(text):
            return DrawnBoard.of_lines(palette_of(puzzle), [line for _, line in lines])
    raise LevelError("there is no board in this text")


@functools.lru_cache(16)
def fault_of(puzzle: Puzzle, board: DrawnBoard) -> Fault | None:
    """Return what is wrong with a board; None if it is a valid level."""
    try:
        levels = puzzle.parse(board.text(), SOURCE)
        scenes = [puzzle.first_scene(level) for level in levels]
    except LevelError as error:
        return _located(board, str(error))
    if not scenes:
        return Fault("this is not a level yet")
    if len(levels) > 1 or levels[0].extent != _drawn_extent(board):
        first = next(square for square, cell in board.squares() if cell != board.empty)
        return Fault("a part of the board is apart from the rest; a level must be in one piece", (first,))
    if puzzle.rules.outcome(scenes[0].level, scenes[0].state) != UNFINISHED:
        return Fault("this level is solved already")
    return None


def _drawn_extent(board: DrawnBoard) -> Square:
    """Return the extent of the board; where level text does not show empty squares, without empty margins."""
    if not board.palette.visible_empty:
        return board.extent
    drawn = [square for square, cell in board.squares() if cell != board.empty]
    sides = [[square[axis] for square in drawn] for axis in (0, 1)]
    rows, columns = (max(side) - min(side) + 1 for side in sides)
    return rows, columns


def _located(board: DrawnBoard, message: str) -> Fault:
    """Return a message with the positions in it replaced by squares, and without the symbols of level text."""
    places = [
        board.square_at(int(found[1]), int(found[2])) if found[2] else None for found in _POSITION.finditer(message)
    ]
    squares = tuple(dict.fromkeys(place for place in places if place is not None))

    def words(found: re.Match[str]) -> str:
        place = board.square_at(int(found[1]), int(found[2])) if found[2] else None
        return "the board" if place is None else f"row {place[0] + 1}, column {place[1] + 1}"

    return Fault(_POSITION.sub(words, _SYMBOLS.sub("", _AT_START.sub("", message, count=1))), squares)


class Drawing:
    """A level that is being drawn, with its history.

    Args:
        puzzle: The puzzle, which must have a palette.
        board: The first board; None for a new one.

    Raises:
        ValueError: Levels of this puzzle cannot be drawn.
    """

    def __init__(self, puzzle: Puzzle, board: DrawnBoard | None = None) -> None:
        self.puzzle, self.palette = puzzle, palette_of(puzzle)
        self._history = [DrawnBoard.new(self.palette) if board is None else board]
        self._stroke: int | None = None

    @property
    def board(self) -> DrawnBoard:
        """The current board."""
        return self._history[-1]

    def begin_stroke(self) -> None:
        """Begin a stroke: :meth:`undo` undoes all changes until :meth:`end_stroke` together."""
        self._stroke = len(self._history)

    def end_stroke(self) -> None:
        """End a stroke; see :meth:`begin_stroke`."""
        self._stroke = None

    def change(self, board: DrawnBoard) -> None:
        """Replace the board."""
        if board != self.board:
            length = len(self._history) if self._stroke is None else self._stroke
            self._history[length:] = [] if board == self._history[length - 1] else [board]

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to undo."""
        return len(self._history) > 1

    def undo(self) -> None:
        """Undo one step, if there is one."""
        del self._history[max(len(self._history) - 1, 1) :]
        self._stroke = None

    def level(self) -> Level:
        """Return the valid level.

        Raises:
            LevelError: The board is not a valid level.
        """
        fault = fault_of(self.puzzle, self.board)
        if fault is not None:
            raise LevelError(str(fault))
        return self.puzzle.parse(self.board.text(), SOURCE)[0]


def own_folder(progress: Progress, puzzle: Puzzle) -> Path | None:
    """Return the folder for the person's levels of a puzzle, which need not exist; None without a data folder."""
    return None if progress.folder is None else progress.folder.parent / "levels" / puzzle.name


def new_level_file(folder: Path | None, name: str) -> Path:
    """Return the path of a level file that does not exist yet, with this name and a number."""
    paths = ((folder or Path.cwd()) / f"{name} {number}.txt" for number in itertools.count(1))
    return next(path for path in paths if not path.exists())
