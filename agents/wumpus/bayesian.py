"""The Bayesian agent of the Wumpus World: computes exact probabilities, and maximises its expected return.

:mod:`.belief` computes the probabilities of pits, wumpus and gold on each square; :mod:`.lookahead` decides by them.
The agent knows how caves are generated, as every player does; for given caves (``levels=``) it assumes that each
square has a pit with the environment's ``pit_probability``, or the textbook's 0.2.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.puzzles.wumpus import observing

from ..agent_kernels import AgentKernels, blank, constants_of
from ..policy import State
from ..thoughts import Thoughts
from . import belief, lookahead
from .belief import CELLS, DANGER, FALLBACK, GLITTER, GOLD, LAST, ROCK, VISITED
from .cave_agent import ODDS_LEGEND, CaveAgent, odds_note, read_percepts, shared_arrays, start_of
from .lookahead import make_decide_batch

ENDLESS = 30_000
"""The step limit that means none: giving up costs so much that any chance is taken."""


class Memory(NamedTuple):
    """The memory of :class:`Bayesian`, the ``state`` of its ``predict()``."""

    rows: npt.NDArray[np.int16]
    """[B, M], see the top of :mod:`.belief`."""
    beliefs: npt.NDArray[np.float64]
    """[B, 4, H*W]: computed from the rows; see :func:`.belief.believe`."""


class Bayesian(CaveAgent):
    """The agent; see the module's docstring.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        start: (square, facing) where episodes begin; None reads it from the first observation.
        pits: Number of pits; None if each square has one with ``pit_probability``.
        pit_probability: That probability.
        climb: Is there an action that leaves the cave?
        limit: Number of steps after which an episode is truncated.
    """

    last_column, remembers = LAST, Memory._make

    def __init__(
        self,
        height: int,
        width: int,
        start: tuple[int, int] | None,
        pits: int | None = 3,
        pit_probability: float = FALLBACK,
        climb: bool = False,
        limit: int = 100,
    ) -> None:
        super().__init__(height, width, start)
        self.pit_probability = pit_probability
        self.settings = np.array([height, width, -1 if pits is None else pits, climb, limit], np.int64)

    @classmethod
    def for_env(cls, env: Any) -> Self:
        """Return the agent for an environment of the Wumpus World, single or vector, wrapped or not.

        Raises:
            ValueError: The environment's caves begin in different places, and its observation does not show where.
        """
        config = config_of(env)
        options = config.options
        probability = options.pit_probability
        height, width = config.extent
        return cls(
            height,
            width,
            start_of(config),
            options.pits if config.generated and probability is None else None,
            FALLBACK if probability is None else probability,
            options.climb,
            config.limit or ENDLESS,
        )

    def fresh_memory(self, count: int) -> Memory:
        """Return the memory before the first percept."""
        squares = self.height * self.width
        return Memory(np.zeros((count, CELLS + squares), np.int16), np.zeros((count, 4, squares)))

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: Memory) -> npt.NDArray[np.int64]:
        """Choose by any of the puzzle's observations; of planes only rock, the start and the percepts here are used."""
        actions = np.empty(len(views), np.int64)
        starts, known, percepts = self.starts_in(views, starting), self._known(views), read_percepts(views)
        make_decide_batch()(self.settings, percepts, self.pit_probability, starting, starts, known, *memory, actions)
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the danger of each square (row, column) in environment ``i`` and the odds of gold, in per cent."""
        if state is None:
            return Thoughts()
        cells, belief = state[0][i, CELLS:], state[1][i]
        notes, dangers = {}, {}
        found = bool((cells & GLITTER).any())  # and taken at once, so that its belief need not know
        for square in np.flatnonzero(cells & (VISITED | ROCK) == 0).tolist():
            place = divmod(square, self.width)
            dangers[place] = float(belief[DANGER, square])
            notes[place] = odds_note(dangers[place], 0.0 if found else float(belief[GOLD, square]))
        return Thoughts(notes, ODDS_LEGEND, dangers, "probability of death")

    def _known(self, views: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
        """int16[B, H*W]: ROCK where the observation shows it."""
        rock = np.zeros((len(views), self.height, self.width), np.bool_)
        if views.ndim == 4 and views.shape[1] == len(observing.PLANES):
            rock = views[:, observing.WALL_P] != 0
        known = np.where(rock, np.int16(ROCK), np.int16(0))
        return known.reshape(len(views), -1)


def as_kernels(agent: Bayesian) -> AgentKernels:
    """Return the agent as a kernel."""
    squares = agent.height * agent.width
    arrays = {
        "settings": agent.settings,
        "chance": np.float64(agent.pit_probability),
        "known": blank(1, squares),
        "memory": blank(1, CELLS + squares),
        "beliefs": blank(1, 4, squares, dtype=np.float64),
    }
    constants = constants_of(lookahead, belief)
    return AgentKernels("percepts", "percepts", (make_decide_batch(),), {**shared_arrays(agent), **arrays}, constants)
