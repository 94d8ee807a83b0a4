"""The online-search agent of the Wumpus World: explores by percepts alone, and keeps a map of marks.

Until it sees the gold it chooses the first possible of these:

1. a safe unvisited neighbour;
2. the nearest safe unvisited square, by breadth-first search over visited squares;
3. the nearest unvisited square that is not certainly bad (a risk if it is suspicious);
4. if the wumpus's square is certain: go to a visited square in its row or column, turn, shoot;
5. a random one of the remaining squares (a risk, and a large one).

When it sees the glitter it grabs the gold, then goes home by the shortest path over visited squares. With
a climb action it climbs out there, with the gold or once nothing is left to try.

:mod:`.marks` describes the inference; with ``marks="original"`` two suspicions are taken for certainty.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.random import RandomBits
from gridpuzzles_gym.engine.scene import Row

from ..policy import State, seed_bits, starts_of
from ..thoughts import Thoughts
from .cave_agent import CaveAgent, read_percepts, start_of
from .decision import make_decide_batch
from .marks import LAST, MARKS, MAYBE_PIT, MAYBE_WUMPUS, SAFE, SURE_GOLD, SURE_PIT, SURE_WUMPUS, VISITED

MARKS_WAYS = ("original", "sound")
_NOTES = (
    (SURE_GOLD, "gold!"),
    (SURE_WUMPUS, "wumpus!"),
    (MAYBE_WUMPUS, "wumpus?"),
    (SURE_PIT, "pit!"),
    (MAYBE_PIT, "pit?"),
)

_LEGEND = {"pit?": "suspected", "pit!": "certain", "safe": "certain to be neither a pit nor the wumpus"}


class Memory(NamedTuple):
    """The memory of :class:`OnlineSearch`, the ``state`` of its ``predict()``."""

    rows: npt.NDArray[np.int16]
    """[B, M], see the top of :mod:`.marks`."""
    random_bits: RandomBits
    """[B], random bits for random risks."""


class OnlineSearch(CaveAgent):
    """The agent; see the module's docstring.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        start: (square, facing) where episodes begin; None reads it from the first observation, which
            requires ``observation="planes"``.
        climb: Is there an action that leaves the cave?
        marks: ``"original"`` or ``"sound"``.
        risk: If False, never enter a square that is not safe; with nothing else left to do, turn on the spot.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.

    Raises:
        ValueError: ``marks`` is not known.
    """

    last_column = LAST

    def __init__(
        self,
        height: int,
        width: int,
        start: tuple[int, int] | None,
        climb: bool = False,
        marks: str = "original",
        risk: bool = True,
        seed: int = 0,
    ) -> None:
        if marks not in MARKS_WAYS:
            raise ValueError(f"marks={quote(marks)} is not known; allowed are {', '.join(map(repr, MARKS_WAYS))}")
        super().__init__(height, width, start)
        self.seed = seed
        self.settings = np.array([height, width, marks == "sound", risk, climb], np.int64)

    @classmethod
    def for_env(cls, env: Any, seed: int = 0, marks: str = "original", risk: bool = True) -> Self:
        """Return the agent for an environment of the Wumpus World, single or vector, wrapped or not.

        Raises:
            ValueError: The environment's caves begin in different places, and its observation does not show where.
        """
        config = config_of(env)
        height, width = config.extent
        return cls(height, width, start_of(config), "climb" in config.action_names, marks, risk, seed)

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, Memory]:
        """Choose actions: :meth:`gridpuzzles_gym.agents.policy.Policy.predict`.

        Args:
            observation: Any of the puzzle's three, one or a batch; of the planes only the percepts on
                the current square and the start square are used.
            state: A :class:`Memory`; it is not modified.
            episode_start: bool[B].
            deterministic: No effect.

        Raises:
            ValueError: Arrays of other shapes, or planes are required to find where the episode begins.
        """
        views, single = self.views_of(observation)
        count = len(views)
        starting = starts_of(episode_start, count)
        if state is None:
            rows = np.zeros((count, MARKS + 2 * self.height * self.width), np.int16)
            random_bits, starting = seed_bits(self.seed, count), np.ones(count, np.bool_)
        else:
            rows, random_bits = state[0].copy(), state[1].copy()
            if len(rows) != count:
                raise ValueError(f"the state has {len(rows)} environments, the observation {count}")
        actions = np.empty(count, np.int64)
        starts = self.starts_in(views, starting)
        make_decide_batch()(self.settings, read_percepts(views), starting, starts, rows, random_bits, actions)
        return actions[0] if single else actions, Memory(rows, random_bits)

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the agent's marks on squares (row, column) in environment ``i``, as short texts for the picture."""
        if state is None:
            return Thoughts()
        row: Row = state[0][i]
        notes = {}
        for square in range(self.height * self.width):
            bits = int(row[MARKS + square])
            words = [word for bit, word in _NOTES if bits & bit]
            if not words and bits & (SAFE | VISITED) == SAFE:
                words = ["safe"]
            if words:
                notes[divmod(square, self.width)] = " ".join(words)
        return Thoughts(notes, _LEGEND)
