"""Cat and Mouse: run through a maze to the exit, past a cat that strolls about at random.

**The maze.** Walls, floor, one mouse, one exit, and cats, on up to 64×64 squares; what lies outside is wall. By default
it is the classic one, 10×10, with one cat. ``levels=`` plays a shipped pack, a file, a folder, texts, or a sampler
(:mod:`~gridpuzzles_gym.puzzles.cat_mouse.text` says how mazes are written); smaller ones lie in the top left corner of
the largest, walls around them. ``maze="random"`` draws a new one every episode: rooms on every second square of
``size``, joined by a spanning tree, all trees equally likely, then ``loops`` more walls between rooms knocked out; the
mouse starts top left, the exit is bottom right, the cats are anywhere else. Every square can be reached from every
other.

**A turn.** The mouse goes up, down, left or right; a wall stops it. Walking into a cat is death; the exit wins, before
any cat has moved. Then every cat steps to a free neighbour, each equally likely: free of walls and other cats. A cat
with no free neighbour stays. It does not seek the mouse, but meeting it is death.

``cat_blocked=True``, the variant of the original program: mouse and cats are walls to each other. Then nobody dies, but
a cat may stand in the way. In a turn of the original the cat moves first, and the mouse sees where it went; so here
the cats have moved once when an episode begins.

``cats`` is the number of cats. In given mazes those drawn first stay, and others come to where it is farthest from the
mouse and all cats; None leaves them as they are drawn.

**Actions** ``Discrete(4)``: 0 up, 1 down, 2 left, 3 right. The mask leaves out those against a wall: they are a way to
wait.

**Rewards.** −1 every action, +1000 for the exit, −1000 for death.

**The end.** The exit, or death. Registered with 200 steps at most; the shortest way in the classic maze has 14.

**Observations.** ``"planes"`` (default) is uint8[5, H, W], each 0 or 1: wall, floor (no wall), exit, cat, mouse.
``"symbols"`` is uint8[1, H, W]: 0 wall, 1 floor, 2 exit, 3 mouse, 4 cat, 5 cat on the exit, 6 mouse at the exit,
7 mouse caught, 8 mouse caught at the exit.
"""

import dataclasses
from collections.abc import Sequence

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ...engine.arguments import boolean, choice, integer, pair
from ...engine.messages import quote
from ...engine.puzzle import Extent, Generation, Level, Observation, Puzzle, Rules
from . import boards, checking, observing, rules, text

MAZES = ("classic", "random")


@dataclasses.dataclass(frozen=True)
class Options:
    """The keyword arguments of Cat and Mouse; see the module's docstring."""

    maze: str = "classic"
    """``"classic"``, or ``"random"``: a new one every episode."""
    size: int | Sequence[int] = 11
    """Squares a side of a random maze, or (width, height)."""
    loops: int = 3
    """How many walls of a random maze are knocked out."""
    cats: int | None = None
    """How many cats; None: as drawn in given mazes, one in random ones."""
    cat_blocked: bool = False
    """Are mouse and cats walls to each other?"""

    def __post_init__(self) -> None:
        choice("maze", self.maze, MAZES)
        if not all(map(boards.is_side, self.shape)):
            raise ValueError(f"size={quote(self.size)}: an odd integer from 5 to {boards.LARGEST - 1} a side is needed")
        rows, columns = boards.rooms(self.shape)
        most = (rows - 1) * (columns - 1)  # what a spanning tree leaves
        integer("loops", self.loops, 0, most)
        room = min(rows * columns - 2, rules.MOST_CATS) if self.maze == "random" else rules.MOST_CATS
        if self.cats is not None:
            integer("cats", self.cats, 0, room, ", or None,")
        boolean("cat_blocked", self.cat_blocked)

    @property
    def shape(self) -> Extent:
        """(height, width) of random mazes."""
        width, height = pair(self.size)
        return height, width


def settings(options: Options) -> npt.NDArray[np.int64]:
    """The options as the numbers that :func:`rules.generate` reads."""
    cats = 1 if options.cats is None else options.cats
    return np.array([*options.shape, options.loops, cats, options.cat_blocked], np.int64)


def resolve_options(options: Options, extent: Extent, levels: Sequence[Level]) -> Options:
    """The options as they are; raises ValueError where they contradict the levels that are given."""
    if options.maze == "random" and levels:
        raise ValueError("maze='random' draws mazes of its own: it goes without levels=")
    return options


PUZZLE = Puzzle(
    name="cat_mouse",
    title="Cat and Mouse",
    actions=lambda options: text.ACTIONS,
    options=Options,
    rules=Rules(rules.step, rules.outcome, rules.solved, rules.legal, begin=rules.begin),
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
    agents="gridpuzzles_gym.agents.cat_mouse",
    keys={"up": rules.UP, "down": rules.DOWN, "left": rules.LEFT, "right": rules.RIGHT},
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
