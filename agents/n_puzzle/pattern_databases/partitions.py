"""Partitions of the tiles for pattern databases, given by the tiles' goal squares.

A database does not depend on the names of tiles, nor on rotations or reflections of the board. So it is
built for the *standard* board: no higher than wide, and of all its rotations and reflections the one
whose blank's goal square is lowest. Often two symmetries make a board standard
(the blank's goal on a diagonal): then each state can be looked up twice, and the larger estimate counts.
"""

import dataclasses
import itertools
import math

import numpy as np

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, WIDTH

from ..tile_distances import homes_of

Squares = tuple[int, ...]

_CORNER = {
    (5, 5, 5): ((9, 12, 13, 14, 15), (3, 6, 7, 10, 11), (1, 2, 4, 5, 8)),
    (6, 6, 3): ((3, 6, 7, 10, 11, 15), (1, 2, 4, 5, 8, 9), (12, 13, 14)),
    (7, 8): ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)),
}
"""The homes of each pattern's tiles on 4×4 squares, the blank's on square 0: R. E. Korf and A. Felner,
"Disjoint pattern database heuristics", Artificial Intelligence 134, 2002."""


@dataclasses.dataclass(frozen=True)
class Partition:
    """Disjoint patterns on a standard board: together all tiles."""

    height: int
    width: int
    blank: int
    """The blank's home."""
    patterns: tuple[Squares, ...]
    """The homes of each pattern's tiles, ascending."""

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.height * self.width

    @property
    def entries(self) -> tuple[int, ...]:
        """The number of placements of each pattern's tiles."""
        return tuple(math.perm(self.squares, len(pattern)) for pattern in self.patterns)


def make_partition(height: int, width: int, blank: int, sizes: Squares) -> Partition:
    """Return patterns of these sizes on a standard board.

    These are the published ones, if any, or else segments of a path that winds down the board row by row.
    """
    patterns = _CORNER.get(sizes) if (height, width, blank) == (4, 4, 0) else None
    if patterns is None:
        rows = np.arange(height * width).reshape(height, width)
        rows[1::2] = rows[1::2, ::-1]
        way = [square for square in rows.reshape(-1).tolist() if square != blank]
        ends = np.cumsum([0, *sizes]).tolist()
        patterns = tuple(tuple(sorted(way[start:end])) for start, end in itertools.pairwise(ends))
    return Partition(height, width, blank, patterns)


def standard(level: Row) -> tuple[tuple[int, int, int], list[Squares]]:
    """Return the standard board of a board, and the symmetries that map to it.

    Returns:
        Height, width and blank's home of the standard board, and the symmetries: for each square of the
        board, the square on the standard one.
    """
    height, width, home = int(level[HEIGHT]), int(level[WIDTH]), int(homes_of(level)[0])
    board = np.arange(height * width).reshape(height, width)
    found: dict[Squares, tuple[int, int, int]] = {}
    for turned in (board, board.T):
        for rows in (1, -1):
            for columns in (1, -1):
                seen = turned[::rows, ::columns]
                if seen.shape[0] <= seen.shape[1]:
                    places = tuple(np.argsort(seen.reshape(-1)).tolist())
                    found[places] = (*seen.shape, places[home])
    least = min(found.values())
    return least, [places for places, board_and_blank in found.items() if board_and_blank == least]
