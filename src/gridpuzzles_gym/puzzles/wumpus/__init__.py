"""Wumpus World: find the gold in a dark cave and carry it home, guided only by local percepts.

**The cave.** ``size`` × ``size`` squares (default 4), or ``size=(width, height)``. The agent starts in the bottom left
corner, facing east. One wumpus, one gold and ``pits`` pits (default 3) are placed on distinct other squares, with all
layouts equally likely. With ``pit_probability``, as in the textbook, each other square has a pit with that probability
instead, and things may share a square. ``levels=`` plays given caves
(:mod:`~gridpuzzles_gym.puzzles.wumpus.text` describes their format).

**Actions** ``Discrete(6)``: 0 turn left, 1 turn right, 2 forward, 3 grab, 4 release, 5 shoot. With
``climb=True`` there is also 6 climb, which leaves the cave from the start square.

**Percepts.** A stench on the wumpus's square and the squares next to it (whether it is alive or dead), a breeze on a
pit's square and the squares next to it, a glitter on the gold's square, a bump after walking into a wall, a scream
when the arrow kills the wumpus.

**Rewards.** By default (``reward="peas"``, named after the textbook's PEAS descriptions: performance measure,
environment, actuators, sensors): −1 for every action, a further −10 for shooting the arrow, +1000 for grabbing the gold
(−1000 for releasing it), −1000 for dying in a pit or by the live wumpus. With ``reward="textbook"``, which needs
``climb=True``, the +1000 is paid for climbing out with the gold instead.

**End of an episode.** The agent dies, reaches the start square with the gold, or climbs out. With
``reward="textbook"``, reaching the start square does not end the episode. The registered environment has a limit of
100 steps; large caves need more: ``gym.make("Wumpus-v0", size=20, max_episode_steps=2000)``.

**Observations.** ``"egocentric"`` (default; PPO learns best from it) is uint8[10, 7, 7]: what the agent remembers of
the squares around it, rotated so that it faces up. ``"planes"`` is uint8[14, H, W]: what it remembers, on the map of
the cave. ``"percepts"`` is MultiBinary(5): the current stench, breeze, glitter, bump and scream. The names of the
channels are in ``env.unwrapped.channels``.

**Pictures.** ``show="world"`` (default) shows everything, with unvisited squares dimmed; ``show="knowledge"`` shows
only what the agent knows.
"""

import dataclasses
from collections.abc import Sequence

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ...engine.arguments import boolean, choice, integer, is_integer, pair, real
from ...engine.board.interaction import Hidden
from ...engine.messages import quote
from ...engine.observations import planes
from ...engine.puzzle import Extent, Generation, Observation, Puzzle, RowCheck, Rules
from . import checking, observing, rules, text
from .picture import PICTURE, SHOWS, known_squares
from .status import STATUS
from .text import PALETTE
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "observing", "rules", "text"]

REWARDS = ("peas", "textbook")


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Wumpus World; see the module's docstring."""

    size: int | Sequence[int] = 4
    """The number of squares per side, from 2 to 100, or (width, height)."""
    pits: int = 3
    """The number of pits; pits, wumpus and gold are on distinct squares. Not used with ``pit_probability``."""
    pit_probability: float | None = None
    """The probability, from 0 to 1, of a pit on each square except the start, as in the textbook; None: ``pits``."""
    climb: bool = False
    """Whether there is a seventh action, which leaves the cave from the start square."""
    reward: str = "peas"
    """``"peas"``: the default performance measure. ``"textbook"`` needs ``climb`` and pays the +1000 for climbing out
    with the gold."""
    show: str = "world"
    """What pictures show: the whole cave, ``"world"``, or what the agent knows, ``"knowledge"``."""

    def __post_init__(self) -> None:
        for side in self.shape:
            if not is_integer(side, 2, text.LARGEST):
                raise ValueError(f"size={quote(self.size)}: must be an integer from 2 to {text.LARGEST} per side")
        integer("pits", self.pits, 0, text.LARGEST**2)
        most = self.shape[0] * self.shape[1] - 3
        if self.pit_probability is None and self.pits > most:
            raise ValueError(
                f"pits={self.pits}: the maximum in a cave of {self.shape[1]}x{self.shape[0]} squares is {most}, "
                "because start, wumpus and gold have squares of their own"
            )
        if self.pit_probability is not None:
            real("pit_probability", self.pit_probability, 0, 1)
        boolean("climb", self.climb)
        choice("reward", self.reward, REWARDS)
        if self.reward == "textbook" and not self.climb:
            raise ValueError("reward='textbook' needs climb=True, because it rewards climbing out")
        choice("show", self.show, SHOWS)

    @property
    def shape(self) -> Extent:
        """The (height, width) of generated caves."""
        width, height = pair(self.size)
        return height, width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """Return the options as the numbers that :func:`rules.generate` reads."""
    weight = -1 if options.pit_probability is None else round(options.pit_probability * 2**32)
    numbers = [*options.shape, options.pits, weight, options.climb, options.reward == "textbook"]
    return np.array(numbers, np.int64)


PUZZLE = Puzzle(
    name="wumpus",
    title="Wumpus World",
    actions=lambda options: text.ACTIONS if options.climb else text.ACTIONS[:-1],
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal),
    observations={
        "egocentric": planes(
            observing.EGOCENTRIC,
            observing.observe_egocentric,
            observing.refresh_egocentric,
            flags=4,
            size=(observing.SIDE, observing.SIDE),
        ),
        "planes": planes(observing.PLANES, observing.observe_planes, observing.refresh_planes, flags=4),
        "percepts": Observation(
            lambda extent: observing.PERCEPTS,
            lambda extent: gym.spaces.MultiBinary(len(observing.PERCEPTS)),
            observing.observe_percepts,
        ),
    },
    row_lengths=text.row_lengths,
    read=text.read,
    encode=text.encode,
    format=text.format_level,
    check=checking.check_rows,
    row_check=RowCheck(checking.settings, checking.is_level),
    ansi=text.ansi,
    module=__name__,
    palette=PALETTE,
    generation=Generation(
        rules.generate,
        extent=lambda options: options.shape,
        settings=settings,
        same_encoding=lambda generated, playing: (generated.climb, generated.reward) == (playing.climb, playing.reward),
    ),
    keys={
        "left": rules.TURN_LEFT,
        "right": rules.TURN_RIGHT,
        "up": rules.FORWARD,
        "a": rules.TURN_LEFT,
        "d": rules.TURN_RIGHT,
        "w": rules.FORWARD,
        "g": rules.GRAB,
        "r": rules.RELEASE,
        "space": rules.SHOOT,
        "c": rules.CLIMB_OUT,
    },
    gestures=TOUCH,
    picture=PICTURE,
    status=STATUS,
    hidden=Hidden({"show": "knowledge"}, {"show": "world"}, known_squares),
)
