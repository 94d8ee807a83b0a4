"""Bait: fill holes with boxes, take the key, and open every goal (GVGAI's game, a VGDL description).

**The board.** Walls, holes, boxes, keys, goals, mushrooms and an avatar, on up to 64×64 squares. The avatar walks up,
down, left and right. It pushes a box before it onto the next square unless a wall, another box or a mushroom is
there; a box shares squares with keys and goals, and one that is pushed into a hole fills it: both vanish. Walking
into a hole is death. The avatar takes every key it walks to, and needs one for all goals: without it the avatar
steps back from a goal (a box that lay there has been pushed all the same), with it the goal vanishes. A mushroom is
eaten. When no goal is left, the game is won. What lies outside the board is wall.

**Levels.** ``levels=`` plays a shipped pack, a file, a folder, texts, or a sampler; the letters are GVGAI's
(:mod:`~gridpuzzles_gym.puzzles.bait.text`), so its own files can be played. The largest level fixes the size of
the boards, and smaller ones lie in the top left corner with walls around them.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right; with ``noop=True`` also 4 wait, GVGAI's nil.

**Rewards.** −1 every action, +1000 for the win, −1000 for death. ``reward="gvgai"``: the change of GVGAI's score,
+1 for a hole that is filled, +5 for a goal, +1 for a mushroom.

**The end.** The last goal, or death. Registered with GVGAI's limit of 2,000 steps.

**Infos.** ``score``: GVGAI's score of the episode so far.

**Observations.** ``"planes"`` (default) is uint8[9, H, W], each 0 or 1: wall, floor (no wall), hole, box, key, goal,
mushroom, avatar, and key in hand, which is the same everywhere. ``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor,
2 key, 3 goal, 4 hole, 5 box, 6 box on key, 7 box on goal, 8 mushroom, 9 avatar, 10 avatar with key, 11 avatar dead in
a hole, 12 the same with key.
"""

import dataclasses

import gymnasium as gym
import numpy as np

from ...engine.arguments import boolean, choice
from ...engine.puzzle import Metrics, Observation, Puzzle, Rules
from . import boards, checking, observing, rules, text


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Bait; see the module's docstring."""

    reward: str = "peas"
    """``"peas"`` or ``"gvgai"``."""
    noop: bool = False
    """Is there a fifth action that does nothing?"""

    def __post_init__(self) -> None:
        choice("reward", self.reward, boards.SCHEMES)
        boolean("noop", self.noop)


PUZZLE = Puzzle(
    name="bait",
    title="Bait",
    actions=lambda options: text.ACTIONS if options.noop else text.ACTIONS[: rules.WAIT],
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal),
    metrics=Metrics(lambda options: {"score": int}, rules.count),
    observations={
        "planes": Observation(
            lambda extent: observing.PLANES,
            lambda extent: gym.spaces.Box(0, 1, (len(observing.PLANES), *extent), np.uint8),
            observing.observe_planes,
            observing.refresh_planes,
            observing.decode_planes,
        ),
        "symbols": Observation(
            lambda extent: ("symbol",),
            lambda extent: gym.spaces.Box(0, len(boards.LETTERS) - 1, (1, *extent), np.uint8),
            observing.observe_symbols,
            observing.refresh_symbols,
            observing.decode_symbols,
        ),
    },
    sizes=boards.sizes,
    parse=text.parse,
    encode=text.encode,
    format=text.format_level,
    check=checking.check_rows,
    ansi=text.ansi,
    module=__name__,
    agents="gridpuzzles_gym.agents.bait",
    keys={"up": rules.UP, "down": rules.DOWN, "left": rules.LEFT, "right": rules.RIGHT, "space": rules.WAIT},
    default_levels="lessons",
    deterministic=True,
)
