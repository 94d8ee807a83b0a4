"""The smallest puzzle there is: walk through a small maze to the goal.

Read this file first. It holds the record that ties the others together: ``rules.py`` (what happens), ``text.py``
(levels as text) and ``picture.py`` (pictures). The others are optional: ``status.py`` (what is said next to the board),
``touch.py`` (the mouse) and ``agents.py`` (a heuristic, an agent and training settings).
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.puzzle import Observation, Puzzle, Rules

from . import rules, text
from .picture import PICTURE
from .status import STATUS
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "rules", "text"]


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of ``gym.make`` that only this puzzle has."""

    prize: int = 1000
    """The reward for reaching the goal."""

    def __post_init__(self):
        """Raise a ValueError if a value is invalid."""
        integer("prize", self.prize, 0, 30_000)


PUZZLE = Puzzle(
    name="toy",
    title="Toy maze",
    actions=lambda options: ("up", "down", "left", "right"),
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal, undo=rules.undo, goal=rules.goal),
    # By name; the first is the default. Each has its channels, its space, and the rules that write it. An observation
    # that shows everything can also be decoded, which lets searches play as agents. extent is (height, width).
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
    # Levels: how long the rows are; text to levels, a level to rows, rows to text; which rows are valid.
    row_lengths=text.row_lengths,
    read=text.read,
    encode=text.encode,
    format=text.format_level,
    check=text.check,
    ansi=text.ansi,  # what render_mode="ansi" prints
    module=__name__,  # where agents.py and art are found
    picture=PICTURE,
    status=STATUS,
    gestures=TOUCH,
    keys={"up": 0, "down": 1, "left": 2, "right": 3},
    default_levels="S..\n##.\nG..\n\nSG\n..\n",
    deterministic=True,  # the searches apply
)
