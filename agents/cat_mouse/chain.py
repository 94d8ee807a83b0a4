"""The turns of a maze as a table: every position of mouse and cats, and what may come of it.

A turn has two halves: the mouse lands on a square, then chance moves the cats; what may come of that depends on where
it has landed only. A position's number has the floor squares of the mouse and of each cat as digits to the base F, the
number of floor squares; N = F**(1+k) with k cats:

    array     dtype    shape      holds
    landings  uint32   [N, 4]     the position after each action of the mouse, before the cats move
    successors uint32  [N, 4**k]  the positions that the cats' moves may lead to; without cats there are four, too
    chances   float64  [N, 4**k]  the probability of each; 0 in unused entries
    bounds    float64  [N]        the return of the shortest way to the exit, without cats: an upper bound
    start     float64  [N + 2]    the probability that an episode begins there

The last two positions are the ends of an episode: N is DEAD, N + 1 is WON.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import (
    CAT,
    CATS,
    CELLS,
    EACH_STEP,
    MOUSE,
    PRIZE,
    WALL,
    all_cats_moves,
    beginnings,
    mouse_moves,
    outcome,
)

from .shortest_path import FAR, steps_to_exit

MOST_ENTRIES = 8_000_000
"""Maximum size of the table of successors: about 100 MB."""
ACTIONS = 4
WON, DEAD = -1, -2
"""The ends of an episode, counted from the end of all positions."""

Values = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Chain:
    """The turns of a maze as a table; see the top of the module for the arrays."""

    digits: npt.NDArray[np.int32]
    """int32[N]: the digit of each square; -1 on a wall."""
    floor: npt.NDArray[np.int32]
    """int32[F]: the square of each digit."""
    exists: npt.NDArray[np.bool_]
    """The numbers that are possible states."""
    landings: npt.NDArray[np.uint32]
    successors: npt.NDArray[np.uint32]
    chances: Values
    bounds: Values

    def without_turns(self) -> "Chain":
        """Return the table without what only solving it requires: a third of its size."""
        nothing = self.successors[:0].copy(), self.chances[:0].copy()  # views would keep the whole tables in memory
        return dataclasses.replace(self, successors=nothing[0], chances=nothing[1])

    def turns(self) -> tuple[npt.NDArray[Any], ...]:
        """Return what a sweep needs, and which numbers are states: exists, landings, successors, chances."""
        return self.exists, self.landings, self.successors, self.chances

    def number(self, level: Row, state: Row) -> int:
        """Return the number of a state."""
        return int(number_of(level, state, self.digits, len(self.floor)))

    def start(self, level: Row, state: Row) -> Values:
        """Return the probability that an episode begins in each state, for the rows of a level."""
        rows, chances = np.empty((4 ** int(level[CATS]), len(state)), np.int16), np.empty(4 ** int(level[CATS]))
        start = np.zeros(len(self.exists) + 2)
        for k in range(beginnings(level, state, rows, chances)):
            start[self.number(level, rows[k])] += chances[k]
        return start


@rule
def number_of(level, state, digits, base):
    """Return the number of a state."""
    number = 0
    for cat in range(level[CATS] - 1, -1, -1):
        number = number * base + digits[state[CAT + cat]]
    return number * base + digits[state[MOUSE]]


@rule
def state_of(level, number, floor, state):
    """Set the state with a number; returns whether its cats are in order, each on a different square."""
    base = floor.shape[0]
    state[:] = -1
    state[MOUSE] = floor[number % base]
    for cat in range(level[CATS]):
        number //= base
        state[CAT + cat] = floor[number % base]
        if cat > 0 and state[CAT + cat] <= state[CAT + cat - 1]:
            return False
    return True


def chain_of(level: Row) -> Chain:
    """Return the table of a maze's turns.

    Raises:
        ValueError: The maze has too many states.
    """
    floor = np.flatnonzero(level[CELLS:] & WALL == 0).astype(np.int32)
    cats = int(level[CATS])
    count, ways = len(floor) ** (1 + cats), 4 ** max(cats, 1)
    if count * ways > MOST_ENTRIES:
        raise ValueError(
            f"value iteration over {len(floor)} floor squares and {cats} cats needs a table of "
            f"{count * ways:,} entries; the maximum is {MOST_ENTRIES:,}"
        )
    digits = np.full(len(level) - CELLS, -1, np.int32)
    digits[floor] = np.arange(len(floor))
    steps, queue = np.empty((2, len(digits)), np.int16)
    chain = Chain(
        digits,
        floor,
        np.zeros(count, np.bool_),
        np.full((count, ACTIONS), count, np.uint32),
        np.full((count, ways), count, np.uint32),
        np.zeros((count, ways)),
        np.zeros(count),
    )
    rows = np.empty((ways + 1, CAT + max(cats, 1)), np.int16)
    make_link()(level, digits, floor, steps, queue, rows, *chain.turns(), chain.bounds)
    return chain


@rule
def place_of(level, state, digits, base, count):
    """Return the number of a position among ``count`` and the two ends."""
    ending = outcome(level, state)
    if ending == SOLVED:
        return count + 2 + WON
    return count + 2 + DEAD if ending == DIED else number_of(level, state, digits, base)


@functools.cache
def make_link() -> Callable[..., None]:
    """``link(level, digits, floor, steps, queue, rows, exists, landings, successors, chances, bounds)``.

    Fills a maze's table.
    """

    def link(level, digits, floor, steps, queue, rows, exists, landings, successors, chances, bounds):
        steps_to_exit(level, steps, queue)
        state, after, weights = rows[0], rows[1:], np.empty(rows.shape[0] - 1)
        base, count = floor.shape[0], exists.shape[0]
        for number in range(exists.shape[0]):
            if not state_of(level, number, floor, state) or steps[state[MOUSE]] == FAR:
                continue
            if outcome(level, state) != UNFINISHED:
                continue
            exists[number] = True
            bounds[number] = PRIZE + EACH_STEP * steps[state[MOUSE]]
            for action in range(ACTIONS):
                copy_row(state, after[0])
                mouse_moves(level, after[0], action)
                landings[number, action] = place_of(level, after[0], digits, base, count)
            copy_row(state, after[0])
            weights[0] = 1.0
            for k in range(all_cats_moves(level, after, weights)):
                successors[number, k] = place_of(level, after[k], digits, base, count)
                chances[number, k] = weights[k]

    return compiled(link, "cat-mouse-link", nogil=True)
