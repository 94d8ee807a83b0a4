"""What a person does on a board: gestures of the mouse, and drawing levels by hand with the pieces of level text.

A gesture is a click on a square, or a drag from one square to another. The functions of a :class:`Gestures` return the
actions that it means, and know nothing about windows or pixels; the puzzle's
:class:`~gridpuzzles_gym.engine.pictures.drawing.BoardAndPanel` finds the square at a pixel.

A puzzle whose levels can be drawn by hand has a :class:`Palette`; everything else about its levels is known from
:attr:`Puzzle.parse <gridpuzzles_gym.engine.puzzle.Puzzle.parse>`, which says what is wrong with a level, and where.
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scene import Row

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


Square = tuple[int, int]
"""(row, column) of a square, counted from the top left."""
Actions = tuple[int, ...]

DIRECTION_KEYS: Mapping[str, int] = {"up": 0, "down": 1, "left": 2, "right": 3, "w": 0, "s": 1, "a": 2, "d": 3}
"""The keys (pygame's names) of the actions up, down, left and right, for puzzles whose first four actions these are."""
TURNED_KEYS: Mapping[str, int] = {key: action ^ 1 for key, action in DIRECTION_KEYS.items()}
"""The same with each action on the key of its opposite."""


def no_drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return no actions: the default for puzzles in which nothing is dragged."""
    return ()


@dataclasses.dataclass(frozen=True)
class Gestures:
    """The gestures of one puzzle; its functions do not change the rows they are given.

    All actions that they return are legal, one after the other. A sequence ends when the episode does, and before
    anything that the player did not intend or could not foresee.
    """

    click: Callable[[Row, Row, Any, Square], Actions]
    """``click(level, state, options, square)``: the actions of a click on a square; empty if it has no effect."""
    reachable: Callable[[Row, Row, Any, Square | None], Set[Square]]
    """``reachable(level, state, options, grabbed)``: the squares on which a click has an effect if ``grabbed`` is None,
    otherwise those to which the thing on the square ``grabbed`` can be dragged, for highlighting them."""
    actor: Callable[[Row, Row], Square]
    """``actor(level, state)``: the square of what the player moves; pictures of plans start there."""
    click_words: str
    """What a click does, in words."""
    drag: Callable[[Row, Row, Any, Square, Square], Actions] = no_drag
    """``drag(level, state, options, start, end)``: the actions of a drag; empty if it has no effect."""
    drag_words: str = ""
    """What a drag does, in words; empty if nothing can be dragged."""
    marks: tuple[str, ...] = ()
    """The marks that a player can put on a square on a page; empty if the puzzle hides nothing."""


@dataclasses.dataclass(frozen=True)
class Hidden:
    """What the player of a puzzle does not see; the options only change pictures."""

    playing: Mapping[str, Any]
    """Options with which pictures show what the player knows."""
    revealed: Mapping[str, Any]
    """Options with which pictures show everything, for the end of an episode."""
    known: Callable[[Row, Row], npt.NDArray[np.bool_]]
    """``known(level, state)``: the squares that the player knows, bool[H, W]."""
