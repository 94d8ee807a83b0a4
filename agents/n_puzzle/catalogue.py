"""A catalogue of small pattern databases: which patterns estimate a board of up to 25 squares.

The tiles are two halves, by their goal squares, and a half is cut into two patterns in all ways in which both are
connected. The estimates of disjoint patterns add up (R. E. Korf and A. Felner, "Disjoint pattern database heuristics",
Artificial Intelligence 134, 2002), and so do the largest estimates of the halves: n ways to cut each half are as good
as n² partitions of the board, for the look-ups of n. Boards that are rotated or reflected share a database.
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from .partitions import Squares

Cut = tuple[Squares, Squares]
"""Two patterns that are a half together."""
Half = tuple[Cut, ...]
"""The ways to cut a half, the most compact patterns first: they tend to have the largest estimates."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """A database: a pattern on a board, and the squares that the blank's home can be reached from."""

    height: int
    width: int
    pattern: Squares
    """The homes of the pattern's tiles, ascending."""
    blank: int
    """The first square of the blank's region in the goal."""


@dataclasses.dataclass(frozen=True)
class Lookup:
    """How a pattern finds its database."""

    shape: Shape
    places: Squares
    """For each square of the board the one on the board of the database."""


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The patterns of a board."""

    height: int
    width: int
    blank: int
    """The blank's home."""
    halves: tuple[Half, Half]

    def shapes(self) -> tuple[Shape, ...]:
        """The databases that are needed, each once."""
        patterns = {pattern for half in self.halves for cut in half for pattern in cut}
        return tuple(sorted({self.lookup(pattern).shape for pattern in patterns}, key=dataclasses.astuple))

    def lookup(self, pattern: Squares) -> Lookup:
        """The database of a pattern of the board."""
        region = _reach(self.blank, set(range(self.height * self.width)) - set(pattern), self.width)
        found = []
        for height, width, places in symmetries(self.height, self.width):
            squares = tuple(sorted(places[square] for square in pattern))
            found.append((height, width, squares, min(places[square] for square in region), places))
        height, width, squares, blank, places = min(found)
        return Lookup(Shape(height, width, squares, blank), places)


def symmetries(height: int, width: int) -> Iterator[tuple[int, int, Squares]]:
    """Rotations and reflections of a board: its height and width then, and for each square the one it becomes."""
    board = np.arange(height * width).reshape(height, width)
    for turned in (board, board.T):
        for rows, columns in itertools.product((1, -1), repeat=2):
            seen = turned[::rows, ::columns]
            yield (*seen.shape, tuple(np.argsort(seen.reshape(-1)).tolist()))


@functools.cache
def make_catalogue(height: int, width: int, blank: int) -> Catalogue:
    """The catalogue of a board: one half of its squares, row by row, and the other."""
    squares = [square for square in range(height * width) if square != blank]
    middle = len(squares) // 2
    return Catalogue(height, width, blank, (_cuts(squares[:middle], width), _cuts(squares[middle:], width)))


def _cuts(half: Sequence[int], width: int) -> Half:
    """All ways to cut a half into two connected patterns of equal size, or that differ by one tile."""
    size = len(half) // 2
    cuts: list[Cut] = []
    for pattern in itertools.combinations(half, size):
        rest = tuple(square for square in half if square not in pattern)
        if (len(rest) > size or pattern < rest) and _connected(pattern, width) and _connected(rest, width):
            cuts.append((pattern, rest))
    cuts.sort(key=lambda cut: -_contacts(cut[0], width) - _contacts(cut[1], width))
    return tuple(cuts) or ((tuple(half[:size]), tuple(half[size:])),)


def _beside(square: int, width: int) -> set[int]:
    """The squares next to one, and some that are above or below the board."""
    row = {square - 1} if square % width else set()
    return {square - width, square + width} | row | ({square + 1} if (square + 1) % width else set())


def _contacts(pattern: Squares, width: int) -> int:
    """Twice the number of pairs of squares of a pattern that are next to each other."""
    return sum(len(_beside(square, width) & set(pattern)) for square in pattern)


def _connected(pattern: Squares, width: int) -> bool:
    return _reach(pattern[0], set(pattern), width) == set(pattern)


def _reach(start: int, squares: set[int], width: int) -> set[int]:
    """The squares of a set that can be reached from one of them."""
    reached, waiting = {start}, [start]
    while waiting:
        new = (_beside(waiting.pop(), width) & squares) - reached
        reached |= new
        waiting.extend(new)
    return reached
