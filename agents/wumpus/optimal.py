"""The agent that attains the optimum of the Wumpus World: ``docs/wumpus-optimum.md`` says what that is.

It needs percepts alone, as every agent; what it does about them is looked up in a table, which
:mod:`.optimum` works out for caves of at most 16 squares, once.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.setup import setup_of
from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from ..policy import State, starts_of
from .cave_agent import STEP_LIMIT, CaveAgent, read_percepts
from .optimum import playing
from .optimum.policy import load_or_solve
from .optimum.world import make_world


class Memory(NamedTuple):
    """What :class:`Optimal` remembers, the ``state`` of its ``predict()``."""

    rows: npt.NDArray[np.int64]
    """[B, 11], drawn at the top of :mod:`.optimum.playing`."""


class Optimal(CaveAgent):
    """The agent; see the module's docstring. Its table is worked out when it is made, unless it is on disk.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        pits: How many pits are drawn.
        climb: Is there an action that leaves the cave?
        limit: Steps after which an episode is truncated.

    Raises:
        ValueError: The cave is too large to be solved.
    """

    def __init__(self, height: int, width: int, pits: int = 3, climb: bool = False, limit: int = 100) -> None:
        super().__init__(height, width, ((height - 1) * width, EAST))
        self.optimum = load_or_solve(height, width, pits, climb, limit)
        self.world = make_world(height, width, pits, climb, limit)

    @classmethod
    def for_env(cls, env: Any) -> Self:
        """The agent for an environment of the Wumpus World, single or vector, wrapped or not.

        Raises:
            ValueError: The environment's caves are not drawn with a number of pits, are too large, or are scored
                as the textbook does.
        """
        setup = setup_of(env)
        options = setup.options
        if not setup.generated or options.pit_probability is not None:
            raise ValueError("the optimum is known for drawn caves with a number of pits, without levels= or "
                             "pit_probability=; agent 'bayesian' plays all")  # fmt: skip
        if options.reward != "peas":
            raise ValueError(
                f"the optimum is known for reward='peas', not {options.reward!r}; agent 'bayesian' plays both"
            )
        height, width = setup.extent
        return cls(height, width, options.pits, options.climb, setup.limit or STEP_LIMIT)

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, Memory]:
        """Choose actions: :meth:`gridpuzzles_gym.agents.policy.Policy.predict`.

        Args:
            observation: Any of the puzzle's three, one or a batch.
            state: A :class:`Memory`; it is not changed.
            episode_start: bool[B].
            deterministic: Makes no difference.

        Raises:
            ValueError: Arrays of other shapes.
        """
        views, single = self.views_of(observation)
        count = len(views)
        starting = starts_of(episode_start, count)
        if state is None:
            rows, starting = np.zeros((count, playing.MEMORY), np.int64), np.ones(count, np.bool_)
        else:
            rows = state[0].copy()
            if len(rows) != count:
                raise ValueError(f"the state is of {len(rows)} environments, the observation of {count}")
        actions = np.empty(count, np.int64)
        table, percepts = self.optimum, read_percepts(views)
        playing.make_decide_batch()(self.world, table.keys, table.moves, percepts, starting, EAST, rows, actions)
        return actions[0] if single else actions, Memory(rows)
