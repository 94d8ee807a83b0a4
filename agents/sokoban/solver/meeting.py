"""Tables of the positions that all searches in one direction have found, where those in the other look them up."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.compile.memory import prefetch
from gridpuzzles_gym.engine.kernels import kernel

NOT_FOUND = -1
NODE_BITS = 32
FIRST_SLOTS, GROWTH = 1 << 12, 2


class Found(NamedTuple):
    """A hash table of positions, at most half full; one without slots stays empty."""

    word: npt.NDArray[np.uint64]
    """uint64[slots], a power of two or 0: the hash of a position."""
    place: npt.NDArray[np.int64]
    """int64[slots]: where it was found first: the number of the search << NODE_BITS | its node; or NOT_FOUND."""
    size: npt.NDArray[np.int64]
    """int64[1]: number of positions."""


FOUND = types.NamedTuple((uint64[::1], int64[::1], int64[::1]), Found)


@routine
def make_found(slots: int) -> Found:
    """Return an empty table."""
    return Found(np.zeros(slots, np.uint64), np.full(slots, NOT_FOUND, np.int64), np.zeros(1, np.int64))


def found_bytes(slots: int) -> int:
    """Return the size of :func:`make_found` in bytes."""
    return 16 * slots + 8


@rule
def slot_in(found, word):
    """Return the slot of a position, or the free slot where it belongs."""
    mask = found.word.shape[0] - 1
    slot = np.int64(word & np.uint64(mask))
    while found.place[slot] != NOT_FOUND and found.word[slot] != word:
        slot = (slot + 1) & mask
    return slot


@rule
def prefetch_slot(found, word):
    """Prefetch the slot of a position that will be looked up soon."""
    if found.word.shape[0] > 0:
        slot = int(word & np.uint64(found.word.shape[0] - 1))
        prefetch(found.word, slot)
        prefetch(found.place, slot)


@rule
def note(found, word, place):
    """Add a position, unless it is there already."""
    if found.word.shape[0] == 0:
        return
    slot = slot_in(found, word)
    if found.place[slot] == NOT_FOUND:
        found.word[slot], found.place[slot] = word, place
        found.size[0] += 1


@rule
def place_of(found, word):
    """Return where a position with this hash was found, or NOT_FOUND."""
    if found.word.shape[0] == 0:
        return NOT_FOUND
    return found.place[slot_in(found, word)]


def make_moving() -> Callable[..., None]:
    """``moving(found, larger)``: copy all positions to a larger table."""

    def moving(found, larger):
        found, larger = borrowed(found), borrowed(larger)
        for slot in range(found.word.shape[0]):
            if found.place[slot] != NOT_FOUND:
                note(larger, found.word[slot], found.place[slot])

    return compiled(moving, "sokoban-moving", types.void(FOUND, FOUND))


def make_noting() -> Callable[..., None]:
    """``noting(found, words, number)``: note the positions with these hashes, the nodes of one search."""

    def noting(found, words, number):
        found, words = borrowed(found), borrowed(words)
        for node in range(words.shape[0]):
            note(found, words[node], (number << NODE_BITS) | node)

    return compiled(noting, "sokoban-noting", types.void(FOUND, uint64[::1], int64))


def slots_for(found: Found, more: int) -> int:
    """Return the number of slots that the table needs for so many more positions."""
    slots = max(len(found.word), FIRST_SLOTS)
    while slots < 2 * (int(found.size[0]) + more):
        slots *= GROWTH
    return slots


def enlarged(found: Found, slots: int) -> Found:
    """Return the same positions in a larger table."""
    larger = make_found(slots)
    kernel(make_moving)(found, larger)
    return larger


def noted(searches: Mapping[int, npt.NDArray[np.uint64]]) -> Found:
    """Return a table of the positions of several searches, given the hashes of the nodes of each by its number."""
    found = make_found(slots_for(make_found(0), sum(map(len, searches.values()))))
    for number, words in searches.items():
        kernel(make_noting)(found, words, number)
    return found
