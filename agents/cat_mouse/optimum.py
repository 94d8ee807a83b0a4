"""The optimal policy of a mouse in a maze: value iteration over all positions of mouse and cats.

A maze's turns are a table: every position of mouse and cats, and what may come of it. A turn has two halves: the mouse
lands on a square, then chance moves the cats; what may come of that depends on where it has landed only. A position's
number has the floor squares of the mouse and of each cat as digits to the base F, the number of floor squares; N =
F**(1+k) with k cats:

    array     dtype    shape      holds
    landings  uint32   [N, 4]     the position after each action of the mouse, before the cats move
    successors uint32  [N, 4**k]  the positions that the cats' moves may lead to; without cats there are four, too
    chances   float64  [N, 4**k]  the probability of each; 0 in unused entries
    bounds    float64  [N]        the return of the shortest way to the exit, without cats: an upper bound
    start     float64  [N + 2]    the probability that an episode begins there
    values    float64  [N + 2]    the optimal expected return from there on, without discount
    landed    float64  [N + 2]    the same in the middle of a turn, before the cats move
    policy    int8     [N]        an optimal action; NO_STATE if there is no such state

The last two positions are the ends of an episode: N is DEAD, N + 1 is WON.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row, frame_of, frame_reader
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import (
    CAT,
    CATS,
    CELLS,
    DEATH,
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
        return int(state_index(level, state, self.digits, len(self.floor)))

    def start(self, level: Row, state: Row) -> Values:
        """Return the probability that an episode begins in each state, for the rows of a level."""
        rows, chances = np.empty((4 ** int(level[CATS]), len(state)), np.int16), np.empty(4 ** int(level[CATS]))
        start = np.zeros(len(self.exists) + 2)
        for k in range(beginnings(level, state, rows, chances)):
            start[self.number(level, rows[k])] += chances[k]
        return start


@rule
def state_index(level, state, digits, base):
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
def position_index(level, state, digits, base, count):
    """Return the number of a position among ``count`` and the two ends."""
    ending = outcome(level, state)
    if ending == SOLVED:
        return count + 2 + WON
    return count + 2 + DEAD if ending == DIED else state_index(level, state, digits, base)


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
                landings[number, action] = position_index(level, after[0], digits, base, count)
            copy_row(state, after[0])
            weights[0] = 1.0
            for k in range(all_cats_moves(level, after, weights)):
                successors[number, k] = position_index(level, after[k], digits, base, count)
                chances[number, k] = weights[k]

    return compiled(link, "cat-mouse-link", nogil=True)


MOST_SWEEPS = 100_000
TOLERANCE = 1e-9
"""Change of the values at which sweeps end."""
NO_STATE = -1


@dataclasses.dataclass(frozen=True, eq=False)
class Solution:
    """The result of value iteration."""

    chain: Chain
    values: Values
    landed: Values
    policy: npt.NDArray[np.int8]


@dataclasses.dataclass(frozen=True)
class Expectation:
    """The result of following a policy from a distribution of starts."""

    mean_return: float
    survival: float
    """The probability of reaching the exit."""
    death: float
    steps: float


def _unknown(chain: Chain) -> tuple[Values, Values, npt.NDArray[np.int8]]:
    """Values, values in the middle of a turn, and a policy, before the first sweep."""
    values, landed = np.zeros((2, len(chain.exists) + 2))
    for ends in (values, landed):
        ends[WON], ends[DEAD] = PRIZE, DEATH
    return values, landed, np.full(len(chain.exists), NO_STATE, np.int8)


def solve(chain: Chain) -> Solution:
    """Return the optimal policy without a step limit.

    Raises:
        ValueError: In some state no policy is certain to end the episode, so that waiting has no bound.
    """
    values, landed, policy = _unknown(chain)
    values[:-2] = chain.bounds
    if not make_settle()(len(chain.floor), *chain.turns(), values, landed, policy):
        raise ValueError(
            "from some squares no policy is certain to end the episode: there is no optimal expected return"
        )
    return Solution(chain, values, landed, policy)


def best_within(chain: Chain, limit: int) -> Values:
    """Return the optimal expected returns if an episode is cut off after ``limit`` steps."""
    values, landed, _ = _unknown(chain)
    for _ in range(limit):
        fresh = values.copy()
        make_improve()(len(chain.floor), *chain.turns()[1:], values, landed, fresh)
        values = fresh
    return values


def expectation(solution: Solution, start: Values, limit: int | None = None) -> Expectation:
    """Return the result of following the policy of a solution for a number of steps.

    Args:
        solution: The solution.
        start: The probability of each start state, as :meth:`Chain.start` returns them.
        limit: Maximum number of steps; None is no limit.
    """
    chain = solution.chain
    states = np.flatnonzero(chain.exists)
    landings = chain.landings[states, solution.policy[states]]
    going = landings < len(chain.exists)
    turn = np.where(going, landings, 0)
    successors, chances = chain.successors[turn], chain.chances[turn]
    where = {"survival": (1.0, 0.0, 0.0), "death": (0.0, 1.0, 0.0), "steps": (0.0, 0.0, 1.0)}
    found = {}
    for name, (won, dead, each) in where.items():
        values = np.zeros(len(chain.exists) + 2)
        values[WON], values[DEAD] = won, dead
        for _ in range(MOST_SWEEPS if limit is None else limit):
            fresh = each + np.where(going, (chances * values[successors]).sum(axis=1), values[landings])
            change = abs(fresh - values[states]).max()
            values[states] = fresh
            if change < TOLERANCE:
                break
        found[name] = float(start @ values)
    mean = EACH_STEP * found["steps"] + PRIZE * found["survival"] + DEATH * found["death"]
    return Expectation(mean, **found)


@routine
def sweep(base, landings, successors, chances, values, landed, target):
    """Fill ``target`` with the best values given ``values``, which may be one array; return the largest change.

    The positions of one set of cats' squares are all updated at once, those of the next one after them. There is no
    branch, because it would often be mispredicted; what is written for numbers without a state is never read.
    """
    most = 0.0
    for first in range(0, landings.shape[0], base):
        for number in range(first, first + base):
            chance, after, value = chances[number], successors[number], 0.0
            for four in range(chance.shape[0] >> 2):
                k = four << 2
                value += chance[k] * values[after[k]] + chance[k + 1] * values[after[k + 1]]
                value += chance[k + 2] * values[after[k + 2]] + chance[k + 3] * values[after[k + 3]]
            landed[number] = value
        for number in range(first, first + base):
            there = landings[number]
            one = max(landed[there[0]], landed[there[1]])
            other = max(landed[there[2]], landed[there[3]])
            best = EACH_STEP + max(one, other)
            most = max(most, abs(best - values[number]))
            target[number] = best
    return most


@functools.cache
def make_improve() -> Callable[..., float]:
    """``improve(base, landings, successors, chances, values, landed, target)``: :func:`sweep`."""

    def improve(base, landings, successors, chances, values, landed, target):
        return sweep(base, landings, successors, chances, values, landed, target)

    return compiled(improve, "cat-mouse-improve")


@functools.cache
def make_settle() -> Callable[..., bool]:
    """``settle(base, exists, landings, successors, chances, values, landed, policy) -> bool``: sweeps to the end.

    False if the values do not settle. Of equal actions the first is in the policy.
    """

    def settle(base, exists, landings, successors, chances, values, landed, policy):
        sweeps, change = 0, np.inf
        while change >= TOLERANCE and sweeps < MOST_SWEEPS:
            change = sweep(base, landings, successors, chances, values, landed, values)
            sweeps += 1
        for number in range(exists.shape[0]):
            policy[number] = NO_STATE
            best = -np.inf
            for action in range(ACTIONS):
                if exists[number] and landed[landings[number, action]] > best:
                    best = landed[landings[number, action]]
                    policy[number] = action
        return change < TOLERANCE

    return compiled(settle, "cat-mouse-settle", nogil=True)


def action_values(solution: Solution, level: Row, state: Row) -> Values:
    """Return the expected return of each action in a state, float64[4]; empty if the episode has ended there."""
    chain = solution.chain
    number = chain.number(level, state)
    if not chain.exists[number]:
        return np.empty(0)
    expected: Values = EACH_STEP + solution.landed[chain.landings[number]]
    return expected


@functools.cache
def make_value_batch() -> Callable[..., None]:
    """``value_batch(frames, levels, states, values)``: fills ``values`` [B, 4] with the expected return of each action.

    ``frames`` (int64[B, 5, 3]) are those of :func:`frame_of_solution`; where there is no such state, NaN.
    """
    arrays_of = frame_reader(((np.int32, 1), (np.int32, 1), (np.uint8, 1), (np.uint32, 2), (np.float64, 1)))

    def value_batch(frames, levels, states, values):
        for i in range(values.shape[0]):
            digits, floor, exists, landings, landed = arrays_of(frames[i])
            number = state_index(levels[i], states[i], digits, floor.shape[0])
            for action in range(ACTIONS):
                values[i, action] = EACH_STEP + landed[landings[number, action]] if exists[number] else np.nan

    return compiled(value_batch, "cat-mouse-values")


def frame_of_solution(solution: Solution) -> npt.NDArray[np.int64]:
    """Return where :func:`make_value_batch` finds a solution, int64[5, 3]; valid as long as the solution lives."""
    chain = solution.chain
    return frame_of((chain.digits, chain.floor, chain.exists.view(np.uint8), chain.landings, solution.landed))


def squares_of(chain: Chain, solution_values: Values, level: Row, state: Row) -> dict[int, float]:
    """Return the value of every square for the mouse, given the cats' positions: square → value."""
    found: dict[int, float] = {}
    row: Any = state.copy()
    for square in chain.floor.tolist():
        row[MOUSE] = square
        number = chain.number(level, row)
        if chain.exists[number]:
            found[square] = float(solution_values[number])
    return found
