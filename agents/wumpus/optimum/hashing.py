"""A hash table from 64-bit keys to values: open addressing in flat arrays, for compiled code."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule

_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio (Knuth, TAOCP 3, 6.4)
_32 = np.uint64(32)


class Memo(NamedTuple):
    """A hash table; the number of slots is a power of two, at most half of them used."""

    keys: npt.NDArray[np.uint64]
    """uint64[M], 0 in free slots."""
    values: npt.NDArray[np.float64]
    """float64[M]."""
    moves: npt.NDArray[np.uint8]
    """uint8[M]."""
    used: npt.NDArray[np.int64]
    """int64[1]."""


def new_memo(slots: int) -> Memo:
    """Return an empty table with at least this many slots."""
    size = 1 << max(slots - 1, 15).bit_length()
    return Memo(np.zeros(size, np.uint64), np.zeros(size), np.zeros(size, np.uint8), np.zeros(1, np.int64))


@rule
def place(keys, key):
    """Return the slot of a key, or the free slot where it belongs."""
    mask = len(keys) - 1
    slot = np.int64((key * _SCRAMBLE) >> _32) & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@rule
def store(memo, key, value, move):
    """Insert or update a key."""
    slot = place(memo.keys, key)
    memo.used[0] += memo.keys[slot] == 0
    memo.keys[slot] = key
    memo.values[slot] = value
    memo.moves[slot] = move


def enlarged(memo: Memo) -> Memo:
    """Return the same entries in a table of twice the size."""
    larger = new_memo(2 * len(memo.keys))
    _make_copy()(memo, larger)
    return larger


@functools.cache
def _make_copy() -> Callable[[Memo, Memo], None]:
    def copy(memo, larger):
        for slot in range(len(memo.keys)):
            if memo.keys[slot] != 0:
                store(larger, memo.keys[slot], memo.values[slot], memo.moves[slot])

    return compiled(copy, "wumpus-optimum-memo")
