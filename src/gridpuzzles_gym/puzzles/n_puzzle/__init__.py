"""Sliding tiles: the 8-puzzle, the 15-puzzle, and every board from 2×2 to 10×10 squares.

**The board.** ``width`` × ``height`` squares, on all but one of them a numbered tile. A tile beside the
blank slides into it; the goal is to bring the tiles into order.

**The goal**, ``goal=``: ``"rows"`` (1, 2, 3 … and the blank last), ``"spiral"`` (clockwise inwards, the blank
where the spiral ends: 1 2 3 / 8 _ 4 / 7 6 5), ``"blank-first"`` (the blank, then 1, 2, 3 …), or any other
arrangement: its tiles row by row, as numbers or as text (``"123804765"``; 0 is the blank). Left at None it is
what the levels state, and else by rows. It is not part of the observation: every board of one environment
has the same.

**Starts** are uniform over all boards that can be solved and are not. ``scramble=n`` starts n random moves
from the goal instead, none taken straight back (and goes on where these end on the goal itself), and
``scramble=(least, most)`` draws n anew each episode. ``levels=`` plays given boards
(:mod:`~gridpuzzles_gym.puzzles.n_puzzle.text` says how they are written), all of one size, which then is the
environment's. Half of all arrangements cannot be reached by sliding: such a level is an error that says why.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right; they move the blank. At a wall nothing happens.

**Rewards.** −1 every action, +1000 more for solving the board, which ends the episode. Registered with 200
steps at most on 3×3 squares (no board needs more than 31) and 500 on 4×4 (no board needs more than 80).

**Observations.** ``"planes"`` (default) is uint8[N, H, W], N = H·W: a plane a tile, 1 where it lies, the first
for the blank. ``"symbols"`` is uint8[1, H, W]: the number on each square. Channels are named in
``env.unwrapped.channels``.

**Pictures.** Tiles at home are tinted, and the tile moved last leaves a trail.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ...engine.arguments import integer, is_integer, pair
from ...engine.messages import quote
from ...engine.puzzle import Extent, Generation, Level, LevelError, Observation, Puzzle, Rules
from . import boards, checking, observing, rules, text

MOST_MOVES = 1_000_000
"""Of ``scramble``."""


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of the sliding-tile puzzle; see the module's docstring."""

    width: int = 3
    """Squares in a row."""
    height: int = 3
    """Rows."""
    goal: str | int | Sequence[int] | None = None
    """A name, the tiles row by row, or None: what the levels state, else ``"rows"``."""
    scramble: int | Sequence[int] | None = None
    """Moves from the goal, or (least, most); None: any board that can be solved."""

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            integer(name, getattr(self, name), boards.SMALLEST, boards.LARGEST)
        if self.goal is not None:
            boards.read_goal(self.goal)
        least, most = self.moves
        if self.scramble is not None and not (is_integer(most, 1, MOST_MOVES) and is_integer(least, 1, int(most))):
            raise ValueError(
                f"scramble={quote(self.scramble)}: an integer from 1 to {MOST_MOVES} is needed, a pair (least, most) "
                "of them, or None"
            )

    @property
    def moves(self) -> tuple[Any, Any]:
        """The (least, most) moves of a scramble; (0, 0) for uniform starts."""
        return (0, 0) if self.scramble is None else pair(self.scramble)

    def solution(self) -> boards.Tiles:
        """The solved board; raises ValueError where ``goal`` is of another size."""
        return boards.arrange(boards.read_goal("rows" if self.goal is None else self.goal), self.height, self.width)


def extent(options: Options) -> Extent:
    """(height, width) of drawn boards; raises ValueError where the goal is of another size."""
    options.solution()
    return options.height, options.width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """The options as the numbers that :func:`rules.generate` reads."""
    return np.array([options.height, options.width, *options.moves, *options.solution()], np.int64)


def resolve_options(options: Options, extent: Extent, levels: Sequence[Level]) -> Options:
    """Take the size from the boards, and the goal where ``goal=`` leaves it open and they state one.

    Raises:
        LevelError: They state different goals, or the goal is of another size.
    """
    height, width = extent
    goal = None if options.goal is None else boards.read_goal(options.goal)
    for level in levels:
        # Where goal= is given, or a later board states another goal than the first, `text.encode` says so.
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
        "planes": Observation(
            _tile_names,
            lambda extent: gym.spaces.Box(0, 1, (extent[0] * extent[1], *extent), np.uint8),
            observing.observe_planes,
            observing.refresh_planes,
            observing.decode_planes,
        ),
        "symbols": Observation(
            lambda extent: ("tile",),
            lambda extent: gym.spaces.Box(0, extent[0] * extent[1] - 1, (1, *extent), np.uint8),
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
    agents="gridpuzzles_gym.agents.n_puzzle",
    keys={"up": rules.UP, "down": rules.DOWN, "left": rules.LEFT, "right": rules.RIGHT},
    resolve_options=resolve_options,
    generation=Generation(
        rules.generate, extent, settings, same_encoding=lambda generated, playing: generated.goal == playing.goal
    ),
    deterministic=True,
)
