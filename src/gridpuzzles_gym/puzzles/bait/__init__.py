"""Bait: fill holes with boxes, take the key, and open every goal (a game of GVGAI, described in VGDL).

**The board.** Walls, holes, boxes, keys, goals, mushrooms and an avatar, on up to 64×64 squares; everything outside is
wall. The avatar moves up, down, left and right. It pushes a box ahead of it to the next square unless there is a wall,
another box or a mushroom. A box can share a square with a key or a goal; a box that is pushed into a hole fills it, and
both vanish. Moving into a hole is death. The avatar picks up every key on its way and needs one to open goals: with a
key, the goal that it moves to vanishes; without one, the avatar steps back, although a box on that goal has been
pushed. A mushroom is eaten. The game is won when no goal is left.

**Levels.** ``levels=`` plays a bundled pack, a file, a folder, texts, or a sampler. The letters are those of GVGAI
(:mod:`~gridpuzzles_gym.puzzles.bait.text`), so its own files can be played. The largest level determines the size of
the boards; smaller ones are placed in the top left corner, surrounded by walls.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right; with ``noop=True`` also 4 wait, GVGAI's nil.

**Rewards.** By default (``reward="peas"``, named after the textbook's PEAS descriptions: performance measure,
environment, actuators, sensors): −1 for every action, +1000 for winning, −1000 for death. With ``reward="gvgai"``, the
change of GVGAI's score: +1 for each filled hole, +5 for each goal, +1 for each mushroom.

**End of an episode.** The last goal vanishes, or the avatar dies. The registered environment has GVGAI's limit of 2,000
steps.

**Infos.** ``score``: GVGAI's score of the episode so far.

**Observations.** ``"planes"`` (default) is uint8[9, H, W] of 0 and 1: wall, floor (not wall), hole, box, key, goal,
mushroom, avatar, and key in hand, which is constant over the plane. ``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor, 2
key, 3 goal, 4 hole, 5 box, 6 box on key, 7 box on goal, 8 mushroom, 9 avatar, 10 avatar with key, 11 avatar dead in a
hole, 12 the same with key.
"""

import dataclasses

from ...engine.arguments import boolean, choice
from ...engine.board.interaction import DIRECTION_KEYS
from ...engine.observations import planes, symbols
from ...engine.puzzle import Metrics, Puzzle, RowCheck, Rules
from . import boards, checking, observing, rules, text
from .picture import PICTURE
from .status import STATUS
from .text import PALETTE
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "observing", "rules", "text"]


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Bait; see the module's docstring."""

    reward: str = "peas"
    """``"peas"``: the default performance measure. ``"gvgai"``: the change of GVGAI's score, +1 for a filled hole, +5
    for a goal, +1 for a mushroom."""
    noop: bool = False
    """Whether there is a fifth action, which waits: GVGAI's nil."""

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
        "planes": planes(
            observing.PLANES, observing.observe_planes, observing.refresh_planes, observing.decode_planes, flags=1
        ),
        "symbols": symbols(
            len(boards.LETTERS), observing.observe_symbols, observing.refresh_symbols, observing.decode_symbols
        ),
    },
    row_lengths=boards.row_lengths,
    read=text.read,
    encode=text.encode,
    format=text.format_level,
    check=checking.check_rows,
    row_check=RowCheck(checking.settings, checking.is_level),
    ansi=text.ansi,
    module=__name__,
    palette=PALETTE,
    keys={**DIRECTION_KEYS, "space": rules.WAIT},
    gestures=TOUCH,
    picture=PICTURE,
    status=STATUS,
    default_levels="lessons",
    deterministic=True,
)
