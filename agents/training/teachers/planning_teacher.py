"""A teacher that searches: it plans in states that no earlier plan leads through."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.config import EnvConfig

from ...puzzle_agents import agents_record
from .plan_memory import LOST, PlanMemory
from .planners import UNDECIDED, Planner
from .teacher import Labels


class PlanningTeacher:
    """Looks up actions in a memory of all its plans, and plans where there are none.

    If no plan is found, the position counts as lost until the end of the episode, or until a plan of another
    environment leads through it.

    Args:
        config: The configuration of the environments.
        planners: The planners; each is used where those before it reached their limits.
    """

    def __init__(self, config: EnvConfig, planners: Sequence[Planner]) -> None:
        self.planners = planners
        self.actions = len(config.action_names)
        width, squares = config.puzzle.sizes(config.extent)[1], config.extent[0] * config.extent[1]
        walker = agents_record(config.puzzle).walker
        self.memory = PlanMemory(config.puzzle, self.actions, squares, width, walker)
        self._lost = np.zeros(0, np.bool_)

    def label(self, batch: Batch, starting: npt.NDArray[np.bool_]) -> Labels:
        """Return the labels of its plans: :meth:`~.teacher.Teacher.label`."""
        if len(self._lost) != batch.size:
            self._lost = np.zeros(batch.size, np.bool_)
        self._lost &= ~starting
        bits = np.zeros(batch.size, np.int64)
        keys = self.memory.look_up(batch, np.arange(batch.size), bits)
        missing = np.flatnonzero((bits == 0) & ~self._lost)
        if len(missing):
            _, firsts = np.unique(keys[missing], return_index=True)
            self._plan(batch, missing[firsts], starting)
            self.memory.look_up(batch, missing, bits)
        known = bits > 0
        self._lost |= bits == LOST
        probabilities = (np.where(known, bits, 0)[:, None] >> np.arange(self.actions) & 1).astype(np.float32)
        probabilities /= np.maximum(probabilities.sum(axis=1, keepdims=True), 1)
        return Labels(probabilities, known, probabilities.argmax(axis=1))

    def acted(self, actions: npt.NDArray[np.int64]) -> None:
        """Do nothing: plans depend on states only."""

    def _plan(self, batch: Batch, which: npt.NDArray[np.int64], starting: npt.NDArray[np.bool_]) -> None:
        for planner in self.planners:
            plans, lengths = planner.plan(batch, which, starting[which])
            undecided = (lengths == UNDECIDED) & (planner is not self.planners[-1])
            lengths = np.maximum(lengths, LOST)
            self.memory.store(batch, which[~undecided], plans[~undecided], lengths[~undecided])
            which = which[undecided]
            if not len(which):
                return
