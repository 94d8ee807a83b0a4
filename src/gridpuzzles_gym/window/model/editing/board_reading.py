"""Conversions between drawn boards and levels, and what is wrong with a board that is not a valid level."""

import dataclasses
import functools
import itertools
import re

from gridpuzzles_gym.agents.identity import board_of

from ....engine.board.palette import Palette
from ....engine.levels.sources import blocks
from ....engine.puzzle import UNFINISHED, Level, LevelError, Puzzle, all_valid
from .drawn_board import DrawnBoard, Square

SOURCE = "board"
"""The file name for boards in the positions of error messages."""
_AT_START = re.compile(rf"{SOURCE}:(\d+)(?::(\d+))?: ")
_POSITION = re.compile(rf"\b{SOURCE}:(\d+)(?::(\d+))?")
_SYMBOLS = re.compile(r" \(\S(?:,? (?:or )?\S)*\)|, \S or \S on a goal")
"""The symbols of pieces in level text, after their names."""


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
    if puzzle.palette is None:
        raise ValueError(f"levels of {puzzle.title} cannot be drawn: the puzzle has no palette")
    return puzzle.palette


def drawn_from(puzzle: Puzzle, level: Level) -> DrawnBoard:
    """Return a level as a board."""
    return DrawnBoard.of_lines(palette_of(puzzle), board_of(puzzle, level).splitlines())


def read_board(puzzle: Puzzle, text: str) -> tuple[str, DrawnBoard]:
    """Return the title and the board of the first level in a text, which need not be playable.

    Raises:
        LevelError: There is no board, it is too large, or it has an unknown symbol.
    """
    try:
        levels = puzzle.parse(text, SOURCE)
        reference = board_of(puzzle, levels[0]) if levels else ""
    except LevelError:
        return _as_written(puzzle, text)
    if not levels:
        return _as_written(puzzle, text)
    title = "" if _POSITION.fullmatch(levels[0].name) else levels[0].name
    try:
        _, written = _as_written(puzzle, text)
        if board_of(puzzle, puzzle.parse(written.text(), SOURCE)[0]) == reference:
            return title, written  # keeps what the puzzle ignores, such as pieces outside the walls
    except (LevelError, IndexError):
        pass
    return title, drawn_from(puzzle, levels[0])


def _as_written(puzzle: Puzzle, text: str) -> tuple[str, DrawnBoard]:
    """Return the title and the board of the first level in a text, symbol for symbol."""
    if puzzle.formats is not None:
        write = next(iter(puzzle.formats.writers.values()))
        text = write(list(all_valid(itertools.islice(puzzle.formats.read(text, SOURCE), 1))))
    for title, lines in blocks(text):
        return title, DrawnBoard.of_lines(palette_of(puzzle), [line for _, line in lines])
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
