"""Sokoban: push every box onto a goal.

**The board.** Walls, goals, boxes and a player, on up to 64×64 squares. He walks up, down, left and right, and
pushes a box before him where the square behind it is free; he cannot pull, nor push two. When every box is on a
goal the episode ends: that is solving it. There are as many goals as boxes.

**Levels.** ``levels=`` plays a shipped pack, a file, a folder, texts, or a sampler
(:mod:`~gridpuzzles_gym.puzzles.sokoban.text` says what formats are read); the largest fixes the size of the boards,
and smaller ones lie in the top left corner with walls around them. What lies outside a level's walls counts as wall.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right. Against a wall, or a box that cannot move, nothing happens.

**Rewards.** −1 every action, +1000 more for the one that solves the level. ``reward="boxoban"`` pays as the
literature has it: −0.1 every action, +1 for a box pushed onto a goal and −1 for one pushed off, +10 for solving
(T. Weber et al., "Imagination-augmented agents for deep reinforcement learning", 2017); its episodes have 120 steps
at most, the number registered.

**Infos.** ``boxes_on_goals``, ``pushes`` and ``moves`` (actions that changed something) of the episode so far;
with ``deadlocks=True`` also ``deadlock``: is it plain that this can no longer be solved, because a box is where it
can never reach a goal from, or boxes off the goals hold each other fast? False does not mean that it can.

**Observations.** ``"planes"`` (default) is uint8[5, H, W], each 0 or 1: wall, floor (no wall), goal, box, player.
``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor, 2 goal, 3 player, 4 player on goal, 5 box, 6 box on goal.

**Pictures.** ``style=`` chooses the sprites: ``"warehouse"`` (brick and wood, the default), ``"paper"`` (flat), or the
path of a folder of your own, with a ``.svg`` or ``.png`` for each sprite you draw
(:mod:`~gridpuzzles_gym.puzzles.sokoban.styles` lists their names); the others are the default's.
"""

import dataclasses

import gymnasium as gym
import numpy as np

from ...engine.arguments import boolean, choice
from ...engine.puzzle import Metrics, Observation, Puzzle, Rules
from . import boards, checking, observing, rules, styles, text
from .level_io import exchange


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Sokoban; see the module's docstring."""

    reward: str = "peas"
    """``"peas"`` or ``"boxoban"``."""
    deadlocks: bool = False
    """Tell in the infos whether a deadlock is plain."""
    style: styles.Style = styles.BUNDLED[0]
    """The sprites that pictures are drawn with: a shipped style, or the path of a folder of them."""

    def __post_init__(self) -> None:
        choice("reward", self.reward, boards.SCHEMES)
        boolean("deadlocks", self.deadlocks)
        styles.check(self.style)


def metrics(options: Options) -> dict[str, type]:
    """What :func:`rules.count` keeps, with its type in the infos."""
    kept: dict[str, type] = {"boxes_on_goals": int, "pushes": int, "moves": int}
    return {**kept, "deadlock": bool} if options.deadlocks else kept


PUZZLE = Puzzle(
    name="sokoban",
    title="Sokoban",
    actions=lambda options: text.ACTIONS,
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal),
    metrics=Metrics(metrics, rules.count),
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
            lambda extent: gym.spaces.Box(0, len(observing.SYMBOLS) - 1, (1, *extent), np.uint8),
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
    formats=exchange.FORMATS,
    agents="gridpuzzles_gym.agents.sokoban",
    keys={"up": rules.UP, "down": rules.DOWN, "left": rules.LEFT, "right": rules.RIGHT},
    default_levels="medium",
    deterministic=True,
)
