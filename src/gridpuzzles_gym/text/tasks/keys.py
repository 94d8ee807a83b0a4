"""Keys that are equal for positions with the same problem, even rotated or mirrored; they exclude duplicates."""

import functools
import hashlib

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.orientations import first_orientation
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ...engine.levels.bundled import bundled
from ...engine.levels.sources import find_levels
from ...engine.puzzle import Puzzle
from .instances import Instance, start_of, tasks_of

TEST = "-test"
"""Suffix of the names of bundled test packs; the pack without it in its name is for training."""


def key_of_instance(instance: Instance) -> bytes:
    """Return a key that is equal for positions that pose the same problem.

    If the rules are the same in all eight orientations of a board, so is the key; extra outer walls do not matter.
    """
    own = tasks_of(instance.puzzle).key
    if own is not None:
        return own(instance.level, instance.state)
    rows = instance.text.splitlines()
    if not agents_record(instance.puzzle).symmetric or len({*map(len, rows)}) != 1:
        return instance.text.encode()
    cells = np.array([[*row.encode("ascii")] for row in rows], np.uint8)
    return first_orientation(_without_outer_walls(cells, instance.puzzle))


def _without_outer_walls(cells: npt.NDArray[np.uint8], puzzle: Puzzle) -> npt.NDArray[np.uint8]:
    """Return a board without outer rows and columns that are all wall; everything outside a board is wall anyway."""
    border = "" if puzzle.palette is None else puzzle.palette.border
    if not border:
        return cells
    inside = np.argwhere(cells != ord(border))
    (top, left), (bottom, right) = inside.min(axis=0), inside.max(axis=0)
    return np.ascontiguousarray(cells[top : bottom + 1, left : right + 1])


@functools.cache
def keys_of_tests(puzzle: Puzzle) -> frozenset[str]:
    """Return the digests of the keys of all bundled levels, except those of packs that are for training."""
    names = bundled(puzzle)
    tests = [name for name in names if f"{name}{TEST}" not in names]
    levels = [level for name in tests for level in find_levels(puzzle, name)]
    return frozenset(digest(key_of_instance(start_of(puzzle, level))) for level in levels)


def digest(key: bytes) -> str:
    """Return a key as 32 hexadecimal digits."""
    return hashlib.blake2b(key, digest_size=16).hexdigest()
