"""The arrays of short searches with a subset of a position's boxes, as if the others were not there."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ..board import Board
from ..nodes import BITS, NO_NODE, NODES, Nodes, make_nodes, nodes_bytes, put_node, slot_of

FIRST = 128
"""Maximum number of positions of the first search for a result."""
REPEATS, FACTOR = (16, 32, 64), 16
"""The requests at which a search that was cut short is repeated; the maximum is then so many times their number."""
MAX_NODES = FACTOR * REPEATS[-1]
"""Maximum number of positions of any search."""
RESULTS = 1 << 14
"""Number of results stored, at indices that later ones may overwrite."""
SHUT, OPENED, UNKNOWN = -2, -1, 0
"""Results of a search: whether it has been shown that a corral cannot, or can, be opened."""

# subset.flags: where the boxes are; frozen ones; the squares that they should leave.
AT, FROZEN, ZONE, FLAGS = range(4)
# subset.squares: the player's reach, and after a step; a queue.
REACH, REACH_AFTER, QUEUE = range(3)


class SubsetSearch(NamedTuple):
    """The scratch arrays of such searches, and their results; n squares, k boxes."""

    nodes: Nodes
    """The positions of one search; estimates are the numbers of boxes left, costs are not used."""
    boxes: npt.NDArray[np.int16]
    """int16[k]: first the squares of the boxes of the subset."""
    flags: npt.NDArray[np.uint8]
    """uint8[3, n]: see above."""
    squares: npt.NDArray[np.int16]
    """int16[3, n]: see above."""
    bits: npt.NDArray[np.uint64]
    """uint64[w]: boxes encoded as in nodes."""
    key: npt.NDArray[np.uint64]
    """uint64[RESULTS]: 64-bit hashes, the only thing that identifies a search."""
    result: npt.NDArray[np.int16]
    """int16[RESULTS]: SHUT or OPENED; as long as it is unknown, the number of requests, from UNKNOWN."""


SUBSET_SEARCH = types.NamedTuple(
    (
        NODES,
        int16[::1],
        types.Array(uint8, 2, "C"),
        types.Array(int16, 2, "C"),
        uint64[::1],
        uint64[::1],
        int16[::1],
    ),
    SubsetSearch,
)


@routine
def make_subset_search(board: Board, count: int, results: int) -> SubsetSearch:
    """Return arrays for positions with ``count`` boxes and for a number of ``results``, a power of two."""
    squares = board.neighbours.shape[0]
    return SubsetSearch(
        make_nodes(MAX_NODES, board.live),
        np.zeros(count, np.int16),
        np.zeros((FLAGS, squares), np.uint8),
        np.zeros((3, squares), np.int16),
        np.zeros(-(-board.live // BITS), np.uint64),
        np.zeros(results, np.uint64),
        np.zeros(results, np.int16),
    )


def subset_search_bytes(board: Board, count: int, results: int) -> int:
    """Return the size of :func:`make_subset_search` in bytes."""
    squares = len(board.neighbours)
    rows = 2 * count + FLAGS * squares + 2 * 3 * squares + 8 * -(-board.live // BITS)
    return nodes_bytes(MAX_NODES, board.live) + rows + results * (8 + 2)


@rule
def add_position(nodes, bits, word, player, parent, source, target, count):
    """Add a position to the first ``count``, unless it is known; return the new number."""
    slot = slot_of(nodes, bits, word, player)
    if nodes.table[slot] != NO_NODE:
        return count
    put_node(nodes, slot, count, bits, word, player, parent, source, target)
    return count + 1
