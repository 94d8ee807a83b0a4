"""The pieces of a puzzle's level text: what can be drawn on a square, and how squares with several pieces are written.

A puzzle whose levels can be drawn by hand has a :class:`Palette`; everything else about its levels is known from
:attr:`Puzzle.parse <gridpuzzles_gym.engine.puzzle.Puzzle.parse>`, which says what is wrong with a level, and where.
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence

Extent = tuple[int, ...]
Cell = str
"""What is on one square: a piece, or the symbol of several pieces together."""


@dataclasses.dataclass(frozen=True, eq=False)
class Palette:
    """The pieces that levels are drawn with. A *piece* is a symbol of level text."""

    pieces: Callable[[Extent], Mapping[str, str]]
    """``pieces(extent)``: the name of each piece of a board of that (height, width); the empty square is first."""
    sides: tuple[int, int]
    """The minimum and maximum number of squares per side."""
    size: tuple[int, int]
    """The (height, width) of a new board."""
    examples: Callable[[Extent], Sequence[str]]
    """``examples(extent)``: valid level texts in which together every piece and every symbol of :attr:`combined`
    occurs, for pictures of them. An example need not be of that extent."""
    combined: Mapping[Cell, str] = dataclasses.field(default_factory=dict)
    """The symbols that mean several pieces on one square, with these pieces from bottom to top."""
    single: Sequence[str] = ()
    """Groups of pieces of which a level has at most one: one that is put on a square leaves its previous square."""
    border: str = ""
    """The piece on the outermost squares of a new board; empty if there is none."""
    arranged: bool = False
    """Whether each piece is on exactly one square, so that putting it on a square swaps it with what is there."""
    aliases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Other symbols that level text allows, with the cells that they mean."""
    visible_empty: str = ""
    """How an empty square is written in a row that would otherwise consist of blanks."""
    endings: Mapping[str, str] = dataclasses.field(default_factory=lambda: {"": ""})
    """What may follow the board in level text, to choose from, with its name; the default is first."""

    def parts(self, cell: Cell) -> str | tuple[str]:
        """Return the pieces on a square from bottom to top."""
        return self.combined.get(cell, (cell,))

    def add(self, cell: Cell, piece: str, empty: str) -> Cell:
        """Return a square with one more piece; pieces that cannot be on one square with it are removed.

        Args:
            cell: What is on the square.
            piece: The piece to add.
            empty: The empty square.
        """
        if piece == empty:
            return empty
        there = [part for part in self.parts(cell) if part not in (piece, empty)]
        together = {frozenset(parts): symbol for symbol, parts in self.combined.items()}
        for count in range(len(there), 0, -1):
            for rest in itertools.combinations(there, count):
                symbol = together.get(frozenset((piece, *rest)))
                if symbol is not None:
                    return symbol
        return piece

    def without(self, cell: Cell, group: str, empty: str) -> Cell:
        """Return a square without the pieces of a group."""
        return self.stack([part for part in self.parts(cell) if part not in group], empty)

    def without_top(self, cell: Cell, empty: str) -> Cell:
        """Return a square without its uppermost piece."""
        return self.stack(self.parts(cell)[:-1], empty)

    def stack(self, parts: Sequence[str], empty: str) -> Cell:
        """Return the square with the given pieces, from bottom to top."""
        cell = empty
        for part in parts:
            cell = self.add(cell, part, empty)
        return cell

    def group_of(self, piece: str) -> str:
        """Return the pieces of which a level has at most one, including the given one; empty if there is no limit."""
        return next((group for group in self.single if piece in group), "")
