"""Boards drawn by hand, which need not be valid levels, and their level text.

Boards are immutable: every operation returns a new one, which shares the unchanged rows.
"""

import dataclasses
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from ....engine.board.palette import Cell, Palette
from ....engine.puzzle import LevelError

Square = tuple[int, int]
"""(row, column), from 0."""
_SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


@dataclasses.dataclass(frozen=True)
class DrawnBoard:
    """A rectangle of squares."""

    palette: Palette
    rows: tuple[tuple[Cell, ...], ...]
    """At least one row of at least one square; all rows have the same length."""
    ending: str = ""
    """The text after the rows in level text; it need not be one of the palette's endings."""

    @classmethod
    def new(cls, palette: Palette, extent: Square | None = None) -> Self:
        """Return an empty board with a border, or with all pieces in order if each must be on exactly one square.

        Args:
            palette: The pieces.
            extent: Its (height, width); None for the palette's default.
        """
        height, width = palette.size if extent is None else extent
        empty, *others = palette.pieces((height, width))
        border = palette.border or empty
        cells = [
            [empty if 0 < row < height - 1 and 0 < column < width - 1 else border for column in range(width)]
            for row in range(height)
        ]
        if palette.arranged:
            cells = [[*others, empty][row * width : (row + 1) * width] for row in range(height)]
        return cls(palette, _rows(cells), next(iter(palette.endings)))

    @classmethod
    def of_lines(cls, palette: Palette, lines: Sequence[str]) -> Self:
        """Return the board in some lines of level text, which need not be playable.

        Raises:
            LevelError: It is too large, or has an unknown symbol.
        """
        keys = tuple(ending.partition(":")[0] for ending in palette.endings if ending)
        board = [line for line in lines if not line.lstrip().startswith(keys)] if keys else lines
        ending = "".join(f"{line.strip()}\n" for line in lines if line not in board)
        empty = next(iter(palette.pieces(palette.size)))
        words = bool(empty.strip()) and any(" " in line.strip() for line in board)
        read = [re.findall(r"\S+", line) if words else list(line) for line in board]
        height, width, most = len(read), max(map(len, read), default=0), palette.sides[1]
        if not (0 < width <= most and height <= most):
            raise LevelError(f"a board of {width}x{height} squares; allowed are 1 to {most} per side")
        known = palette.pieces((height, width))
        cells = [[_cell(palette, known, word) for word in [*row, *[empty] * (width - len(row))]] for row in read]
        if palette.arranged and sorted(cell for row in cells for cell in row) != sorted(known):
            raise LevelError(f"each of {', '.join(known)} must be on exactly one square")
        return cls(palette, _rows(cells), ending)

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
        """Return whether the board has a square."""
        return 0 <= square[0] < self.extent[0] and 0 <= square[1] < self.extent[1]

    def around(self, square: Square) -> list[Cell]:
        """Return what is on the four squares next to a square; squares outside the board count as border."""
        places = [(square[0] + down, square[1] + right) for down, right in _SIDES]
        return [self.on(place) if self.has(place) else self.palette.border for place in places]

    def put(self, square: Square, piece: str) -> Self:
        """Return the board with a piece on a square; a unique piece is moved from its previous square."""
        palette, empty = self.palette, self.empty
        if palette.arranged:
            return self._swap(square, next(there for there, cell in self.squares() if cell == piece))
        board = self
        if group := palette.group_of(piece):
            for there, cell in self.squares():
                if set(palette.parts(cell)) & set(group):
                    board = board._set([there], palette.without(cell, group, empty))
        return board._set([square], palette.add(board.on(square), piece, empty))

    def erase(self, square: Square) -> Self:
        """Return the board without the top piece of a square."""
        if self.palette.arranged:
            return self.put(square, self.empty)
        return self._set([square], self.palette.without_top(self.on(square), self.empty))

    def fill(self, square: Square, piece: str) -> Self:
        """Return the board with a piece on a square and on all connected squares with the same content.

        A unique piece is put on the square only.
        """
        if self.palette.arranged or self.palette.group_of(piece):
            return self.put(square, piece)
        same, found, waiting = self.on(square), {square}, [square]
        while waiting:
            row, column = waiting.pop()
            for there in [(row + down, column + right) for down, right in _SIDES]:
                if there not in found and self.has(there) and self.on(there) == same:
                    found.add(there)
                    waiting.append(there)
        return self._set(found, self.palette.add(same, piece, self.empty))

    def move(self, start: Square, end: Square) -> Self:
        """Return the board with the top piece of a square moved to another square."""
        if self.palette.arranged:
            return self._swap(start, end)
        piece = self.palette.parts(self.on(start))[-1]
        return self if start == end or piece == self.empty else self.erase(start).put(end, piece)

    def resized(self, height: int, width: int) -> Self:
        """Return the board with another size.

        Rows are added and removed at the bottom, columns on the right, in both cases inside the border. If each piece
        must be on exactly one square, the board is reset.

        Raises:
            ValueError: The size is not allowed.
        """
        least, most = self.palette.sides
        if not (least <= height <= most and least <= width <= most):
            raise ValueError(f"{width}x{height} squares; allowed are {least} to {most} per side")
        if self.palette.arranged:
            board = self.new(self.palette, (height, width))
            return dataclasses.replace(board, ending=self.ending) if self.ending in self.palette.endings else board
        rows = _lengthened(self.rows, height, self.palette.border, self.empty)
        columns = _lengthened(_transposed(rows), width, self.palette.border, self.empty)
        return dataclasses.replace(self, rows=_transposed(columns))

    def text(self) -> str:
        """Return the level text, which may be invalid."""
        lines = [line.rstrip() or self.palette.visible_empty for line in self._lines()]
        return "".join(f"{line}\n" for line in lines) + self.ending

    def exact_text(self) -> str:
        """Return a text from which :meth:`of_lines` reads exactly this board, including empty margins."""
        empty, visible = self.empty, self.palette.visible_empty
        shown = (
            self
            if not visible
            else dataclasses.replace(
                self, rows=tuple(tuple(visible if cell == empty else cell for cell in row) for row in self.rows)
            )
        )
        return "".join(f"{line}\n" for line in shown._lines()) + self.ending

    def square_at(self, line: int, column: int) -> Square | None:
        """Return the square at a position of :meth:`text`, both counted from 1; None if there is none."""
        square = line - 1, min((column - 1 + (self._pitch > 1)) // self._pitch, self.extent[1] - 1)
        return square if self.has(square) else None

    def _lines(self) -> list[str]:
        pitch = self._pitch
        return ["".join(cell.rjust(pitch) for cell in row)[pitch > 1 :] for row in self.rows]

    @property
    def _pitch(self) -> int:
        """The number of characters from one square to the next; squares of one character have no space between them."""
        longest = max(len(cell) for row in self.rows for cell in row)
        return longest + (longest > 1)

    def _set(self, squares: Collection[Square], cell: Cell) -> Self:
        changed = {row for row, _ in squares}
        rows = [
            tuple(cell if (number, column) in squares else old for column, old in enumerate(row))
            if number in changed
            else row
            for number, row in enumerate(self.rows)
        ]
        return dataclasses.replace(self, rows=tuple(rows))

    def _swap(self, one: Square, other: Square) -> Self:
        return self._set([one], self.on(other))._set([other], self.on(one))


def _cell(palette: Palette, known: Collection[str], word: str) -> Cell:
    """Return the cell for a square of level text; raises LevelError on an unknown symbol."""
    empty = next(iter(known))
    if word in known:
        return word
    cell = empty
    for symbol in (word,) if palette.arranged else word:
        meant = palette.aliases.get(symbol, symbol)
        if meant not in known and meant not in palette.combined:
            raise LevelError(f"unknown symbol {symbol!r}; allowed are {', '.join(map(repr, known))}")
        for piece in palette.parts(meant):
            cell = palette.add(cell, piece, empty) if piece != empty else cell
    return cell


def _rows(cells: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(row) for row in cells)


def _transposed(rows: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(zip(*rows, strict=True))


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
