"""Sliding tiles: the 8-puzzle, the 15-puzzle, and all boards from 2×2 to 10×10 squares.

**The board.** ``width`` × ``height`` squares with a numbered tile on each but one, the blank. A tile next to the blank
can slide into it. The task is to arrange the tiles in the goal order.

**The goal**, ``goal=``: ``"rows"`` (1, 2, 3 … and the blank last), ``"spiral"`` (clockwise inwards, with the blank at
the end of the spiral: 1 2 3 / 8 _ 4 / 7 6 5), ``"blank-first"`` (the blank, then 1, 2, 3 …), or any other arrangement,
given as its tiles row by row, as numbers or as text (``"123804765"``; 0 is the blank). The default is the goal stated
by the levels, or ``"rows"`` if they state none. The goal is not part of the observation, because it is the same for
all boards of an environment.

**Start states** are sampled uniformly from all solvable boards other than the goal. With ``scramble=n`` a start state
is the result of n random moves from the goal instead, where no move undoes the one before it; if they end at the goal,
moves are added. ``scramble=(least, most)`` samples n for each episode. ``levels=`` plays given boards
(:mod:`~gridpuzzles_gym.puzzles.n_puzzle.text` describes their format), all of the same size, which determines
``width`` and ``height``. Half of all arrangements cannot be solved; such a level is an error that says why.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right. They move the blank; at the edge of the board nothing
happens.

**Rewards.** −1 for every action, and a further +1000 for solving the board, which ends the episode. The registered
environments have a limit of 200 steps on 3×3 squares (no board needs more than 31) and of 500 on 4×4 squares (no board
needs more than 80).

**Observations.** ``"planes"`` (default) is uint8[N, H, W] with N = H·W: one plane per tile, 1 on the tile's square; the
first plane is the blank's. ``"symbols"`` is uint8[1, H, W]: the number on each square. The names of the channels are in
``env.unwrapped.channels``.

**Pictures.** Tiles on their goal squares are tinted, and the last move is marked. Before the first move they say what
the arrow keys move, for people: ``arrows=`` is ``"blank"`` (default) or ``"tile"``.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.arguments import choice, integer, is_integer, pair
from ...engine.board.interaction import DIRECTION_KEYS, TURNED_KEYS
from ...engine.messages import quote
from ...engine.observations import planes, symbols
from ...engine.puzzle import Extent, Generation, Level, LevelError, Puzzle, RowCheck, Rules, Switch
from . import boards, checking, observing, rules, text
from .picture import ARROWS, PICTURE
from .status import STATUS
from .text import PALETTE
from .touch import TOUCH

__all__ = ["PUZZLE", "Options", "observing", "rules", "text"]

MOST_MOVES = 1_000_000
"""The maximum value of ``scramble``."""


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of the sliding-tile puzzle; see the module's docstring."""

    width: int = 3
    """The number of columns, from 2 to 10."""
    height: int = 3
    """The number of rows, from 2 to 10."""
    goal: str | int | Sequence[int] | None = None
    """The solved board: ``"rows"``, ``"spiral"``, ``"blank-first"``, or the tiles row by row, such as ``"123804765"``
    or ``[1, 2, 3, …]``; None: the goal stated by the levels, or ``"rows"``."""
    scramble: int | Sequence[int] | None = None
    """The number of random moves from the goal to the start, or (least, most), from which it is sampled for each
    episode; None: uniform over all solvable boards."""
    arrows: str = ARROWS[0]
    """What pictures say that the arrow keys move: the ``"blank"`` or a ``"tile"``."""

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            integer(name, getattr(self, name), boards.SMALLEST, boards.LARGEST)
        choice("arrows", self.arrows, ARROWS)
        if self.goal is not None:
            boards.read_goal(self.goal)
        least, most = self.moves
        if self.scramble is not None and not (is_integer(most, 1, MOST_MOVES) and is_integer(least, 1, int(most))):
            raise ValueError(
                f"scramble={quote(self.scramble)}: must be an integer from 1 to {MOST_MOVES}, a pair (least, most) "
                "of such integers, or None"
            )

    @property
    def moves(self) -> tuple[Any, Any]:
        """The minimum and maximum number of scrambling moves; (0, 0) for uniform start states."""
        return (0, 0) if self.scramble is None else pair(self.scramble)

    def solution(self) -> boards.Tiles:
        """Return the solved board; raises ValueError if ``goal`` has another size."""
        return boards.arrange(boards.read_goal("rows" if self.goal is None else self.goal), self.height, self.width)


def extent(options: Options) -> Extent:
    """Return the (height, width) of generated boards; raises ValueError if the goal has another size."""
    options.solution()
    return options.height, options.width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """Return the options as the numbers that :func:`rules.generate` reads."""
    return np.array([options.height, options.width, *options.moves, *options.solution()], np.int64)


def resolve_options(options: Options, extent: Extent, levels: Sequence[Level]) -> Options:
    """Set the size to that of the boards, and the goal to the one that they state if ``goal=`` is None.

    Raises:
        LevelError: The goal has another size.
    """
    height, width = extent
    goal = None if options.goal is None else boards.read_goal(options.goal)
    for level in levels:
        # A level with a different goal than goal=, or than the first level, is reported by `text.encode`.
        goal = level.content.goal if goal is None else goal
    settled = dataclasses.replace(options, height=height, width=width, goal="rows" if goal is None else goal)
    try:
        settled.solution()
    except ValueError as error:
        raise LevelError(str(error)) from None
    return settled


def _tile_names(extent: Extent) -> tuple[str, ...]:
    return ("blank", *(f"tile {tile}" for tile in range(1, extent[0] * extent[1])))


PUZZLE = Puzzle(
    name="n_puzzle",
    title="Sliding tiles",
    actions=lambda options: text.ACTIONS,
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal, rules.undo, rules.goal),
    observations={
        "planes": planes(_tile_names, observing.observe_planes, observing.refresh_planes, observing.decode_planes),
        "symbols": symbols(
            math.prod,
            observing.observe_symbols,
            observing.refresh_symbols,
            observing.decode_symbols,
            channel="tile",
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
    key_words={action: f"move the blank {name}" for action, name in enumerate(text.ACTIONS)},
    switches=(
        Switch(
            "arrows_move_tile",
            "arrows move the tile",
            options={"arrows": "tile"},
            keys=TURNED_KEYS,
            key_words={action: f"move a tile {text.ACTIONS[action ^ 1]}" for action in range(len(text.ACTIONS))},
        ),
    ),
    gestures=TOUCH,
    picture=PICTURE,
    status=STATUS,
    resolve_options=resolve_options,
    generation=Generation(
        rules.generate, extent, settings, same_encoding=lambda generated, playing: generated.goal == playing.goal
    ),
    deterministic=True,
)
