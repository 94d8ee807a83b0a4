"""The optimal policy of a mouse in a maze: value iteration over all positions of mouse and cats.

There is no discount. The arrays besides those of the maze's table (:mod:`.chain`), by the number of a position:

    array     dtype    shape      holds
    values    float64  [N + 2]    the optimal expected return from there on
    landed    float64  [N + 2]    the same in the middle of a turn, before the cats move
    policy    int8     [N]        an optimal action; NO_STATE if there is no such state
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, routine
from gridpuzzles_gym.engine.compile.memory import frame_of, frame_reader
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import DEATH, EACH_STEP, MOUSE, PRIZE

from .chain import ACTIONS, DEAD, WON, Chain, Values, number_of

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
            number = number_of(levels[i], states[i], digits, floor.shape[0])
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
