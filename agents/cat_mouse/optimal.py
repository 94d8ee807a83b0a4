"""The optimal mouse: plays the policy that value iteration finds for the maze it sees."""

import dataclasses
import functools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.engine.system.process import usable_cores
from gridpuzzles_gym.puzzles.cat_mouse.boards import row_lengths
from gridpuzzles_gym.puzzles.cat_mouse.text import ACTIONS as NAMES

from ..policy import State
from ..puzzle_agents import PuzzleTasks
from ..thoughts import Thoughts
from .maze_agent import MazeAgent, Rows
from .optimum import ACTIONS, Solution, action_values, chain_of, frame_of_solution, make_value_batch, solve, squares_of

MOST_BYTES = 1 << 28
"""Maximum size of all cached solutions; then those of mazes that are not being played are forgotten."""


class Optimal(MazeAgent):
    """The agent; see the module's docstring.

    It maximizes the expected return of an episode without a step limit, and solves each maze when it first sees it.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._solutions: dict[bytes, Solution] = {}
        self._frames: dict[bytes, npt.NDArray[np.int64]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def fresh_memory(self, count: int) -> State:
        """Return the last observation, for its notes: (levels, states)."""
        return tuple(np.zeros((count, size), np.int16) for size in row_lengths(self.extent))

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B].

        Raises:
            ValueError: A maze has too many states, or no policy is certain to end an episode.
        """
        memory[0][:], memory[1][:] = levels, states
        values: npt.NDArray[np.float64] = np.nan_to_num(self._values(levels, states))  # 0 where the episode has ended
        chosen: npt.NDArray[np.int64] = values.argmax(axis=1)
        return chosen

    def values(self, observation: npt.NDArray[Any], state: State | None) -> npt.NDArray[np.float64]:
        """Return the optimal expected return after each action: :class:`~..policy.Valuing`."""
        return self._values(*self.read(observation))

    def _values(self, levels: Rows, states: Rows) -> npt.NDArray[np.float64]:
        keys = [level.tobytes() for level in levels]
        self._solve({key: level for key, level in zip(keys, levels, strict=True) if key not in self._solutions})
        values = np.empty((len(levels), ACTIONS))
        make_value_batch()(np.array([self._frames[key] for key in keys]), levels, states, values)
        if sum(map(_size, self._solutions.values())) > MOST_BYTES:
            for key in self._solutions.keys() - set(keys):
                del self._solutions[key], self._frames[key]
        return values

    def _solve(self, levels: Mapping[bytes, Row]) -> None:
        """Solve mazes, in several threads if they are many."""
        if len(levels) > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(usable_cores())
        each = map if len(levels) < 2 or self._pool is None else self._pool.map
        for key, solution in zip(levels, each(_solved, levels.values()), strict=True):
            self._solutions[key], self._frames[key] = solution, frame_of_solution(solution)

    def solution(self, level: Row) -> Solution:
        """Return the solution of a maze, computed once."""
        key = level.tobytes()
        if key not in self._solutions:
            self._solve({key: level})
        return self._solutions[key]

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the expected returns of squares and actions: :meth:`~..thoughts.Explaining.thoughts`."""
        if state is None:
            return Thoughts()
        level, here = state[0][i], state[1][i]
        solution = self.solution(level)
        found = squares_of(solution.chain, solution.values, level, here)
        values = {divmod(square, self.extent[1]): value for square, value in found.items()}
        notes = {square: f"{value:.0f}" for square, value in values.items()}
        expected = action_values(solution, level, here)
        figures = {name: f"{value:.1f}" for name, value in zip(NAMES, expected, strict=False)}
        return Thoughts(notes, {"980": "expected return from there"}, values, "expected return", figures=figures)


def _solved(level: Row) -> Solution:
    solution = solve(chain_of(level))
    return dataclasses.replace(solution, chain=solution.chain.without_turns())


def _size(solution: Solution) -> int:
    return solution.values.nbytes + solution.landed.nbytes + solution.chain.landings.nbytes


def action_values_of(level: Row, state: Row) -> npt.NDArray[np.float64]:
    """Return the optimal expected return of each action, float64[4]; empty if the episode has ended.

    Raises:
        ValueError: The maze has too many states, or no policy is certain to end an episode.
    """
    return action_values(_solution(level.tobytes()), level, state)


@functools.lru_cache(4)
def _solution(level: bytes) -> Solution:
    return solve(chain_of(np.frombuffer(level, np.int16)))


TASKS = PuzzleTasks(
    difficulties={
        "CatMouse-v0": {
            "best-action": {
                "easy": {"levels": {"size": 7, "loops": 1, "cats": 1}, "changes": (0, 12)},
                "medium": {"levels": {"size": 9, "loops": 2, "cats": 1}, "changes": (0, 24)},
                "hard": {"levels": {"size": [9, 7], "loops": 2, "cats": 2}, "changes": (0, 24)},
            }
        }
    },
    action_values=action_values_of,
)
"""What the tasks for language models need to know."""
