"""The distance of every board of at most nine squares from the goal, and the agent that looks it up.

Backward breadth-first search numbers each board by the rank of its tiles among all permutations (Lehmer's code); the
181,440 boards of the 8-puzzle take a fifth of a second.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.bits import popcount
from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.puzzle import Extent
from gridpuzzles_gym.puzzles.n_puzzle.boards import Tiles, make_rows, row_lengths
from gridpuzzles_gym.puzzles.n_puzzle.rules import EACH_STEP, PRIZE, TILES, finish, legal, slide

from ..policy import BatchAgent, State

MOST_SQUARES = 9
ACTIONS = 4
UNKNOWN = -1
"""The distance of a board from which the goal cannot be reached."""


class DistanceTable(BatchAgent):
    """Plays a shortest solution, and knows the value of every move.

    Args:
        env: One of the suite's environments of sliding tiles, single or vector, wrapped or not.

    Raises:
        ValueError: Its boards have more than nine squares.
    """

    def __init__(self, env: Any) -> None:
        config = config_of(env)
        height, width = self.extent = config.extent
        if height * width > MOST_SQUARES:
            raise ValueError(f"a board of {width}x{height} squares is too large; the maximum is {MOST_SQUARES} squares")
        self.shape = config.space.shape or ()
        goal = config.options.solution()
        self.level = make_rows(goal, goal, self.extent)[0]
        self.table = table_of(goal, self.extent)

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[np.int64]:
        """Choose the best actions; of equal ones, the first."""
        return np.asarray(np.nan_to_num(self.values(views, memory)).argmax(axis=1), np.int64)

    def values(self, observation: npt.NDArray[Any], state: State | None) -> npt.NDArray[np.float64]:
        """Return the return of a shortest solution after each action: :class:`~..policy.Valuing`."""
        views = np.ascontiguousarray(observation, np.uint8).reshape(len(observation), observation.shape[1], -1)
        values = np.empty((len(views), ACTIONS))
        make_value_batch()(self.level, self.table, views, values)
        return values


@functools.lru_cache(8)
def table_of(goal: Tiles, extent: Extent) -> npt.NDArray[np.int8]:
    """Return int8[N!]: the distance of each board, by its rank, from a goal; UNKNOWN if it cannot be solved."""
    level, state = make_rows(goal, goal, extent)
    table = np.full(factorial(len(goal)), UNKNOWN, np.int8)
    queue = np.empty((factorial(len(goal)) // 2, row_lengths(extent)[1]), np.int16)
    queue[0] = state
    make_measure()(level, queue, table)
    return table


@rule
def rank(state):
    """Return the number of a board among all permutations of its tiles."""
    squares, used, number = state.shape[0] - TILES, np.int64(0), np.int64(0)
    for square in range(squares):
        bit = np.int64(1) << state[TILES + square]
        number = number * (squares - square) + state[TILES + square] - popcount(used & (bit - 1))
        used |= bit
    return number


@rule
def read(level, view, state):
    """Write the board that ``view`` [C, N] shows: its tiles, or a plane for each of them."""
    for square in range(view.shape[1]):
        for tile in range(view.shape[0]):
            if view.shape[0] == 1:
                state[TILES + square] = view[0, square]
            elif view[tile, square]:
                state[TILES + square] = tile
    finish(level, state)


@functools.cache
def make_measure() -> Callable[..., None]:
    """``measure(level, queue, table)``: breadth-first from the board in the first row of ``queue``."""

    def measure(level, queue, table):
        table[rank(queue[0])] = 0
        head, tail = 0, 1
        while head < tail:
            state = queue[head]
            distance = table[rank(state)]
            head += 1
            for action in range(ACTIONS):
                if legal(level, state, action):
                    slide(level, state, action)
                    number = rank(state)
                    if table[number] == UNKNOWN:
                        table[number] = distance + 1
                        copy_row(state, queue[tail])
                        tail += 1
                    slide(level, state, action ^ 1)

    return compiled(measure, "n_puzzle-distances")


@functools.cache
def make_value_batch() -> Callable[..., None]:
    """``value_batch(level, table, views, values)``: fills ``values`` [B, A] for observations ``views`` [B, C, N]."""

    def value_batch(level, table, views, values):
        state = np.empty(TILES + views.shape[2], np.int16)
        for i in range(views.shape[0]):
            read(level, views[i], state)
            here = table[rank(state)]
            for action in range(ACTIONS):
                after = here
                if legal(level, state, action):
                    slide(level, state, action)
                    after = table[rank(state)]
                    slide(level, state, action ^ 1)
                values[i, action] = np.nan if here == UNKNOWN else PRIZE + EACH_STEP * (1 + after)

    return compiled(value_batch, "n_puzzle-distance-values")
