"""The positions a push search has met, as parallel arrays, and the hash table that finds them again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, types, uint64

from gridpuzzles_gym.engine.bits import lowest
from gridpuzzles_gym.engine.compilation import rule

NO_NODE = -1
BITS = 64


class Nodes(NamedTuple):
    """Positions by number; arrays have room for more than there are."""

    boxes: npt.NDArray[np.uint64]
    """uint64[room, w]: a bit a live square, 1 where a box is."""
    word: npt.NDArray[np.uint64]
    """uint64[room]: the hash of boxes and player."""
    player: npt.NDArray[np.int16]
    """int16[room]: where the player is: the lowest square he can walk to, or exactly, as the search has it."""
    parent: npt.NDArray[np.int32]
    """int32[room]: the position before, NO_NODE for the first."""
    push: npt.NDArray[np.int16]
    """int16[room, 2]: a box was pushed from here to there."""
    cost: npt.NDArray[np.int32]
    """int32[room]: of the way here; -1 - cost once it was expanded, or a cheaper way was found."""
    estimate: npt.NDArray[np.int32]
    """int32[room]: of the way to come."""
    after: npt.NDArray[np.int32]
    """int32[room]: the next one in the same queue."""
    table: npt.NDArray[np.int32]
    """int32[slots], a power of two: node numbers by hash, or NO_NODE."""


NODES = types.NamedTuple(
    (
        types.Array(uint64, 2, "C"),
        uint64[::1],
        int16[::1],
        int32[::1],
        types.Array(int16, 2, "C"),
        int32[::1],
        int32[::1],
        int32[::1],
        int32[::1],
    ),
    Nodes,
)


def make_nodes(room: int, live: int) -> Nodes:
    """Arrays for so many positions with ``live`` squares."""
    slots = 1 << max(room * 2 - 1, 1).bit_length()
    return Nodes(
        np.zeros((room, -(-live // BITS)), np.uint64),
        np.zeros(room, np.uint64),
        np.zeros(room, np.int16),
        np.zeros(room, np.int32),
        np.zeros((room, 2), np.int16),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.full(slots, NO_NODE, np.int32),
    )


def bytes_a_node(live: int) -> int:
    """What one position takes, its part of the hash table included, at most."""
    return 8 * -(-live // BITS) + 8 + 2 + 4 + 4 + 4 + 4 + 4 + 16


@rule
def pack(boxes, bits):
    """Write where boxes are (int16[k]) as ``bits`` (uint64[w])."""
    for k in range(bits.shape[0]):
        bits[k] = 0
    for k in range(boxes.shape[0]):
        bits[boxes[k] >> 6] |= np.uint64(1) << np.uint64(boxes[k] & 63)


@rule
def unpack(bits, boxes, box_at):
    """Read them back: ``boxes``, and 1 in ``box_at`` (uint8[n], else 0)."""
    found = 0
    for square in range(box_at.shape[0]):
        box_at[square] = 0
    for k in range(bits.shape[0]):
        rest = bits[k]
        while rest:
            square = (k << 6) + lowest(rest)
            boxes[found] = square
            box_at[square] = 1
            found += 1
            rest &= rest - np.uint64(1)


@rule
def slot_of(nodes, bits, word, player):
    """The slot of a position in the table, or the free one where it would go."""
    mask = nodes.table.shape[0] - 1
    slot = np.int64(word & np.uint64(mask))
    while True:
        node = nodes.table[slot]
        if node == NO_NODE:
            return slot
        if nodes.word[node] == word and nodes.player[node] == player:
            same = True
            for k in range(bits.shape[0]):
                if nodes.boxes[node, k] != bits[k]:
                    same = False
            if same:
                return slot
        slot = (slot + 1) & mask


@rule
def rehash(nodes, count):
    """Fill an empty table with the first ``count`` nodes; of equal positions the last one stands."""
    for node in range(count):
        slot = slot_of(nodes, nodes.boxes[node], nodes.word[node], nodes.player[node])
        nodes.table[slot] = node
