"""A puzzle written against the interface alone: walk through a small maze to the goal."""

import dataclasses

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.puzzle import Observation, Puzzle, Rules

from . import rules, text


@dataclasses.dataclass(frozen=True)
class Options:
    """It has one option."""

    prize: int = 1000

    def __post_init__(self):
        integer("prize", self.prize, 0, 30_000)


PUZZLE = Puzzle(
    name="toy",
    title="Toy maze",
    actions=lambda options: ("up", "down", "left", "right"),
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal, undo=rules.undo, goal=rules.goal),
    observations={
        "planes": Observation(
            lambda extent: ("wall", "goal", "player"),
            lambda extent: gym.spaces.Box(0, 1, (3, *extent), np.uint8),
            rules.observe,
            rules.refresh,
            text.decode,
        ),
        "place": Observation(
            lambda extent: ("row", "column"),
            lambda extent: gym.spaces.Box(0, 100, (2,), np.int16),
            rules.observe_place,
        ),
    },
    sizes=text.sizes,
    read=text.read,
    encode=text.encode,
    format=text.format_level,
    check=text.check,
    ansi=text.ansi,
    module=__name__,
    keys={"up": 0, "down": 1, "left": 2, "right": 3},
    default_levels="S..\n##.\nG..\n\nSG\n..\n",
    deterministic=True,
)
