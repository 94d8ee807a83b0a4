"""Wumpus World: find the gold in a dark cave and bring it home, told only by smell and draught.

**The cave.** ``size`` squares a side (4), the agent in the bottom left corner, facing east. One
wumpus, one gold and ``pits`` pits (3) lie on distinct other squares, every layout equally likely;
with ``pit_probability`` each other square holds a pit with that probability instead, and things
may share a square, as in the textbook. ``levels=`` plays given caves
(:mod:`~gridpuzzles_gym.puzzles.wumpus.text` says how they are written).

**Actions** ``Discrete(6)``: 0 turn left, 1 turn right, 2 forward, 3 grab, 4 release, 5 shoot; with
``climb=True`` also 6 climb, which leaves the cave from the start square.

**Percepts.** Stench in the wumpus's square and beside it (dead or alive), breeze in a pit's square
and beside it, glitter with the gold, bump after walking into a wall, scream when the arrow kills.

**Rewards.** −1 every action, −10 more for the arrow, +1000 for grabbing the gold (−1000 for
releasing it), −1000 for death by pit or live wumpus. ``reward="textbook"`` (needs ``climb=True``)
pays the +1000 for climbing out with the gold instead.

**The end.** Death; standing on the start square with the gold; climbing out. With
``reward="textbook"`` only climbing out ends a visit home. Registered with 100 steps at most; give
a large cave more: ``gym.make("Wumpus-v0", size=20, max_episode_steps=2000)``.

**Observations.** ``"egocentric"`` (default; PPO learns best from it) is uint8[10, 7, 7]: what the
agent remembers, centred on it and turned so that it faces up. ``"planes"`` is uint8[14, H, W]: the
same on the map of the cave. ``"percepts"`` is MultiBinary(5): stench, breeze, glitter, bump, scream.
Channels are named in ``env.unwrapped.channels``.

**Pictures.** ``show="world"`` draws everything, squares not yet visited dimmed; ``"knowledge"``
only what the agent knows.
"""

import dataclasses
from collections.abc import Sequence

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ...engine.arguments import boolean, choice, integer, is_integer, number, pair
from ...engine.messages import quote
from ...engine.puzzle import Extent, Generation, Observation, Puzzle, Rules
from . import checking, observing, rules, text

REWARDS = ("peas", "textbook")
SHOWS = ("world", "knowledge")
ACTIONS = ("turn left", "turn right", "forward", "grab", "release", "shoot", "climb")


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Wumpus World; see the module's docstring."""

    size: int | Sequence[int] = 4
    """Squares a side, or (width, height)."""
    pits: int = 3
    """How many pits, where ``pit_probability`` is None."""
    pit_probability: float | None = None
    """The probability of a pit on each square but the start's."""
    climb: bool = False
    """Is there a seventh action that leaves the cave?"""
    reward: str = "peas"
    """``"peas"`` or ``"textbook"``."""
    show: str = "world"
    """What pictures show: ``"world"`` or ``"knowledge"``."""

    def __post_init__(self) -> None:
        for side in self.shape:
            if not is_integer(side, 2, text.LARGEST):
                raise ValueError(f"size={quote(self.size)}: an integer from 2 to {text.LARGEST} a side is needed")
        integer("pits", self.pits, 0, text.LARGEST**2)
        room = self.shape[0] * self.shape[1] - 3
        if self.pit_probability is None and self.pits > room:
            raise ValueError(
                f"pits={self.pits} do not fit: a cave of {self.shape[1]}x{self.shape[0]} squares has room for "
                f"{room} beside start, wumpus and gold"
            )
        if self.pit_probability is not None:
            number("pit_probability", self.pit_probability, 0, 1)
        boolean("climb", self.climb)
        choice("reward", self.reward, REWARDS)
        if self.reward == "textbook" and not self.climb:
            raise ValueError("reward='textbook' pays for climbing out: it needs climb=True")
        choice("show", self.show, SHOWS)

    @property
    def shape(self) -> Extent:
        """(height, width) of drawn caves."""
        width, height = pair(self.size)
        return height, width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """The options as the numbers that :func:`rules.generate` reads."""
    weight = -1 if options.pit_probability is None else round(options.pit_probability * 2**32)
    numbers = [*options.shape, options.pits, weight, options.climb, options.reward == "textbook"]
    return np.array(numbers, np.int64)


def _planes(channels: tuple[str, ...], height: int, width: int) -> gym.spaces.Box:
    return gym.spaces.Box(0, 1, (len(channels), height, width), np.uint8)


PUZZLE = Puzzle(
    name="wumpus",
    title="Wumpus World",
    actions=lambda options: ACTIONS if options.climb else ACTIONS[:-1],
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal),
    observations={
        "egocentric": Observation(
            lambda extent: observing.EGOCENTRIC,
            lambda extent: _planes(observing.EGOCENTRIC, observing.SIDE, observing.SIDE),
            observing.observe_egocentric,
        ),
        "planes": Observation(
            lambda extent: observing.PLANES,
            lambda extent: _planes(observing.PLANES, *extent),
            observing.observe_planes,
            observing.refresh_planes,
        ),
        "percepts": Observation(
            lambda extent: observing.PERCEPTS,
            lambda extent: gym.spaces.MultiBinary(len(observing.PERCEPTS)),
            observing.observe_percepts,
        ),
    },
    sizes=text.sizes,
    parse=text.parse,
    encode=text.encode,
    format=text.format_level,
    check=checking.check_rows,
    ansi=text.ansi,
    module=__name__,
    agents="gridpuzzles_gym.agents.wumpus",
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
        "g": rules.GRAB,
        "r": rules.RELEASE,
        "space": rules.SHOOT,
        "c": rules.CLIMB_OUT,
    },
)
