"""Rows of levels with random faults, and arrays that check every index."""

import numpy as np

from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.puzzles.bait.boards import make_rows, symbols_of
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_mouse
from gridpuzzles_gym.puzzles.n_puzzle import rules as n_puzzle
from gridpuzzles_gym.puzzles.sokoban import rules as sokoban
from gridpuzzles_gym.puzzles.wumpus import rules as wumpus

LEVELS = {
    "sokoban": ("Sokoban-v0", ["first", "starter-test"]),
    "bait": ("Bait-v0", ["lessons", "small-medium-test"]),
    "wumpus": ("Wumpus-v0", ["textbook", "; more\n. GP .\n. # W\n^ . P\n"]),
    "n_puzzle": ("FifteenPuzzle-v0", ["fifteen"]),
    "cat_mouse": ("CatMouse-v0", ["anywhere", "; none\nM.E\n###\n", "; more\nC.c.C\n.....\nCMC..\n"]),
}
"""For each puzzle the id of an environment, and levels of it of several sizes."""


def valid_rows(name):
    """Return a puzzle, its default options, and the extent and the rows of its levels, the smaller ones padded."""
    puzzle = load_puzzle(f"gridpuzzles_gym.puzzles.{name}")
    levels = [level for some in LEVELS[name][1] for level in find_levels(puzzle, some)]
    if name == "n_puzzle":
        levels = [level for level in levels if level.extent == (4, 4)]
    extent = tuple(max(sides) for sides in zip(*(level.extent for level in levels), strict=True))
    options = puzzle.resolve_options(puzzle.read_options(), extent, ())
    return puzzle, options, extent, np.array(pool_rows(puzzle, levels, extent, options))


def derive_sokoban(level, state):
    cells = np.array(level[sokoban.CELLS :])
    boxes = np.unpackbits(np.array(state[sokoban.BOXES :]).astype(np.uint8), count=cells.size, bitorder="little") != 0
    level[sokoban.COUNT], state[sokoban.ASTRAY] = boxes.sum(), (boxes & (cells & sokoban.GOAL == 0)).sum()


def derive_bait(level, state):
    plain, options = np.array(level), load_puzzle("gridpuzzles_gym.puzzles.bait").read_options()
    level[:], state[:] = make_rows(symbols_of(plain, np.array(state)), options)


def derive_wumpus(level, state):
    level[wumpus.CELLS :] &= wumpus.WALL | wumpus.PIT | wumpus.WUMPUS
    wumpus.finish(level)
    wumpus.begin(level, state)


def derive_n_puzzle(level, state):
    state[n_puzzle.TILES :] = np.argsort(np.argsort(np.array(state[n_puzzle.TILES :]), kind="stable"))
    n_puzzle.finish(level, state)


def derive_cat_mouse(level, state):
    cat_mouse.lay_out(level, level[cat_mouse.STRIDE])
    cat_mouse.put_in_order(level, state)


DERIVE = {
    "sokoban": derive_sokoban,
    "bait": derive_bait,
    "wumpus": derive_wumpus,
    "n_puzzle": derive_n_puzzle,
    "cat_mouse": derive_cat_mouse,
}
"""What computes the numbers of rows that follow from others, so that faults are more often those of valid levels."""


def mutants(name, level_size, rows, count, seed):
    """Return ``count`` rows with one to four random faults each, some of them with their derived numbers corrected."""
    found = _with_faults(rows, count, seed)
    for row in found[::20]:
        own = row.copy()
        try:
            with np.errstate(all="ignore"):
                DERIVE[name](guarded(own[:level_size], copy=False), guarded(own[level_size:], copy=False))
            row[:] = own
        except (ArithmeticError, LookupError, ValueError):
            continue
    return found


def _with_faults(rows, count, seed):
    random = np.random.default_rng(seed)
    found = rows[random.integers(len(rows), size=count)]
    width = rows.shape[1]
    for row in found:
        for _ in range(random.integers(1, 5)):
            # The first numbers of both rows matter most, so they are changed more often.
            place = int(random.integers(width) if random.random() < 0.5 else random.integers(-width, 8) % width)
            kind = random.integers(7)
            if kind == 0:
                row[place] = random.integers(-(2**15), 2**15)
            elif kind == 1:
                row[place] = random.choice([-(2**15), -1, 0, 1, 2, 255, 256, 30_003, 2**15 - 1])
            elif kind == 2:
                row[place] ^= np.int16(1 << int(random.integers(15)))
            elif kind == 3:
                row[place] = random.integers(-2, width + 2)
            elif kind == 4:
                row[place] = np.clip(int(row[place]) + random.choice([-1, 1]), -(2**15), 2**15 - 1)
            elif kind == 5:
                other = random.integers(width)
                row[[place, other]] = row[[other, place]]
            else:
                end = random.integers(place, width) + 1
                row[place:end] = rows[random.integers(len(rows)), place:end]
    return found


class Guarded(np.ndarray):
    """An array that raises IndexError for every index that machine code would read or write elsewhere."""

    def __getitem__(self, index):
        """Read, unless an index is negative or too large."""
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index, value):
        """Write, unless an index is negative or too large."""
        self._check(index)
        super().__setitem__(index, value)

    def _check(self, index):
        for axis, each in enumerate(index if isinstance(index, tuple) else (index,)):
            if not isinstance(each, slice) and not 0 <= each < self.shape[axis]:
                raise IndexError(f"index {each} on an axis of {self.shape[axis]}")


def guarded(array, copy=True):
    """Return a copy of an array, or a view of it, that checks every index."""
    return (np.array(array) if copy else array).view(Guarded)
