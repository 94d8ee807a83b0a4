"""The optimal agent as a teacher: it also acts in states that its own policy never reaches."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from ..policy import State
from .optimal import Memory, Optimal
from .optimum import off_policy
from .optimum.playing import LAST
from .optimum.policy import new_bounds
from .optimum.solver import new_stack


class Tutor(Optimal):
    """The agent; see the module's docstring.

    It plays optimally until :meth:`acted` reports another action; from there on it chooses the most promising moves.
    The rows of its memory are longer, see :mod:`.optimum.off_policy`.
    """

    columns: ClassVar[int] = off_policy.LONGER_MEMORY

    def __init__(self, height: int, width: int, pits: int = 3, climb: bool = False, limit: int = 100) -> None:
        super().__init__(height, width, pits, climb, limit)
        self._bounds, self._stack = new_bounds(), new_stack()

    def decide(
        self,
        percepts: npt.NDArray[np.int8],
        starting: npt.NDArray[np.bool_],
        rows: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
    ) -> None:
        """Fill ``actions`` by the table, or by bounds where it strayed: :meth:`.wumpus.optimal.Optimal.decide`."""
        table, bounds, stack = self.optimum, self._bounds, self._stack
        decide_batch = off_policy.make_decide_batch()
        decide_batch(self.world, table.keys, table.moves, bounds, stack, percepts, starting, EAST, rows, actions)

    def acted(self, state: State, actions: npt.NDArray[np.integer[Any]]) -> State:
        """Return the memory as if it had chosen these actions: see :class:`~..policy.Recollecting`."""
        rows = state[0].copy()
        strayed = rows[:, LAST] != actions
        rows[strayed, off_policy.ASTRAY] = rows[strayed, off_policy.DOUBT] = 1
        rows[:, LAST] = actions
        return Memory(rows)
