"""A catalogue of pattern databases for boards of up to 25 squares: a partition of the tiles for each goal of the blank.

A two-sided search needs estimates between any two boards. Named by their squares on one board, the tiles of the other
have that board as their goal, so a database serves all boards that have the blank in one region. For each square that
the blank can have there is one partition of the other squares; boards that are rotated or reflected share databases.

On 5×5 squares, the patterns next to a blank at an edge surround it, so that the blank cannot avoid them on its way
home, and the others are compact: both increase their estimates. The first partition is by R. E. Korf and A. Felner,
"Disjoint pattern database heuristics", Artificial Intelligence 134, 2002.
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterator

import numpy as np

from ..pattern_databases.building import Squares, make_partition

MOST_TILES = 6
"""Maximum number of tiles of a pattern."""

_DIAGRAMS = {
    text.replace("/", "").index("."): text.replace("/", "")
    for text in (
        ".AABB/AAABB/CCABB/CCDDD/CCDDD",
        "A.AAB/AAABB/CCBBB/CCDDD/CCDDD",
        "AA.AB/AAABB/CCBBB/CCDDD/CCDDD",
        "AABBB/A.BBB/AAADD/CCCDD/CCCDD",
        "BAAAA/BB.AA/BBBDD/CCCDD/CCCDD",
        "AABBB/AABBB/AA.DD/CCCDD/CCCDD",
    )
}
"""Partitions of 5×5 squares by the square of the blank. Other squares are rotations or reflections of these."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """A database: a pattern on a board, and the region from which the blank can reach its home."""

    height: int
    width: int
    pattern: Squares
    """The homes of the pattern's tiles, ascending."""
    blank: int
    """The first square of the blank's region in the goal."""


@dataclasses.dataclass(frozen=True)
class Lookup:
    """The database of a pattern, and the symmetry that maps the board to it."""

    shape: Shape
    places: Squares
    """For each square of the board, the square on the board of the database."""

    @property
    def homes(self) -> Squares:
        """The squares of the pattern, in the order of the database."""
        return tuple(map(self.places.index, self.shape.pattern))


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The partitions of a board."""

    height: int
    width: int
    partitions: tuple[tuple[Lookup, ...], ...]
    """By the square of the blank."""

    def shapes(self) -> tuple[Shape, ...]:
        """Return all databases, each once."""
        found = {lookup.shape for partition in self.partitions for lookup in partition}
        return tuple(sorted(found, key=dataclasses.astuple))


@functools.cache
def make_catalogue(height: int, width: int) -> Catalogue:
    """Return the catalogue of a board."""
    partitions = []
    for blank in range(height * width):
        seen = [(rows, columns, places[blank], places) for rows, columns, places in symmetries(height, width)]
        rows, columns, home, places = min(seen)
        patterns = [tuple(map(places.index, pattern)) for pattern in _partition(rows, columns, home)]
        partitions.append(tuple(_lookup(height, width, blank, pattern) for pattern in patterns))
    return Catalogue(height, width, tuple(partitions))


def symmetries(height: int, width: int) -> Iterator[tuple[int, int, Squares]]:
    """Yield the rotations and reflections of a board: height, width, and for each square its new square."""
    board = np.arange(height * width).reshape(height, width)
    for turned in (board, board.T):
        for rows, columns in itertools.product((1, -1), repeat=2):
            seen = turned[::rows, ::columns]
            yield (*seen.shape, tuple(np.argsort(seen.reshape(-1)).tolist()))


def _partition(height: int, width: int, blank: int) -> tuple[Squares, ...]:
    """Return the patterns of the diagrams above, or patterns of about equal sizes."""
    if (height, width) == (5, 5):
        diagram = _DIAGRAMS[blank]
        return tuple(
            tuple(square for square, letter in enumerate(diagram) if letter == name)
            for name in sorted(set(diagram) - {"."})
        )
    tiles = height * width - 1
    count = -(-tiles // MOST_TILES)
    return make_partition(height, width, blank, tuple((tiles + k) // count for k in reversed(range(count)))).patterns


def _lookup(height: int, width: int, blank: int, pattern: Squares) -> Lookup:
    """Return the database of a pattern: of all rotations and reflections, the first."""
    region = _reach(blank, set(range(height * width)) - set(pattern), width)
    found = []
    for rows, columns, places in symmetries(height, width):
        squares = tuple(sorted(places[square] for square in pattern))
        found.append((rows, columns, squares, min(places[square] for square in region), places))
    rows, columns, squares, home, places = min(found)
    return Lookup(Shape(rows, columns, squares, home), places)


def _reach(start: int, squares: set[int], width: int) -> set[int]:
    """Return the squares of a set that can be reached from one of them."""
    reached, waiting = {start}, [start]
    while waiting:
        square = waiting.pop()
        row = {square - 1} if square % width else set()
        neighbours = {square - width, square + width} | row | ({square + 1} if (square + 1) % width else set())
        new = (neighbours & squares) - reached
        reached |= new
        waiting.extend(new)
    return reached
