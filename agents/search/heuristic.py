"""What a search knows about a state: the interface of heuristics, and what it needs of a network."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numba import int16, int64, uint8

from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row

HEURISTIC_SIGNATURE = int64(int16[::1], int16[::1], uint8[::1])
"""The type of every compiled heuristic: a search loop takes any heuristic as an argument without being recompiled."""

DEAD_END = 2**31 - 1
"""The estimate of a state from which the goal cannot be reached: searches discard it."""

Tables = npt.NDArray[np.uint8]
"""A heuristic's lookup tables, as bytes uint8[T]; may be a memory-mapped file."""


class TableKernels(NamedTuple):
    """How lookup tables that depend on the level are computed without Python."""

    size: Callable[..., Any]
    """``size(level) -> int``, a rule: the number of bytes."""
    fill: Callable[..., Any]
    """``fill(level, tables)``, a rule: the same tables as :attr:`Heuristic.tables`, in ``tables``, uint8[T]."""


@dataclasses.dataclass(frozen=True)
class Heuristic:
    """An estimate of the cost from a state to the goal, in actions; searches call it as a compiled function."""

    name: str
    description: str
    """One-line description for users."""
    evaluate: Callable[..., Any]
    """``evaluate(level, state, tables) -> int``: 0 at the goal, never negative, at most DEAD_END.

    A plain rule over rows, like those in ``rules.py``."""
    tables: Callable[[Row, bool], Tables] | None = None
    """``tables(level, progress) -> uint8[T]``: the lookup tables of ``evaluate`` for boards with this goal, built or
    read from the cache, with an optional progress bar. None: no tables."""
    table_kernels: TableKernels | None = None
    """The same as rules; None: the tables depend on the environment only, not on its level, or there are none."""
    build: Callable[[Row, Any, bool], object] | None = None
    """``build(level, executor, progress)``: build those tables that are saved on disk, on an executor of
    :mod:`..parallel`. None: no tables are saved."""
    admissible: bool = True
    """Never above the true cost, if every action costs 1."""
    consistent: bool = True
    """Decreases by at most 1 per action."""

    def function(self) -> Any:
        """``evaluate``, compiled."""
        return kernel(_compile, self)

    def prepare(self, level: Row, progress: bool = False) -> Tables:
        """Return the lookup tables for a level; empty if the heuristic has none."""
        return np.zeros(1, np.uint8) if self.tables is None else self.tables(level, progress)


def _compile(heuristic: Heuristic) -> Any:
    evaluate = heuristic.evaluate
    # Two puzzles may have heuristics of the same name: the module name keeps their machine code apart.
    title = f"the heuristic {heuristic.name}"
    return compiled(evaluate, f"{evaluate.__module__}-{heuristic.name}", HEURISTIC_SIGNATURE, title)


def _nothing(level: Row, state: Row, tables: Tables) -> int:
    return 0


ZERO = Heuristic("zero", "0 everywhere (uninformed)", _nothing)


class Evaluation(NamedTuple):
    """What a network says about a batch of states."""

    log_policy: npt.NDArray[np.float64]
    """float64[B, A]: the logarithm of the probability of each action, -inf for those that are not allowed. In
    deterministic puzzles only legal actions are allowed; all are where none is legal."""
    values: npt.NDArray[np.float64]
    """float64[B]: the expected discounted return from each state, in the rewards of :attr:`Evaluator.options`."""
    distances: npt.NDArray[np.float64]
    """float64[B]: the estimated number of actions to the goal, at least 0 and finite."""


class Evaluator(Protocol):
    """A network that evaluates states of one puzzle."""

    discount: float
    """The discount per step of its values."""
    options: Any
    """The puzzle's options with the reward scheme of its values: that of its training."""

    def evaluate(
        self, levels: npt.NDArray[np.int16], states: npt.NDArray[np.int16], as_played: bool = False
    ) -> Evaluation:
        """Evaluate states.

        Args:
            levels: The levels of the states, int16[B, L].
            states: The states, int16[B, S].
            as_played: Evaluate them as the network does when it plays by itself: that may be by the mean over the eight
                orientations of the board. Otherwise it is by the board as it is, in an eighth of the time.
        """
        ...


def of_one_level(evaluator: Evaluator, level: Row, states: npt.NDArray[np.int16]) -> Evaluation:
    """Evaluate states int16[B, S] of one level int16[L]."""
    return evaluator.evaluate(np.repeat(level[None], len(states), axis=0), states)
