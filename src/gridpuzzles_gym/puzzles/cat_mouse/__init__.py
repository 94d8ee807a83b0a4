"""Cat and Mouse: run through a maze to the exit without meeting a cat that moves at random.

**The maze.** Walls, floor, one mouse, one exit and up to seven cats, on up to 64×64 squares; everything outside is
wall. The default is the classic maze, 10×10 with one cat. ``levels=`` plays a bundled pack, a file, a folder, texts, or
a sampler (:mod:`~gridpuzzles_gym.puzzles.cat_mouse.text` describes the format of mazes). The largest level determines
the size of the boards; smaller ones are placed in the top left corner, surrounded by walls. ``maze="random"`` generates
a new maze for every episode: rooms on every second square of ``size`` are connected by a spanning tree, sampled
uniformly, and ``loops`` further walls between rooms are removed. The mouse starts in the top left room, the exit is in
the bottom right room, and the cats start in random other rooms.

**A turn.** The mouse moves up, down, left or right; a wall stops it. Moving onto a cat's square is death; reaching the
exit wins at once, before the cats move. Then each cat moves to a random adjacent square without a wall or another cat,
or stays if there is none. Cats do not chase the mouse, but a cat that moves onto its square kills it.

With ``cat_blocked=True``, the variant of the original program, mouse and cats block each other like walls: nobody dies,
but a cat can be in the way. As in the original, the cat moves first in each turn and the mouse sees its move, so the
cats have already moved once when an episode begins.

``cats`` sets the number of cats. If a given maze has more, the first ones, row by row, remain; missing cats are added
one by one on the square farthest from the mouse and all cats. With None (default), given mazes are unchanged and random
mazes have one cat.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right. The action mask excludes moves against a wall, although they
are allowed and can be used to wait.

**Rewards.** −1 for every action, +1000 for reaching the exit, −1000 for death.

**End of an episode.** The mouse reaches the exit or dies. The registered environment has a limit of 200 steps; the
shortest path in the classic maze has 14.

**Observations.** ``"planes"`` (default) is uint8[5, H, W] of 0 and 1: wall, floor (not wall), exit, cat, mouse.
``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor, 2 exit, 3 mouse, 4 cat, 5 cat on the exit, 6 mouse at the exit, 7
mouse caught, 8 mouse caught at the exit.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...engine.arguments import boolean, choice, integer, pair
from ...engine.board.interaction import DIRECTION_KEYS
from ...engine.messages import quote
from ...engine.observations import planes, symbols
from ...engine.puzzle import Extent, Generation, Level, Puzzle, RowCheck, Rules
from . import boards, checking, observing, rules, text
from .picture import PICTURE
from .status import STATUS
from .text import PALETTE
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "observing", "rules", "text"]

MAZES = ("classic", "random")


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Cat and Mouse; see the module's docstring."""

    maze: str = "classic"
    """``"classic"``: the original program's maze, or those of ``levels=``. ``"random"``: a new connected maze in every
    episode."""
    size: int | Sequence[int] = 11
    """The number of squares per side of a random maze, odd, from 5 to 63, or (width, height)."""
    loops: int = 3
    """The number of walls that are removed from the spanning tree of a random maze."""
    cats: int | None = None
    """The number of cats, from 0 to 7; None: those in given mazes, and one in random mazes."""
    cat_blocked: bool = False
    """Whether mouse and cats block each other like walls, so that nobody dies: the original program's variant."""

    def __post_init__(self) -> None:
        choice("maze", self.maze, MAZES)
        if not all(map(boards.is_side, self.shape)):
            raise ValueError(f"size={quote(self.size)}: must be an odd integer from 5 to {boards.LARGEST - 1} per side")
        rows, columns = boards.rooms(self.shape)
        removable = (rows - 1) * (columns - 1)  # the walls that a spanning tree leaves
        integer("loops", self.loops, 0, removable)
        most = min(rows * columns - 2, rules.MOST_CATS) if self.maze == "random" else rules.MOST_CATS
        if self.cats is not None:
            integer("cats", self.cats, 0, most, ", or None")
        boolean("cat_blocked", self.cat_blocked)

    @property
    def shape(self) -> Extent:
        """The (height, width) of random mazes."""
        width, height = pair(self.size)
        return height, width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """Return the options as the numbers that :func:`rules.generate` reads."""
    cats = 1 if options.cats is None else options.cats
    return np.array([*options.shape, options.loops, cats, options.cat_blocked], np.int64)


def resolve_options(options: Options, extent: Extent, levels: Sequence[Level]) -> Options:
    """Return the options unchanged; raises ValueError if they contradict ``levels=``."""
    if options.maze == "random" and levels:
        raise ValueError("maze='random' generates mazes, so levels= must not be given")
    return options


PUZZLE = Puzzle(
    name="cat_mouse",
    title="Cat and Mouse",
    actions=lambda options: text.ACTIONS,
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal, begin=rules.begin),
    observations={
        "planes": planes(observing.PLANES, observing.observe_planes, observing.refresh_planes, observing.decode_planes),
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
    keys=DIRECTION_KEYS,
    gestures=TOUCH,
    picture=PICTURE,
    status=STATUS,
    default_levels="classic",
    generation=Generation(
        rules.generate,
        extent=lambda options: options.shape,
        settings=settings,
        enabled=lambda options: options.maze == "random",
        same_encoding=lambda generated, playing: (
            generated.cat_blocked == playing.cat_blocked
            and playing.cats in (None, 1 if generated.cats is None else generated.cats)
        ),
    ),
    resolve_options=resolve_options,
)
