"""Trials: short searches with some of a position's boxes alone, as if the others were not there.

What cannot be done with some boxes alone cannot be done with all of them. The same few boxes stand alike in many
positions, so the results of trials are kept.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ..board import Board
from ..nodes import BITS, NO_NODE, NODES, Nodes, make_nodes, nodes_bytes, put_node, slot_of

MOST = 64
"""Number of positions after which a trial is cut short."""
KEPT, LONGEST = 1 << 14, 12
"""Number of results kept, each in a place of its own that a later one may take; the most steps of a way."""
NO_WAY, CUT_SHORT = -1, -2

# trial.flags: the boxes that take part; where they are; frozen ones; all boxes.
PART, AT, FROZEN, ALL = range(4)
# trial.squares: the player's reach, and after a step; a queue.
REACH, REACH_AFTER, QUEUE = range(3)


class SubsetSearch(NamedTuple):
    """The scratch arrays of trials, and their results; n squares, k boxes."""

    nodes: Nodes
    """The positions of a trial; costs and estimates are not used."""
    boxes: npt.NDArray[np.int16]
    """int16[k]: first the squares of the boxes that take part."""
    flags: npt.NDArray[np.uint8]
    """uint8[4, n]: see above."""
    squares: npt.NDArray[np.int16]
    """int16[3, n]: see above."""
    bits: npt.NDArray[np.uint64]
    """uint64[w]: boxes encoded as in nodes."""
    key: npt.NDArray[np.uint64]
    """uint64[KEPT]: 64-bit hashes, by which alone trials are told apart."""
    length: npt.NDArray[np.int16]
    """int16[KEPT]: the number of steps of the way that was found; or NO_WAY, if there is none; or CUT_SHORT."""
    way: npt.NDArray[np.int16]
    """int16[KEPT, LONGEST, 2]: the old and the new square of a box at each step."""


TRIAL = types.NamedTuple(
    (
        NODES,
        int16[::1],
        types.Array(uint8, 2, "C"),
        types.Array(int16, 2, "C"),
        uint64[::1],
        uint64[::1],
        int16[::1],
        types.Array(int16, 3, "C"),
    ),
    SubsetSearch,
)


@routine
def make_subset_search(board: Board, count: int, kept: int) -> SubsetSearch:
    """Scratch arrays for positions of a board with ``count`` boxes, and room for ``kept`` results, a power of two."""
    squares = board.beside.shape[0]
    return SubsetSearch(
        make_nodes(MOST, board.live),
        np.zeros(count, np.int16),
        np.zeros((4, squares), np.uint8),
        np.zeros((3, squares), np.int16),
        np.zeros(-(-board.live // BITS), np.uint64),
        np.zeros(kept, np.uint64),
        np.zeros(kept, np.int16),
        np.empty((kept, LONGEST, 2), np.int16),
    )


def subset_search_bytes(board: Board, count: int, kept: int) -> int:
    """The size of :func:`make_subset_search` in bytes."""
    squares = len(board.beside)
    rows = 2 * count + 4 * squares + 2 * 3 * squares + 8 * -(-board.live // BITS)
    return nodes_bytes(MOST, board.live) + rows + kept * (8 + 2 + 2 * 2 * LONGEST)


@rule
def add_tried(nodes, bits, word, player, parent, source, target, count):
    """Add a position to a trial's ``count``, unless it is known; return their number."""
    slot = slot_of(nodes, bits, word, player)
    if nodes.table[slot] != NO_NODE:
        return count
    put_node(nodes, slot, count, bits, word, player, parent, source, target)
    return count + 1


@rule
def keep(trial, place, key, found):
    """Keep the result of a trial: NO_WAY, CUT_SHORT, or the way to a node; one that is too long counts as CUT_SHORT."""
    nodes = trial.nodes
    length = min(found, 0)
    if found > 0:
        node = found
        while nodes.parent[node] != NO_NODE:
            node = nodes.parent[node]
            length += 1
        if length > LONGEST:
            length = CUT_SHORT
        node = found
        for step in range(length - 1, -1, -1):
            trial.way[place, step, 0], trial.way[place, step, 1] = nodes.push[node, 0], nodes.push[node, 1]
            node = nodes.parent[node]
    trial.key[place], trial.length[place] = key, length
