"""The frontier of best-first search: a binary heap of nodes ordered by priority, in two arrays."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types

from gridpuzzles_gym.engine.compile.compilation import routine, rule


class Frontier(NamedTuple):
    """Nodes waiting to be expanded; entry 0, the root of the heap, has the lowest key."""

    keys: npt.NDArray[np.int64]
    """int64[F]: priorities."""
    items: npt.NDArray[np.int32]
    """int32[F]: their nodes; a node may have several entries, with older and higher keys."""
    size: npt.NDArray[np.int64]
    """int64[1]: entries in use."""


FRONTIER = types.NamedTuple((int64[::1], int32[::1], int64[::1]), Frontier)
"""The type of :class:`Frontier` in a kernel's signature."""


@rule
def push(frontier, key, node):
    """Add a node to the heap, which must have space for it."""
    keys, items = frontier.keys, frontier.items
    place = frontier.size[0]
    frontier.size[0] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] <= key:
            break
        keys[place] = keys[above]
        items[place] = items[above]
        place = above
    keys[place] = key
    items[place] = node


@rule
def pop(frontier):
    """Remove and return the node with the lowest key; the heap must not be empty."""
    keys, items = frontier.keys, frontier.items
    least = items[0]
    size = frontier.size[0] - 1
    frontier.size[0] = size
    key, item = keys[size], items[size]
    place, below = 0, 1
    while below < size:
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[place] = keys[below]
        items[place] = items[below]
        place = below
        below = 2 * place + 1
    keys[place] = key
    items[place] = item
    return least


@rule
def has_space(frontier, needed):
    """Whether there is capacity for ``needed`` more entries."""
    return frontier.size[0] + needed <= frontier.items.shape[0]


@routine
def new_frontier(capacity: int = 1 << 12) -> Frontier:
    """Return a frontier that holds only node 0."""
    frontier = Frontier(np.empty(capacity, np.int64), np.empty(capacity, np.int32), np.ones(1, np.int64))
    frontier.keys[0] = frontier.items[0] = 0
    return frontier


@routine
def widened(frontier: Frontier) -> Frontier:
    """Return a copy with twice the capacity."""
    capacity = len(frontier.items)
    keys, items = np.empty(2 * capacity, np.int64), np.empty(2 * capacity, np.int32)
    keys[:capacity], items[:capacity] = frontier.keys, frontier.items
    return Frontier(keys, items, frontier.size)


def size_of(frontier: Frontier) -> int:
    """Its size in bytes."""
    return frontier.keys.nbytes + frontier.items.nbytes
