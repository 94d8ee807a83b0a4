"""Base of the agents of the Wumpus World: percepts and the start of episodes from any observation; geometry."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.puzzles.wumpus import observing
from gridpuzzles_gym.puzzles.wumpus.rules import EAST, NORTH, SOUTH

from ..agent_kernels import blank, caller_arrays
from ..policy import BatchAgent, State, as_batch

HEIGHT, WIDTH = range(2)
"""The first two of every agent's ``settings``: the cave's size."""
STENCH_FELT, BREEZE_FELT, GLITTER_SEEN, BUMPED, SCREAMED = range(5)
"""``percepts`` int8[5], in the order of the observation."""


@rule
def neighbour(settings, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave."""
    height, width = settings[HEIGHT], settings[WIDTH]
    row, column = square // width, square % width
    if facing == NORTH:
        row -= 1
    elif facing == SOUTH:
        row += 1
    elif facing == EAST:
        column += 1
    else:
        column -= 1
    if row < 0 or row >= height or column < 0 or column >= width:
        return -1
    return row * width + column


STEP_LIMIT = 100
"""The step limit of Wumpus-v0: the default if the environment's limit is not known."""
ODDS_LEGEND = {"30 %": "probability of a pit or the live wumpus", "gold 7": "probability of the gold, in per cent"}
"""The meaning of the notes of :func:`odds_note`."""


def odds_note(danger: float, gold: float) -> str:
    """Return the probabilities of death and of gold on a square as a short text."""
    words = "safe" if danger < 1e-9 else f"{100 * danger:.0f} %"
    return f"{words}, gold {100 * gold:.0f}" if gold >= 0.005 else words


class CaveAgent(BatchAgent):
    """An agent that uses only the percepts in its observations, and remembers the rest.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        start: (square, facing) where episodes begin; None reads it from the first observation, which
            requires ``observation="planes"``.
    """

    last_column: int
    """The column of the memory's rows that holds the last action."""

    def __init__(self, height: int, width: int, start: tuple[int, int] | None) -> None:
        self.height, self.width, self.start = height, width, start

    def views_of(self, observation: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], bool]:
        """Return the observation as a batch, and whether it was a single one.

        Raises:
            ValueError: It has another shape.
        """
        observation = np.asarray(observation)
        if observation.ndim <= 2:
            shape: tuple[int, ...] = (len(observing.PERCEPTS),)
        elif observation.shape[-3] == len(observing.EGOCENTRIC):
            shape = (len(observing.EGOCENTRIC), observing.SIDE, observing.SIDE)
        else:
            shape = (len(observing.PLANES), self.height, self.width)
        return as_batch(observation, shape)

    def acted(self, state: State, actions: npt.NDArray[np.integer[Any]]) -> State:
        """Return the memory as if it had chosen these actions: see :class:`~..policy.Recollecting`."""
        rows = state[0].copy()
        rows[:, self.last_column] = actions
        return type(state)(rows, *state[1:])

    def starts_in(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_]) -> npt.NDArray[np.int16]:
        """Where episodes begin, int16[B, 2]: square and facing; updated where ``starting``.

        Raises:
            ValueError: Planes are required to find it.
        """
        starts = np.zeros((len(views), 2), np.int16)
        if self.start is not None:
            starts[:] = self.start
        elif starting.any():
            if views.ndim != 4 or views.shape[1] != len(observing.PLANES):
                raise ValueError("the start square is not known; it requires observation='planes'")
            first = views[starting]
            starts[starting, 0] = first[:, observing.HOME_P].reshape(len(first), -1).argmax(axis=1)
            facings = first[:, observing.FACING_P : observing.HOME_P]
            starts[starting, 1] = facings.any(axis=(2, 3)).argmax(axis=1)
        return starts


def start_of(config: EnvConfig) -> tuple[int, int] | None:
    """(square, facing) where all caves of an environment begin; None if its planes show it.

    Raises:
        ValueError: They begin in different places, and the observation does not show where.
    """
    height, width = config.extent
    places = {(level.content[1], level.content[2]) for level in config.levels}
    if config.observation == "planes":
        return None
    if len(places) > 1 or config.sampler is not None:
        raise ValueError(
            f"the agent cannot tell from observation={quote(config.observation)} where each of these caves begins; "
            "make the environment with observation='planes'"
        )
    if places:
        ((row, column), facing) = places.pop()
        return row * width + column, facing
    return (height - 1) * width, EAST


def read_percepts(views: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    """Return the current percepts, int8[B, 5], from a batch of any of the puzzle's observations.

    In planes, ``scream`` stays set after the wumpus's death; the agent uses only its first occurrence.
    """
    if views.ndim == 2:
        return np.ascontiguousarray(views, np.int8)
    o = observing
    percepts = np.empty((len(views), len(o.PERCEPTS)), np.int8)
    if views.shape[1] == len(o.EGOCENTRIC):
        percepts[:, :3] = views[:, o.STENCH_E : o.GLITTER_E + 1, o.RADIUS, o.RADIUS]
        percepts[:, 3:] = views[:, o.BUMP_E : o.SCREAM_E + 1, 0, 0]
    else:
        standing = views[:, o.FACING_P : o.HOME_P].max(axis=1)
        percepts[:, :3] = (views[:, o.STENCH_P : o.GLITTER_P + 1] & standing[:, None]).any(axis=(2, 3))
        percepts[:, 3:] = views[:, o.BUMP_P : o.SCREAM_P + 1, 0, 0]
    return percepts


def shared_arrays(agent: CaveAgent) -> dict[str, Any]:
    """Return the arrays that every agent's kernel takes.

    Raises:
        ValueError: The agent does not know where episodes begin.
    """
    if agent.start is None:
        raise ValueError("the agent reads the start square from planes; as a kernel it needs it beforehand")
    return {**caller_arrays(), "percepts": blank(1, 5, dtype=np.int8), "starts": np.array([agent.start], np.int16)}
