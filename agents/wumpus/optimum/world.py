"""What a small cave is before anything is known of it: walks over visited squares, and where pits can be.

Sets of squares are bit masks; a *stance* is ``4 * square + facing``. Everything is counted for each
*region*, a connected set of squares with the start in it: what an agent may have visited.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import compiled, routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from ..geometry import neighbour
from .hashing import new_memo, place

LARGEST = 16
"""Squares of the largest cave: a set of them fits 16 bits of a key."""
UNREACHED = 99

Whole = npt.NDArray[np.int64]
Steps = npt.NDArray[np.int8]


class World(NamedTuple):
    """Tables of a cave of N squares with R regions and E breeze patterns."""

    facts: Whole
    """int64[5]: SQUARES, START, SPARE, LIMIT, CLIMB."""
    beside: Whole
    """int64[N, 4]: the square next to one on each side, -1 for a wall."""
    around: Whole
    """int64[N]: the set of squares beside one."""
    rays: Whole
    """int64[N, 4]: the set of squares an arrow passes."""
    region: Whole
    """int64[2**N]: the number of a set, -1 if it is no region."""
    walk: Steps
    """int8[R, 4N, 4N]: fewest steps from stance to stance inside a region."""
    home: Steps
    """int8[R, 4N]: fewest steps to the start inside a region."""
    beeline: Steps
    """int8[4N]: fewest steps to the start where no square needs to be avoided."""
    earliest: Steps
    """int8[R, 4N]: fewest steps from the beginning to have visited the region and stand so, just arrived."""
    quickest: Steps
    """int8[R]: the least of these."""
    tour: Steps
    """int8[R]: no more than the fewest steps to visit the region and come home, be it by other squares."""
    breezes: npt.NDArray[np.uint64]
    """uint64[hash]: region and squares with a breeze in it, ``set | breezes << 16``."""
    evidence: Whole
    """int64[hash]: the row of ``pits`` for it."""
    pits: npt.NDArray[np.int16]
    """int16[E, N + 1]: of the sets of pits that leave this evidence, how many have a pit there; last, how many."""


SQUARES, START, SPARE, LIMIT, CLIMB = range(5)
"""SPARE: the squares left for the gold beside start, wumpus and pits, plus one. LIMIT: steps an episode has."""


@functools.lru_cache(4)
def make_world(height: int, width: int, pits: int, climb: bool, limit: int) -> World:
    """Count everything, for caves as :func:`gridpuzzles_gym.puzzles.wumpus.rules.generate` draws them.

    Args:
        height: Rows.
        width: Squares in a row.
        pits: How many there are.
        climb: Is there an action that leaves the cave?
        limit: Steps after which an episode is truncated.

    Raises:
        ValueError: The cave has more than 16 squares.
    """
    squares = height * width
    if squares > LARGEST:
        raise ValueError(f"a cave of {width}x{height} squares is too large; at most {LARGEST} squares can be solved")
    start = squares - width
    beside = np.array([[neighbour((height, width), square, side) for side in range(4)] for square in range(squares)])
    around = np.array([sum(1 << there for there in row if there >= 0) for row in beside.tolist()])
    rays = np.zeros((squares, 4), np.int64)
    for square, facing in itertools.product(range(squares), range(4)):
        there = beside[square, facing]
        while there >= 0:
            rays[square, facing] |= 1 << there
            there = beside[there, facing]
    regions = _regions(squares, start, around)
    region = np.full(1 << squares, -1)
    region[regions] = np.arange(len(regions))
    facts = np.array([squares, start, squares - pits, limit, climb])
    walk = np.empty((len(regions), 4 * squares, 4 * squares), np.int8)
    earliest = np.full((len(regions), 4 * squares), UNREACHED, np.int8)
    earliest[0, 4 * start + EAST] = 0
    others = [square for square in range(squares) if square != start]
    layouts = np.array([sum(1 << pit for pit in chosen) for chosen in itertools.combinations(others, pits)])
    breezes = np.array([np.bitwise_or.reduce([around[s] for s in others if p >> s & 1] or [0]) for p in layouts])
    measure, count = _kernels()
    measure(facts, beside, regions, region, walk, earliest)
    memo = new_memo(8 * len(regions) * squares)
    evidence = np.zeros(len(memo.keys), np.int64)
    table = np.zeros((len(regions) * len(layouts), squares + 1), np.int16)
    rows = count(regions, layouts, breezes, memo, evidence, table)
    home = walk[:, :, 4 * start : 4 * start + 4].min(axis=2)
    tour = (earliest.astype(np.int64) + home[-1]).min(axis=1)
    return World(
        facts, beside, around, rays, region, walk, home, home[-1].copy(), earliest, earliest.min(axis=1),
        tour.astype(np.int8), memo.keys, evidence, table[:rows].copy(),
    )  # fmt: skip


def _regions(squares: int, start: int, around: Whole) -> Whole:
    """Every connected set of squares with the start in it, small ones first."""
    found = layer = {1 << start}
    ordered = sorted(layer)
    while layer:
        layer = {
            visited | 1 << square
            for visited in layer
            for square in range(squares)
            if not visited >> square & 1 and around[square] & visited
        }
        found = found | layer
        ordered += sorted(layer)
    return np.array(ordered)


@routine
def walk_inside(beside, inside, stance, steps, queue):
    """Fill ``steps`` (int8[4N]): from one stance to every other without leaving a set of squares."""
    steps[:] = UNREACHED
    steps[stance] = 0
    queue[0] = stance
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        square, facing = here >> 2, here & 3
        ahead = beside[square, facing]
        for there in (
            here ^ facing ^ (facing + 1 & 3),
            here ^ facing ^ (facing + 3 & 3),
            4 * ahead + facing if ahead >= 0 and inside >> ahead & 1 else here,
        ):
            if steps[there] == UNREACHED:
                steps[there] = steps[here] + 1
                queue[tail] = there
                tail += 1


@rule
def entrance(beside, square, facing):
    """The square from which one enters another with that facing, or -1."""
    return beside[square, (facing + 2) & 3]


@functools.cache
def _kernels() -> tuple[Callable[..., None], Callable[..., int]]:
    def measure(facts, beside, regions, region, walk, earliest):
        """Fill ``walk`` and ``earliest``, small regions first."""
        squares = facts[SQUARES]
        queue = np.empty(4 * squares, np.int64)
        for number in range(len(regions)):
            inside = regions[number]
            for stance in range(4 * squares):
                walk_inside(beside, inside, stance, walk[number, stance], queue)
            for square in range(squares):
                if inside >> square & 1:
                    continue
                for facing in range(4):
                    before = entrance(beside, square, facing)
                    if before < 0 or not inside >> before & 1:
                        continue
                    larger = region[inside | 1 << square]
                    for stance in range(4 * squares):
                        if inside >> (stance >> 2) & 1:
                            steps = earliest[number, stance] + walk[number, stance, 4 * before + facing] + 1
                            if steps < earliest[larger, 4 * square + facing]:
                                earliest[larger, 4 * square + facing] = steps

    def count(regions, layouts, breezes, memo, evidence, table):
        """Fill ``table``, a row for every pattern of breezes that some layout of pits leaves in a region."""
        rows = 0
        for number in range(len(regions)):
            inside = regions[number]
            for k in range(len(layouts)):
                if layouts[k] & inside:
                    continue
                key = np.uint64(inside | (breezes[k] & inside) << 16)
                slot = place(memo.keys, key)
                if memo.keys[slot] == 0:
                    memo.keys[slot] = key
                    evidence[slot] = rows
                    rows += 1
                row = table[evidence[slot]]
                row[-1] += 1
                for square in range(len(row) - 1):
                    row[square] += layouts[k] >> square & 1
        return rows

    return compiled(measure, "wumpus-world-measure"), compiled(count, "wumpus-world-count")
