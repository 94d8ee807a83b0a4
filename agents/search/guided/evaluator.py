"""What a search needs of a network: its policy and its value in many states at once."""

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row


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
