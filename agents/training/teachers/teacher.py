"""Teachers, which label the states of the environments that a learner plays with the actions to take.

A teacher is asked at every step, also after mistakes of the learner (S. Ross, G. Gordon, D. Bagnell, "A reduction
of imitation learning and structured prediction to no-regret online learning", AISTATS 2011). It may see more than the
learner: the environments' states, as any observation of the puzzle.
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.batch import Batch


class Labels(NamedTuple):
    """A teacher's actions in B states."""

    probabilities: npt.NDArray[np.float32]
    """float32[B, A]: the probability of each action; the sum is 1 where it is known, otherwise 0."""
    known: npt.NDArray[np.bool_]
    """bool[B]: False where the teacher has no advice: the position is lost, or its search has not found a plan."""
    actions: npt.NDArray[np.int64]
    """int64[B]: a most probable action, for playing; any action where it is unknown."""


class Teacher(Protocol):
    """Labels the current states of a batch of environments with actions."""

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return the actions to take now.

        Args:
            batch: The environments.
            starting: bool[B]: True in the first state of an episode.
        """
        ...

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Record the actions, int64[B], that have been chosen since the last call of :meth:`label`."""
        ...
