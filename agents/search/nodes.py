"""The node store: every state a search has found, once, as parallel arrays and a hash table.

    array      dtype    shape     holds for each node n (a state found)
    states     int16    [N, S]    the state itself
    parents    int32    [N]       the node it was reached from, NO_PARENT at the start
    actions    int16    [N]       the action that led from the parent
    costs      int64    [N]       the cheapest known cost from the start
    depths     int32    [N]       the number of actions on that path
    estimates  int32    [N]       the heuristic's estimate from here to the goal
    marks      uint8    [N]       bits: CLOSED, GOAL, LAST
    table      uint64   [2**k]    open addressing, linear probing: the upper half is that of the state's hash,
                                  the lower half is the node's number plus 1; 0 is EMPTY
    used       int64    [1]       number of nodes, which are numbered from 0 in the order they were found
    shift      uint64             64 - k: a hash's first k bits are its slot, so a table's entries can be
                                  moved in order to one of twice the size without reading the states

The functions below look up and add states; each search fills in the other fields of its nodes.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule, tiered
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row

NO_PARENT = -1
EMPTY = np.uint64(0)
# The arrays with one row per node come first.
_COLUMNS = 7
# Bits of marks. CLOSED: expanded, or not worth expanding. LAST: the episode is over here.
CLOSED, GOAL, LAST = 1, 2, 4

_MIX, _LOW, _ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFFFFFFFF), np.uint64(1)
_16, _32, _SHORT = np.uint64(16), np.uint64(32), np.uint64(0xFFFF)


class Nodes(NamedTuple):
    """The arrays in the table at the top of this file."""

    states: npt.NDArray[np.int16]
    parents: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int16]
    costs: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int32]
    estimates: npt.NDArray[np.int32]
    marks: npt.NDArray[np.uint8]
    table: npt.NDArray[np.uint64]
    used: npt.NDArray[np.int64]
    shift: np.uint64


NODES = types.NamedTuple(
    (
        types.Array(int16, 2, "C"),
        int32[::1],
        int16[::1],
        int64[::1],
        int32[::1],
        int32[::1],
        uint8[::1],
        uint64[::1],
        int64[::1],
        uint64,
    ),
    Nodes,
)
"""The type of :class:`Nodes` in a kernel's signature."""


@rule
def hash_of(state):
    """Return a 64-bit hash of a state: four numbers at a time, multiplied and folded."""
    bits = np.uint64(state.shape[0])
    whole = state.shape[0] & ~3
    for k in range(0, whole, 4):
        word = np.uint64(state[k]) & _SHORT
        word |= (np.uint64(state[k + 1]) & _SHORT) << _16
        word |= (np.uint64(state[k + 2]) & _SHORT) << _32
        word |= np.uint64(state[k + 3]) << np.uint64(48)
        bits = (bits ^ word) * _MIX
        bits ^= bits >> _32
    for k in range(whole, state.shape[0]):
        bits = (bits ^ (np.uint64(state[k]) & _SHORT)) * _MIX
        bits ^= bits >> _32
    return bits * _MIX


@rule
def equal(one, other):
    """Whether two rows are equal."""
    for k in range(one.shape[0]):  # noqa: SIM110 - compiled
        if one[k] != other[k]:
            return False
    return True


@rule
def slot_of(nodes, state, bits):
    """Return the table slot of a state, or the slot where it would be inserted."""
    table = nodes.table
    last = np.uint64(table.shape[0]) - _ONE
    slot = bits >> nodes.shift
    while table[slot] != EMPTY:
        if (table[slot] ^ bits) >> _32 == EMPTY and equal(nodes.states[np.int64(table[slot] & _LOW) - 1], state):
            break
        slot = (slot + _ONE) & last
    return slot


@rule
def find(nodes, state):
    """Return the node of a state, or -1."""
    return np.int64(nodes.table[slot_of(nodes, state, hash_of(state))] & _LOW) - 1


@rule
def find_or_add(nodes, state):
    """Return the node of a state; a state not found before gets a new node with only its state filled in.

    There must be space for one more node. Returns (node, whether it is new).
    """
    bits = hash_of(state)
    slot = slot_of(nodes, state, bits)
    if nodes.table[slot] != EMPTY:
        return np.int64(nodes.table[slot] & _LOW) - 1, False
    node = nodes.used[0]
    nodes.used[0] = node + 1
    nodes.table[slot] = (bits >> _32 << _32) | np.uint64(node + 1)
    copy_row(state, nodes.states[node])
    return node, True


@rule
def has_capacity(nodes, needed):
    """Whether there is capacity for ``needed`` more nodes."""
    return nodes.used[0] + needed <= nodes.parents.shape[0]


