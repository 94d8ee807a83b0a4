"""The positions found by a push search, as parallel arrays with a hash table."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, types, uint64

from gridpuzzles_gym.engine.compile.bits import lowest
from gridpuzzles_gym.engine.compile.compilation import routine, rule

NO_NODE = -1
BITS = 64


class Nodes(NamedTuple):
    """Positions by number; c is the capacity of the arrays."""

    boxes: npt.NDArray[np.uint64]
    """uint64[c, w]: one bit per live square, 1 at boxes."""
    word: npt.NDArray[np.uint64]
    """uint64[c]: the hash of boxes and player."""
    player: npt.NDArray[np.int16]
    """int16[c]: the player's square, or the lowest square in his reach, depending on the search."""
    parent: npt.NDArray[np.int32]
    """int32[c]: the parent, NO_NODE for the first."""
    push: npt.NDArray[np.int16]
    """int16[c, 2]: the push that led here: the box's old and new squares."""
    cost: npt.NDArray[np.int32]
    """int32[c]: the cost so far; -1 - cost once expanded, or once a cheaper path was found."""
    estimate: npt.NDArray[np.int32]
    """int32[c]: the estimate of the remaining cost."""
    after: npt.NDArray[np.int32]
    """int32[c]: the next node in the same queue."""
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


@routine
def make_nodes(capacity: int, live: int) -> Nodes:
    """Return arrays with this capacity, for boards with ``live`` live squares."""
    slots = 2
    while slots < 2 * capacity:
        slots *= 2
    return Nodes(
        np.zeros((capacity, -(-live // BITS)), np.uint64),
        np.zeros(capacity, np.uint64),
        np.zeros(capacity, np.int16),
        np.zeros(capacity, np.int32),
        np.zeros((capacity, 2), np.int16),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.full(slots, NO_NODE, np.int32),
    )


@routine
def copy_nodes(nodes: Nodes, larger: Nodes, count: int) -> None:
    """Copy the first ``count`` positions into arrays with a larger capacity, but not into their table."""
    larger.boxes[:count] = nodes.boxes[:count]
    larger.word[:count] = nodes.word[:count]
    larger.player[:count] = nodes.player[:count]
    larger.parent[:count] = nodes.parent[:count]
    larger.push[:count] = nodes.push[:count]
    larger.cost[:count] = nodes.cost[:count]
    larger.estimate[:count] = nodes.estimate[:count]
    larger.after[:count] = nodes.after[:count]


def nodes_bytes(capacity: int, live: int) -> int:
    """Return the size of :func:`make_nodes` in bytes."""
    slots = 2
    while slots < 2 * capacity:
        slots *= 2
    return capacity * (8 * -(-live // BITS) + 8 + 2 + 4 + 4 + 4 + 4 + 4) + 4 * slots


@rule
def pack(boxes, bits):
    """Encode the squares of boxes (int16[k]) as ``bits`` (uint64[w])."""
    for k in range(bits.shape[0]):
        bits[k] = 0
    for k in range(boxes.shape[0]):
        bits[boxes[k] >> 6] |= np.uint64(1) << np.uint64(boxes[k] & 63)


@rule
def unpack(bits, boxes, box_at):
    """Decode ``bits``: fill ``boxes``, and ``box_at`` (uint8[n]) with 1 at boxes; return how many there are."""
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
    return found


@rule
def slot_of(nodes, bits, word, player):
    """Return the table slot of a position, or the free slot where it belongs."""
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
def put_node(nodes, slot, node, bits, word, player, parent, source, target):
    """Fill in a node, and put it into its slot of the table."""
    nodes.table[slot] = node
    for w in range(bits.shape[0]):
        nodes.boxes[node, w] = bits[w]
    nodes.word[node], nodes.player[node], nodes.parent[node] = word, player, parent
    nodes.push[node, 0], nodes.push[node, 1] = source, target


@rule
def rehash(nodes, count):
    """Fill an empty table with the first ``count`` nodes; of equal positions the last one is entered."""
    for node in range(count):
        slot = slot_of(nodes, nodes.boxes[node], nodes.word[node], nodes.player[node])
        nodes.table[slot] = node
