"""What an estimate of the remaining cost is, to every search alike."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int16, int64, uint8

from gridpuzzles_gym.engine.compilation import compiled
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import Row

HEURISTIC_SIGNATURE = int64(int16[::1], int16[::1], uint8[::1])
"""The type of every compiled heuristic: a search loop compiled for it takes any as an argument."""

DEAD_END = 2**31 - 1
"""The estimate of a state from which the goal cannot be reached: searches drop it."""

Tables = npt.NDArray[np.uint8]
"""What a heuristic looks up, as bytes uint8[T]; it may lie in a file."""


@dataclasses.dataclass(frozen=True)
class Heuristic:
    """An estimate of the cost from a state to the goal, in actions; a compiled function value to the searches."""

    name: str
    description: str
    """One line for people."""
    evaluate: Callable[..., Any]
    """``evaluate(level, state, tables) -> int``: 0 at the goal, never negative, at most DEAD_END.

    A plain function over rules, as those in ``rules.py`` are."""
    tables: Callable[[Row, bool], Tables] | None = None
    """``tables(level, progress) -> uint8[T]``: what ``evaluate`` looks up for boards with this goal, built or
    read from the cache, with a progress bar if wanted. None: nothing."""
    admissible: bool = True
    """Never more than the true cost, where every action costs 1."""
    consistent: bool = True
    """Falls by at most 1 an action."""

    def function(self) -> Any:
        """``evaluate``, compiled."""
        return kernel(_compile, self)

    def prepare(self, level: Row, progress: bool = False) -> Tables:
        """The tables for a level; empty where none are needed."""
        return np.zeros(1, np.uint8) if self.tables is None else self.tables(level, progress)


def _compile(heuristic: Heuristic) -> Any:
    evaluate = heuristic.evaluate
    # Two puzzles may each have a heuristic of one name: the module tells their machine code apart.
    return compiled(evaluate, f"{evaluate.__module__}-{heuristic.name}", HEURISTIC_SIGNATURE)


def _nothing(level: Row, state: Row, tables: Tables) -> int:
    return 0


ZERO = Heuristic("zero", "knows nothing: 0 everywhere", _nothing)