@rule
def enter(nodes, entry):
    """Insert an entry that is not in the table."""
    last = np.uint64(nodes.table.shape[0]) - _ONE
    slot = entry >> nodes.shift
    while nodes.table[slot] != EMPTY:
        slot = (slot + _ONE) & last
    nodes.table[slot] = entry


@rule
def enter_all(nodes, entries):
    """Fill an empty table with the entries of another."""
    for k in range(entries.shape[0]):
        if entries[k] != EMPTY:
            enter(nodes, entries[k])


def _fill(nodes, entries):
    """Fill an empty table with the entries of another; if that is empty, with the entries of all nodes."""
    nodes, entries = borrowed(nodes), borrowed(entries)
    enter_all(nodes, entries)
    if entries.shape[0] == 0:
        for node in range(nodes.used[0]):
            enter(nodes, (hash_of(nodes.states[node]) >> _32 << _32) | np.uint64(node + 1))


def make_fill() -> Any:
    """Return the kernel ``fill(nodes, entries)``, which fills an empty table."""
    return compiled(_fill, "search-fill")


# A small store grows by larger factors: touching fresh memory costs more than leaving some of it unused.
_SMALL, _LEAP = 1 << 18, 8
_NO_ENTRIES = np.empty(0, np.uint64)


def new_nodes(start: Row, capacity: int = 1 << 12) -> Nodes:
    """Return a store with one node, the start."""
    nodes = allocate(len(start), capacity)
    nodes.states[0] = start
    nodes.parents[0], nodes.actions[0] = NO_PARENT, -1
    nodes.costs[0] = nodes.depths[0] = nodes.estimates[0] = nodes.marks[0] = 0
    nodes.used[0] = 1
    tiered(kernel(make_fill), nodes, _NO_ENTRIES)
    return nodes


def grown(nodes: Nodes, memory: float) -> Nodes | None:
    """Return the same nodes in a store of twice the capacity, more while it is small, or as much as fits into memory.

    Args:
        nodes: A store that is full.
        memory: Maximum size of both stores together in bytes, since both exist for a moment.

    Returns:
        The larger store; None if there is no memory for at least an eighth more.
    """
    before, width = len(nodes.parents), nodes.states.shape[1]
    capacity = before * (_LEAP if before < _SMALL else 2)
    while bytes_of(nodes) + _bytes_needed(width, capacity) > memory:
        capacity -= max(before // 8, 1)
        if capacity <= before:
            return None
    larger = allocate(width, capacity)
    copy_nodes(nodes, larger)
    tiered(kernel(make_fill), larger, nodes.table)
    return larger


@routine
def copy_nodes(nodes: Nodes, larger: Nodes) -> None:
    """Copy all nodes into an empty store with a larger capacity, but not into its table."""
    count = nodes.used[0]
    larger.states[:count] = nodes.states[:count]
    larger.parents[:count] = nodes.parents[:count]
    larger.actions[:count] = nodes.actions[:count]
    larger.costs[:count] = nodes.costs[:count]
    larger.depths[:count] = nodes.depths[:count]
    larger.estimates[:count] = nodes.estimates[:count]
    larger.marks[:count] = nodes.marks[:count]
    larger.used[0] = count


def keep_only(nodes: Nodes, which: npt.NDArray[np.integer[Any]]) -> None:
    """Remove all nodes but these, which get the numbers 0, 1, 2 … in that order; the caller updates the parents."""
    arrays: Any = nodes[:_COLUMNS]
    for array in arrays:
        array[: len(which)] = array[which]
    nodes.table[:] = EMPTY
    nodes.used[0] = len(which)
    tiered(kernel(make_fill), nodes, _NO_ENTRIES)


def bytes_of(nodes: Nodes) -> int:
    """Return the store's size in bytes."""
    return sum(array.nbytes for array in nodes[:-1])


def path_to(nodes: Nodes, node: int) -> tuple[int, ...]:
    """Return the actions from the start to a node."""
    actions = []
    while nodes.parents[node] != NO_PARENT:
        actions.append(int(nodes.actions[node]))
        node = int(nodes.parents[node])
    return tuple(reversed(actions))


@rule
def _table_bits(capacity: int) -> int:
    """Return the shift for a table of which at most half is in use; at least 1, since a shift of 64 is undefined."""
    bits = 1
    while 1 << bits < 2 * capacity:
        bits += 1
    return bits


def _bytes_needed(width: int, capacity: int) -> int:
    return capacity * (2 * width + 23) + (8 << _table_bits(capacity)) + 8


@routine
def allocate(width: int, capacity: int) -> Nodes:
    """Return a store without nodes, for states of this width."""
    return Nodes(
        np.empty((capacity, width), np.int16),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int16),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.uint8),
        np.zeros(1 << _table_bits(capacity), np.uint64),
        np.zeros(1, np.int64),
        np.uint64(64 - _table_bits(capacity)),
    )
