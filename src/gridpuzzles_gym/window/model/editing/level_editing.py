"""The model behind the editor: a level that is drawn by hand."""

import dataclasses
import errno
from pathlib import Path

from gridpuzzles_gym.agents.identity import board_of

from ....engine.levels.text_files import read_level_text
from ....engine.messages import printable
from ....engine.puzzle import Level, LevelError, Puzzle
from ....engine.scene import Scene
from ....engine.system.files import write_text
from .board_reading import SOURCE, Fault, fault_of, palette_of
from .drawn_board import DrawnBoard, Square

SUFFIXES = (".txt", ".xsb", ".sok")
"""The suffixes of the files that levels are saved to."""


class Editing:
    """A level that is being drawn, with its history.

    Args:
        puzzle: The puzzle, which must have a palette.
        board: The first board; None for a new one.
        title: The title of the level.

    Raises:
        ValueError: Levels of this puzzle cannot be drawn.
    """

    def __init__(self, puzzle: Puzzle, board: DrawnBoard | None = None, title: str = "") -> None:
        self.puzzle, self.palette = puzzle, palette_of(puzzle)
        self.title = title
        self._history = [DrawnBoard.new(self.palette) if board is None else board]
        self._at = 0
        self._stroke: int | None = None
        self._saved = self.text

    @property
    def board(self) -> DrawnBoard:
        """The current board."""
        return self._history[self._at]

    @property
    def text(self) -> str:
        """The level text with the title, which may be invalid."""
        title = self._title
        return (f"; {title}\n" if title else "") + self.board.text()

    @property
    def _title(self) -> str:
        """The title without characters that level text cannot hold."""
        return printable(self.title).lstrip("; ")

    # Drawing

    def begin_stroke(self) -> None:
        """Begin a stroke: :meth:`undo` undoes all changes until :meth:`end_stroke` together."""
        self._stroke = self._at

    def end_stroke(self) -> None:
        """End a stroke; see :meth:`begin_stroke`."""
        self._stroke = None

    def change(self, board: DrawnBoard) -> None:
        """Replace the board; boards that were undone can no longer be redone."""
        if board == self.board:
            return
        length = (self._at if self._stroke is None else self._stroke) + 1
        self._history[length:] = [] if board == self._history[length - 1] else [board]
        self._at = len(self._history) - 1

    def put(self, square: Square, piece: str) -> None:
        """Put a piece on a square; see :meth:`DrawnBoard.put`."""
        self.change(self.board.put(square, piece))

    def erase(self, square: Square) -> None:
        """Remove the top piece of a square."""
        self.change(self.board.erase(square))

    def fill(self, square: Square, piece: str) -> None:
        """Put a piece on all connected squares with the same content; see :meth:`DrawnBoard.fill`."""
        self.change(self.board.fill(square, piece))

    def move(self, start: Square, end: Square) -> None:
        """Move the top piece of a square to another square."""
        self.change(self.board.move(start, end))

    def resize(self, height: int, width: int) -> None:
        """Change the size; see :meth:`DrawnBoard.resized`.

        Raises:
            ValueError: The size is not allowed.
        """
        self.change(self.board.resized(height, width))

    def clear(self) -> None:
        """Reset the board; see :meth:`DrawnBoard.new`."""
        self.change(DrawnBoard.new(self.palette, self.board.extent))

    def set_ending(self, ending: str) -> None:
        """Set the text after the board in level text, a key of :attr:`Palette.endings`."""
        self.change(dataclasses.replace(self.board, ending=ending))

    # History

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is anything to redo."""
        return self._at < len(self._history) - 1

    def undo(self) -> bool:
        """Undo one step; return False if there is none."""
        return self._go(self._at - 1)

    def redo(self) -> bool:
        """Redo one step; return False if there is none."""
        return self._go(self._at + 1)

    def _go(self, at: int) -> bool:
        if not 0 <= at < len(self._history):
            return False
        self._at, self._stroke = at, None
        return True

    # Faults

    @property
    def fault(self) -> Fault | None:
        """What is wrong with the board; None if it is a valid level."""
        return fault_of(self.puzzle, self.board)

    def level(self) -> Level:
        """Return the valid level with its title.

        Raises:
            LevelError: The board is not a valid level, or the title cannot be written.
        """
        fault = self.fault
        if fault is not None:
            raise LevelError(fault.message)
        try:
            levels = self.puzzle.parse(self.text, SOURCE)
        except LevelError:
            levels = []
        untitled = self.puzzle.parse(self.board.text(), SOURCE)[0]
        if (
            len(levels) != 1
            or self._title not in ("", levels[0].name)
            or board_of(self.puzzle, levels[0]) != board_of(self.puzzle, untitled)
        ):
            raise LevelError(f"the title {self._title!r} has another meaning in level files; choose a different one")
        return levels[0]

    def scene(self) -> Scene:
        """Return the scene at the start of the level.

        Raises:
            LevelError: See :meth:`level`.
        """
        return self.puzzle.first_scene(self.level())

    # Files

    @property
    def unsaved(self) -> bool:
        """Whether anything has changed since the start, or since it was saved."""
        return self.text != self._saved

    def save(self, path: Path, replace: bool = False) -> None:
        """Write the level to a file of its own.

        Args:
            path: The file.
            replace: Overwrite an existing file.

        Raises:
            ValueError: See :meth:`level`; or the name has another suffix.
            FileExistsError: The file exists, and ``replace`` is False.
            OSError: It cannot be written.
        """
        self.level()
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{path}: the name must end in {' or '.join(SUFFIXES)}")
        if path.exists() and not replace:
            raise FileExistsError(errno.EEXIST, "already exists", str(path))
        self._write(path, self.text)

    def append(self, path: Path) -> None:
        """Append the level to an existing level file.

        Raises:
            LevelError: See :meth:`level`, or the file has no levels of this puzzle.
            OSError: It cannot be written.
        """
        level = self.level()
        before = read_level_text(path)
        text = before.rstrip("\n") + "\n\n" + self.text
        names = [each.name for each in self.puzzle.read(before, str(path))]
        *first, last = list(self.puzzle.read(text, str(path))) or [level]
        same = isinstance(last, Level) and board_of(self.puzzle, last) == board_of(self.puzzle, level)
        if not same or [each.name for each in first] != names:
            raise LevelError(f"{path}: a level added at the end of this file would be read differently")
        self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        write_text(path, text)
        self._saved = self.text
