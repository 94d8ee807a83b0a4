"""The optimal expected return of a mouse, as a function of a maze and a state."""

import dataclasses

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import CELLS, EACH_STEP, MOUSE, PRIZE

from .chain import Chain, Values, chain_of
from .shortest_path import FAR, steps_to_exit
from .values import solve

MOST_BYTES = 1 << 27
"""Maximum size of all remembered mazes; then the oldest are forgotten."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Maze:
    """What is remembered of a maze: its values, or only the distances if they are unknown."""

    steps: npt.NDArray[np.int16]
    """From each square to the exit, without cats."""
    chain: Chain | None = None
    values: Values | None = None

    def value(self, level: Row, state: Row) -> float | None:
        if self.chain is None or self.values is None:
            steps = int(self.steps[state[MOUSE]])
            return None if steps == FAR else PRIZE + EACH_STEP * steps
        number = self.chain.number(level, state)
        return float(self.values[number]) if self.chain.exists[number] else None

    @property
    def size(self) -> int:
        arrays = () if self.chain is None or self.values is None else (self.chain.exists, self.values)
        return self.steps.nbytes + sum(array.nbytes for array in arrays)


class ExpectedReturn:
    """The function; it solves each maze once.

    In a maze that has too many states, or no optimal return, it is the return of the shortest way to the exit without
    cats, which is an upper bound.
    """

    def __init__(self) -> None:
        self._mazes: dict[bytes, _Maze] = {}
        self._bytes = 0

    def __call__(self, level: Row, state: Row) -> float | None:
        """Return the optimal expected return from an unfinished state; None if the exit cannot be reached."""
        key = level.tobytes()
        maze = self._mazes.get(key)
        if maze is None:
            maze = _solved(level)
            self._bytes += maze.size
            while self._mazes and self._bytes > MOST_BYTES:
                self._bytes -= self._mazes.pop(next(iter(self._mazes))).size
            self._mazes[key] = maze
        return maze.value(level, state)


def _solved(level: Row) -> _Maze:
    steps, queue = np.empty((2, len(level) - CELLS), np.int16)
    steps_to_exit(level, steps, queue)
    steps = steps.copy()
    try:
        solution = solve(chain_of(level))
    except ValueError:
        return _Maze(steps)
    chain = solution.chain.without_turns()
    less = dataclasses.replace(chain, landings=chain.landings[:0].copy(), bounds=chain.bounds[:0].copy())
    return _Maze(steps, less, solution.values)
