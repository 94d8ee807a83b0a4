"""Heaps of nodes: one for each cell of a feature-space search, all in the same arrays."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types

from gridpuzzles_gym.engine.compile.compilation import rule

from .nodes import NO_NODE


class Heaps(NamedTuple):
    """Skew heaps (D. Sleator and R. Tarjan, 1986); c is the capacity of the arrays."""

    key: npt.NDArray[np.int64]
    """int64[c]: the key of each node; the lowest comes first."""
    below: npt.NDArray[np.int32]
    """int32[c, 2]: the two nodes below it, or NO_NODE."""


HEAPS = types.NamedTuple((int64[::1], types.Array(int32, 2, "C")), Heaps)


def make_heaps(capacity: int) -> Heaps:
    """Return arrays for this number of nodes."""
    return Heaps(np.zeros(capacity, np.int64), np.full((capacity, 2), NO_NODE, np.int32))


def heaps_bytes(capacity: int) -> int:
    """Return the size of :func:`make_heaps` in bytes."""
    return (8 + 2 * 4) * capacity


@rule
def merged(heaps, one, other):
    """Return the top of a heap with the nodes of two, given their tops."""
    key, below = heaps.key, heaps.below
    if one == NO_NODE or other == NO_NODE:
        return max(one, other)
    if key[other] < key[one]:
        one, other = other, one
    top = one
    while other != NO_NODE:
        right = np.int64(below[one, 1])
        below[one, 1] = below[one, 0]
        if right != NO_NODE and key[right] < key[other]:
            right, other = other, right
        below[one, 0] = other
        one, other = other, right
    return top


@rule
def without_top(heaps, top):
    """Return the new top of a heap after its lowest node has been removed."""
    return merged(heaps, np.int64(heaps.below[top, 0]), np.int64(heaps.below[top, 1]))
