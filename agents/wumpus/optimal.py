"""The agent that attains the optimum of the Wumpus World, as defined in ``docs/wumpus-optimum.md``.

Like every agent it uses percepts alone; its choices are looked up in a table, which
:mod:`.optimum` computes once for caves of at most 16 squares.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from ..policy import State
from ..thoughts import LINE, Thoughts
from .cave_agent import ODDS_LEGEND, STEP_LIMIT, CaveAgent, odds_note, read_percepts
from .optimum import playing
from .optimum.exact import SHOOT_MOVE, STOP
from .optimum.playing import odds_of, walk_of
from .optimum.policy import load_or_solve
from .optimum.world import CLIMB, make_world


class Memory(NamedTuple):
    """The memory of :class:`Optimal`, the ``state`` of its ``predict()``."""

    rows: npt.NDArray[np.int64]
    """[B, 11], see the top of :mod:`.optimum.playing`."""


class Optimal(CaveAgent):
    """The agent; see the module's docstring. Its table is loaded from disk, or computed if missing.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        pits: Number of pits.
        climb: Is there an action that leaves the cave?
        limit: Number of steps after which an episode is truncated.

    Raises:
        ValueError: The cave is too large to be solved.
    """

    last_column, remembers = playing.LAST, Memory._make

    def __init__(self, height: int, width: int, pits: int = 3, climb: bool = False, limit: int = 100) -> None:
        super().__init__(height, width, ((height - 1) * width, EAST))
        self.optimum = load_or_solve(height, width, pits, climb, limit)
        self.world = make_world(height, width, pits, climb, limit)

    @classmethod
    def for_env(cls, env: Any) -> Self:
        """Return the agent for an environment of the Wumpus World, single or vector, wrapped or not.

        Raises:
            ValueError: The environment's caves do not have a fixed number of pits, are too large, or use the
                textbook's rewards.
        """
        config = config_of(env)
        options = config.options
        if not config.generated or options.pit_probability is not None:
            raise ValueError("the optimum is known for generated caves with a number of pits, not for levels= or "
                             "pit_probability=; agent 'bayesian' supports all")  # fmt: skip
        if options.reward != "peas":
            raise ValueError(
                f"the optimum is known for reward='peas', not {quote(options.reward)}; agent 'bayesian' supports both"
            )
        height, width = config.extent
        return cls(height, width, options.pits, options.climb, config.limit or STEP_LIMIT)

    def fresh_memory(self, count: int) -> Memory:
        """Return the memory before the first percept."""
        return Memory(np.zeros((count, playing.MEMORY), np.int64))

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: Memory) -> npt.NDArray[np.int64]:
        """Choose by any of the puzzle's observations."""
        actions, table, percepts = np.empty(len(views), np.int64), self.optimum, read_percepts(views)
        playing.make_decide_batch()(self.world, table.keys, table.moves, percepts, starting, EAST, *memory, actions)
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the odds of the squares it could enter next, and its path: :meth:`~..thoughts.Explaining.thoughts`."""
        if state is None:
            return Thoughts()
        row = state[0][i]
        caves, odds = odds_of(self.world, row)
        notes = {divmod(square, self.width): odds_note(*each) for square, each in odds.items()}
        dangers = {divmod(square, self.width): danger for square, (danger, _) in odds.items()}
        walk = walk_of(self.world, row)
        path = tuple(divmod(square, self.width) for square in walk) if len(walk) > 1 else ()
        figures = {"aim": self._aim(row), "possible caves": f"{caves:,}"}
        figures["expected at the start"] = f"{self.optimum.value:.1f}"
        legend = {**(ODDS_LEGEND if odds else {}), **({LINE: "where it goes next"} if path else {})}
        return Thoughts(notes, legend, dangers, "probability of death" if odds else "", path=path, figures=figures)

    def _aim(self, row: npt.NDArray[np.int64]) -> str:
        move = int(row[playing.MOVE])
        if row[playing.GLITTER] and not row[playing.HAND]:
            return "take the gold"
        if move == STOP:
            return "go home" if row[playing.HAND] or self.world.facts[CLIMB] else "stay: nothing is worth the risk"
        return "shoot" if move >= SHOOT_MOVE else "explore"
