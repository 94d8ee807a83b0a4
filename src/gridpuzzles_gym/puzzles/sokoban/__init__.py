"""Sokoban: push every box onto a goal.

**The board.** Walls, goals, boxes and a player, on up to 255 squares per side and 32,000 in all. The player moves up,
down, left and right, and pushes a box ahead of him if the square behind it is free; he can neither pull a box nor push
two at once. The level is solved, and the episode ends, when every box is on a goal. There are as many goals as boxes.

**Levels.** ``levels=`` plays a bundled pack, a file, a folder, texts, or a sampler
(:mod:`~gridpuzzles_gym.puzzles.sokoban.text` lists the supported formats). The largest level determines the size of the
boards; smaller ones are placed in the top left corner, surrounded by walls. Everything outside a level's walls counts
as wall.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right. A move against a wall, or against a box that cannot move,
has no effect.

**Rewards.** By default (``reward="peas"``, named after the textbook's PEAS descriptions: performance measure,
environment, actuators, sensors): −1 for every action, and a further +1000 for solving the level. ``reward="boxoban"``
is the scheme of the literature: −0.1 for every action, +1 for pushing a box onto a goal, −1 for pushing one off, +10
for solving the level (T. Weber et al., "Imagination-augmented agents for deep reinforcement learning", 2017). The
registered environment has the limit of that paper, 120 steps.

**Infos.** ``boxes_on_goals``, ``pushes`` and ``moves`` (the number of actions that had an effect) of the episode so
far. With ``deadlocks=True`` also ``deadlock``: True if a simple test shows that the level can no longer be solved,
because a box is on a square from which no goal can be reached, or because boxes that are not on goals block each other
for ever. False does not mean that it can be solved.

**Observations.** ``"planes"`` (default) is uint8[5, H, W] of 0 and 1: wall, floor (not wall), goal, box, player.
``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor, 2 goal, 3 player, 4 player on goal, 5 box, 6 box on goal.

**Pictures.** With ``warn=True`` they mark the boxes that cause a deadlock, found by the same test. ``style=`` selects
the sprites: ``"warehouse"`` (default; brick and wood) or ``"paper"`` (flat).
"""

import dataclasses

from ...engine.arguments import boolean, choice
from ...engine.board.interaction import DIRECTION_KEYS
from ...engine.observations import planes, symbols
from ...engine.puzzle import LevelFormats, Metrics, Puzzle, RowCheck, Rules, Switch
from ...engine.scene import Row
from . import boards, checking, observing, rules, text
from .level_io.formats import WRITERS, read_entries
from .level_io.page_import import import_levels
from .picture import PICTURE, STYLES
from .status import STATUS
from .text import PALETTE
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "notation", "observing", "rules", "text"]


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Sokoban; see the module's docstring."""

    reward: str = "peas"
    """``"peas"``: the default performance measure. ``"boxoban"``, the literature's: −0.1 for a step, +1 for a box onto
    a goal, −1 off it, +10 for the solution."""
    deadlocks: bool = False
    """Whether infos say, as ``deadlock``, that a simple test shows the level to be unsolvable from here."""
    warn: bool = False
    """Whether pictures mark the boxes that cause a detected deadlock."""
    style: str = STYLES[0]
    """The sprites of pictures: ``"warehouse"`` or ``"paper"``."""

    def __post_init__(self) -> None:
        choice("reward", self.reward, boards.SCHEMES)
        boolean("deadlocks", self.deadlocks)
        boolean("warn", self.warn)
        choice("style", self.style, STYLES)


def metrics(options: Options) -> dict[str, type]:
    """Return the metrics of :func:`rules.count`, with their types in infos."""
    kinds: dict[str, type] = {"boxes_on_goals": int, "pushes": int, "moves": int}
    return {**kinds, "deadlock": bool} if options.deadlocks else kinds


def warning(level: Row, state: Row, options: Options) -> str:
    """Return why the level can no longer be solved, if ``warn`` asks for it and a simple test shows it."""
    count = int(boards.stuck_boxes(level, state).sum()) if options.warn else 0
    return "" if not count else f"no solution from here: {'a box is' if count == 1 else f'{count} boxes are'} stuck"


PUZZLE = Puzzle(
    name="sokoban",
    title="Sokoban",
    actions=lambda options: text.ACTIONS,
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal),
    metrics=Metrics(metrics, rules.count),
    observations={
        "planes": planes(observing.PLANES, observing.observe_planes, observing.refresh_planes, observing.decode_planes),
        "symbols": symbols(
            len(observing.SYMBOLS), observing.observe_symbols, observing.refresh_symbols, observing.decode_symbols
        ),
    },
    row_lengths=boards.row_lengths,
    read=text.read,
    encode=text.encode,
    option_places=(rules.SCHEME, rules.WATCH),
    format=text.format_level,
    check=checking.check_rows,
    row_check=RowCheck(checking.settings, checking.is_level),
    ansi=text.ansi,
    module=__name__,
    palette=PALETTE,
    formats=LevelFormats(
        writers=WRITERS,
        suffixes={".xsb": "xsb", ".txt": "xsb", ".rle": "rle", ".letters": "letters", ".sok": "sok", ".slc": "slc"},
        read=read_entries,
        import_levels=import_levels,
    ),
    styles=STYLES,
    switches=(Switch("warn", "warn of stuck boxes", options={"warn": True}, at_first=True),),
    warning=warning,
    keys=DIRECTION_KEYS,
    gestures=TOUCH,
    picture=PICTURE,
    status=STATUS,
    default_levels="medium",
    deterministic=True,
)
