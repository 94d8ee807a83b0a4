"""The optimal agent as a teacher: it also knows what to do where it would never have got to itself."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from ..policy import State, starts_of
from .cave_agent import read_percepts
from .optimal import Memory, Optimal
from .optimum import straying
from .optimum.playing import LAST
from .optimum.policy import new_bounds
from .optimum.solver import new_stack


class Tutor(Optimal):
    """The agent; see the module's docstring.

    It plays optimally until it is told that it did something else; from there on it chooses the most promising moves.
    The rows of its memory are longer, see :mod:`.optimum.straying`.
    """

    def __init__(self, height: int, width: int, pits: int = 3, climb: bool = False, limit: int = 100) -> None:
        super().__init__(height, width, pits, climb, limit)
        self._bounds, self._stack = new_bounds(), new_stack()

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, Memory]:
        """Choose actions: :meth:`.optimal.Optimal.predict`."""
        views, single = self.views_of(observation)
        count = len(views)
        starting = starts_of(episode_start, count)
        if state is None:
            rows, starting = np.zeros((count, straying.LONGER_MEMORY), np.int64), np.ones(count, np.bool_)
        else:
            rows = state[0].copy()
            if len(rows) != count:
                raise ValueError(f"the state has {len(rows)} environments, the observation {count}")
        actions, table, percepts = np.empty(count, np.int64), self.optimum, read_percepts(views)
        bounds, stack = self._bounds, self._stack
        straying.make_decide_batch()(
            self.world, table.keys, table.moves, bounds, stack, percepts, starting, EAST, rows, actions
        )
        return actions[0] if single else actions, Memory(rows)

    def acted(self, state: State, actions: npt.NDArray[np.integer[Any]]) -> State:
        """Return the memory as if it had chosen these actions: see :class:`~..policy.Recollecting`."""
        rows = state[0].copy()
        strayed = rows[:, LAST] != actions
        rows[strayed, straying.ASTRAY] = rows[strayed, straying.DOUBT] = 1
        rows[:, LAST] = actions
        return Memory(rows)
