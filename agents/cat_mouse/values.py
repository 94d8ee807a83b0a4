"""The optimal policy of a mouse in a maze: value iteration over all positions of mouse and cats.

Uses the puzzle's own rule `outcomes`: the possible results of a turn, with probabilities. There is no discount. A
state's number has the floor squares of the mouse and of each cat as digits to the base F, the number of floor squares:

    array     dtype    shape          holds
    successors int32   [F**(1+k), 4, 4**k]  the states that a turn may lead to, k being the number of cats; or WON, DEAD
    chances   float64  the same       the probability of each; 0 in unused entries
    values    float64  [F**(1+k) + 2] the optimal expected return from there on; at the end those of DEAD and WON
    policy    int8     [F**(1+k)]     an optimal action; NO_STATE if there is no such state
    start     float64  [F**(1+k) + 2] the probability that an episode begins there
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import compiled, rule
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import (
    CAT,
    CATS,
    CELLS,
    DEATH,
    EACH_STEP,
    MOUSE,
    PRIZE,
    WALL,
    beginnings,
    outcome,
    outcomes,
)

from .shortest_path import FAR, steps_to_exit

MOST_ENTRIES = 8_000_000
"""Maximum size of the table of successors: about 100 MB."""
MOST_SWEEPS = 100_000
TOLERANCE = 1e-9
"""Change of the values at which sweeps end."""
ACTIONS = 4
NO_STATE = -1
WON, DEAD = -1, -2

Values = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Chain:
    """The turns of a maze as a table; see the top of the module for the arrays."""

    digits: npt.NDArray[np.int32]
    """int32[N]: the digit of each square; -1 on a wall."""
    floor: npt.NDArray[np.int32]
    """int32[F]: the square of each digit."""
    exists: npt.NDArray[np.bool_]
    """Which numbers stand for a possible state."""
    successors: npt.NDArray[np.int32]
    chances: Values

    def number(self, level: Row, state: Row) -> int:
        """The number of a state."""
        return int(number_of(level, state, self.digits, len(self.floor)))

    def start(self, level: Row, state: Row) -> Values:
        """The probability that an episode begins in each state, for the rows of a level."""
        rows, chances = np.empty((4 ** int(level[CATS]), len(state)), np.int16), np.empty(4 ** int(level[CATS]))
        start = np.zeros(len(self.exists) + 2)
        for k in range(beginnings(level, state, rows, chances)):
            start[self.number(level, rows[k])] += chances[k]
        return start


@dataclasses.dataclass(frozen=True, eq=False)
class Solution:
    """The result of value iteration."""

    chain: Chain
    values: Values
    policy: npt.NDArray[np.int8]


@dataclasses.dataclass(frozen=True)
class Expectation:
    """The result of following a policy from a distribution of starts."""

    mean_return: float
    survival: float
    """The probability of reaching the exit."""
    death: float
    steps: float


@rule
def number_of(level, state, digits, base):
    """The number of a state."""
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
    """The table of a maze's turns.

    Raises:
        ValueError: The maze has too many states.
    """
    floor = np.flatnonzero(level[CELLS:] & WALL == 0).astype(np.int32)
    cats = int(level[CATS])
    count, ways = len(floor) ** (1 + cats), 4**cats
    if count * ACTIONS * ways > MOST_ENTRIES:
        raise ValueError(
            f"value iteration over {len(floor)} floor squares and {cats} cats needs a table of "
            f"{count * ACTIONS * ways:,} entries; the maximum is {MOST_ENTRIES:,}"
        )
    digits = np.full(len(level) - CELLS, -1, np.int32)
    digits[floor] = np.arange(len(floor))
    steps, queue = np.empty((2, len(digits)), np.int16)
    steps_to_exit(level, steps, queue)
    chain = Chain(
        digits,
        floor,
        np.zeros(count, np.bool_),
        np.zeros((count, ACTIONS, ways), np.int32),
        np.zeros((count, ACTIONS, ways)),
    )
    rows = np.empty((ways + 1, CAT + _slots(level)), np.int16)
    make_link()(level, digits, floor, steps, rows, chain.exists, chain.successors, chain.chances)
    return chain


def solve(chain: Chain) -> Solution:
    """The optimal policy without a step limit.

    Raises:
        ValueError: In some state no policy is certain to end the episode, so that waiting has no bound.
    """
    values, policy = np.zeros(len(chain.exists) + 2), np.full(len(chain.exists), NO_STATE, np.int8)
    values[WON], values[DEAD] = PRIZE, DEATH
    for _ in range(MOST_SWEEPS):
        if make_improve()(chain.exists, chain.successors, chain.chances, values, values, policy) < TOLERANCE:
            return Solution(chain, values, policy)
    raise ValueError("from some squares no policy is certain to end the episode: there is no optimal expected return")


def best_within(chain: Chain, limit: int) -> Values:
    """The optimal expected returns if an episode is cut off after ``limit`` steps."""
    values, policy = np.zeros(len(chain.exists) + 2), np.full(len(chain.exists), NO_STATE, np.int8)
    values[WON], values[DEAD] = PRIZE, DEATH
    for _ in range(limit):
        fresh = values.copy()
        make_improve()(chain.exists, chain.successors, chain.chances, values, fresh, policy)
        values = fresh
    return values


def expectation(solution: Solution, start: Values, limit: int | None = None) -> Expectation:
    """The result of following the policy of a solution for a number of steps.

    Args:
        solution: The solution.
        start: The probability of each start state, as :meth:`Chain.start` returns them.
        limit: Maximum number of steps; None is no limit.
    """
    chain = solution.chain
    states = np.flatnonzero(chain.exists)
    policy = solution.policy[states]
    successors, chances = chain.successors[states, policy], chain.chances[states, policy]
    where = {"survival": (1.0, 0.0, 0.0), "death": (0.0, 1.0, 0.0), "steps": (0.0, 0.0, 1.0)}
    found = {}
    for name, (won, dead, each) in where.items():
        values = np.zeros(len(chain.exists) + 2)
        values[WON], values[DEAD] = won, dead
        for _ in range(MOST_SWEEPS if limit is None else limit):
            fresh = each + (chances * values[successors]).sum(axis=1)
            change = abs(fresh - values[states]).max()
            values[states] = fresh
            if change < TOLERANCE:
                break
        found[name] = float(start @ values)
    mean = EACH_STEP * found["steps"] + PRIZE * found["survival"] + DEATH * found["death"]
    return Expectation(mean, **found)


def _slots(level: Row) -> int:
    return max(int(level[CATS]), 1)


@functools.cache
def make_link() -> Callable[..., None]:
    """``link(level, digits, floor, steps, rows, exists, successors, chances)``: fills the table of a maze."""

    def link(level, digits, floor, steps, rows, exists, successors, chances):
        state, after, weights = rows[0], rows[1:], np.empty(rows.shape[0] - 1)
        for number in range(exists.shape[0]):
            if not state_of(level, number, floor, state) or steps[state[MOUSE]] == FAR:
                continue
            if outcome(level, state) != 0:
                continue
            exists[number] = True
            for action in range(ACTIONS):
                for k in range(outcomes(level, state, action, after, weights)):
                    ending = outcome(level, after[k])
                    there = WON if ending == SOLVED else DEAD
                    if ending not in (SOLVED, DIED):
                        there = number_of(level, after[k], digits, floor.shape[0])
                    successors[number, action, k] = there
                    chances[number, action, k] = weights[k]

    return compiled(link, "cat-mouse-link")


@functools.cache
def make_improve() -> Callable[..., float]:
    """``improve(exists, successors, chances, values, target, policy) -> float``: one sweep over all states.

    Fills ``target`` with the best values given ``values`` (they may be one array), and ``policy``; returns the
    largest change.
    """

    def improve(exists, successors, chances, values, target, policy):
        most = 0.0
        for number in range(exists.shape[0]):
            if not exists[number]:
                continue
            best = -np.inf
            for action in range(ACTIONS):
                value = EACH_STEP
                for k in range(chances.shape[2]):
                    value += chances[number, action, k] * values[successors[number, action, k]]
                if value > best:
                    best = value
                    policy[number] = action
            most = max(most, abs(best - values[number]))
            target[number] = best
        return most

    return compiled(improve, "cat-mouse-improve")


def action_values(solution: Solution, level: Row, state: Row) -> Values:
    """The expected return of each action in a state, float64[4]; empty if the episode has ended there."""
    chain = solution.chain
    number = chain.number(level, state)
    if not chain.exists[number]:
        return np.empty(0)
    expected: Values = EACH_STEP + (chain.chances[number] * solution.values[chain.successors[number]]).sum(axis=1)
    return expected


def squares_of(chain: Chain, solution_values: Values, level: Row, state: Row) -> dict[int, float]:
    """The value of every square for the mouse, given the cats' positions: square → value."""
    found: dict[int, float] = {}
    row: Any = state.copy()
    for square in chain.floor.tolist():
        row[MOUSE] = square
        number = chain.number(level, row)
        if chain.exists[number]:
            found[square] = float(solution_values[number])
    return found
