"""The optimal mouse: plays the policy that value iteration finds for the maze it sees."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.puzzle import Row
from gridpuzzles_gym.puzzles.cat_mouse.boards import sizes
from gridpuzzles_gym.puzzles.cat_mouse.rules import EXIT, MOUSE, legal, mouse_moves
from gridpuzzles_gym.puzzles.cat_mouse.text import ACTIONS as NAMES

from ..policy import State
from ..thoughts import LINE, Thoughts
from .maze_agent import MazeAgent, Rows
from .values import ACTIONS, Solution, action_values, chain_of, solve, squares_of

KEPT = 64
"""Maximum number of cached solutions; then the cache is cleared."""


class Optimal(MazeAgent):
    """The agent; see the module's docstring.

    It maximizes the expected return of an episode without a step limit, and solves each maze when it first sees it.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._solutions: dict[bytes, Solution] = {}

    def fresh_memory(self, count: int) -> State:
        """The last observation, for its notes: (levels, states)."""
        return tuple(np.zeros((count, size), np.int16) for size in sizes(self.extent))

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B].

        Raises:
            ValueError: A maze has too many states, or no policy is certain to end an episode.
        """
        memory[0][:], memory[1][:] = levels, states
        actions = np.zeros(len(levels), np.int64)
        for i, (level, state) in enumerate(zip(levels, states, strict=True)):
            solution = self.solution(level)
            number = solution.chain.number(level, state)
            if solution.chain.exists[number]:  # not where the episode has ended
                actions[i] = solution.policy[number]
        return actions

    def solution(self, level: Row) -> Solution:
        """The solution of a maze, computed once."""
        key = level.tobytes()
        if key not in self._solutions:
            if len(self._solutions) == KEPT:
                self._solutions.clear()
            self._solutions[key] = solve(chain_of(level))
        return self._solutions[key]

    def values(self, observation: npt.NDArray[Any], state: State | None) -> npt.NDArray[np.float64]:
        """Return the optimal expected return after each action: :class:`~..policy.Valuing`."""
        values = np.full((len(observation), ACTIONS), np.nan)
        for i, (level, here) in enumerate(zip(*self.read(observation), strict=True)):
            expected = action_values(self.solution(level), level, here)
            values[i] = expected if len(expected) else np.nan
        return values

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """The expected returns of squares and of actions, given the cats' positions: :class:`~..thoughts.Explaining`.

        The path is where its policy leads while the cats stay where they are.
        """
        if state is None:
            return Thoughts()
        level, here = state[0][i], state[1][i]
        solution = self.solution(level)
        found = squares_of(solution.chain, solution.values, level, here)
        values = {divmod(square, self.extent[1]): value for square, value in found.items()}
        notes = {square: f"{value:.0f}" for square, value in values.items()}
        legend = {"980": "expected return from there", LINE: "its way, while the cats stay where they are"}
        expected = action_values(solution, level, here)
        figures = {name: f"{value:.1f}" for name, value in zip(NAMES, expected, strict=False)}
        path = self.places(self._way(solution, level, here))
        return Thoughts(notes, legend, values, "expected return", path=path, figures=figures)

    def _way(self, solution: Solution, level: Row, state: Row) -> list[int]:
        """The squares on which the policy leads the mouse while no cat moves, up to where it waits."""
        state, way = state.copy(), [int(state[MOUSE])]
        while solution.chain.exists[number := solution.chain.number(level, state)] and way[-1] != level[EXIT]:
            action = int(solution.policy[number])
            if not legal(level, state, action):
                break
            mouse_moves(level, state, action)
            if state[MOUSE] in way:
                break
            way.append(int(state[MOUSE]))
        return way
