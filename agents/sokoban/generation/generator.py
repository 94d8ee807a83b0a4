"""Sokoban levels by Monte-Carlo tree search: all of them can be solved, and the search looks for hard ones.

A level is built by playing the game of :mod:`.generation.building` with the tree search of :mod:`.score_mcts`. An
evaluation scores the level: ``"original"`` is the original program's (:mod:`.evaluating`), ``"measured"`` scores the
effort of solving it (:mod:`.difficulty`), ``"displacement"`` the distance that boxes are pushed, and any function of a
level's rows can be used. Then random edits can make it harder (:mod:`.climbing`).
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Extent, Level
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import Squares, encode_rows, lines, make_rows
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd, write_lurd

from ...candidates import past
from ...samplers.base import Stateless, mix
from ...search.monte_carlo import score_mcts as mcts
from . import building
from .building import BOXES, HEADER, HEIGHT, HOME, PLACED, WALL, WIDTH, make_replay
from .climbing import Climb, make_editor
from .difficulty import Measured
from .evaluating import DISPLACEMENT, Weights, make_generate_loop

Evaluation = Callable[[Row, Row], float]
"""Scores a level by its rows (level, state): above 0, higher is better. Picklable, for workers."""
EVALUATIONS: dict[str, Callable[[], Evaluation | Weights]] = {
    "original": Weights,
    "measured": Measured,
    "displacement": lambda: DISPLACEMENT,
}
SMALLEST, LARGEST, MOST_BOXES = 5, 50, 32
"""Limits on the sides in squares, outer walls included, and on the boxes."""
_TRAIL = 24
"""Maximum number of actions in a building game, per square of the board."""
_SLICE = 50_000
"""Simulations between checks of the clock, times the squares of the board: at most a few tenths of a second."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    """The settings of the generator.

    Raises:
        ValueError: A value is invalid.
    """

    height: int = 10
    """Rows, outer walls included."""
    width: int = 10
    """Columns, outer walls included."""
    boxes: int = 4
    """Maximum number of boxes."""
    exact: bool = True
    """Whether all of them are required; otherwise there may be fewer."""
    simulations: int = 1000
    """Simulations of the tree search per level."""
    edits: int = 0
    """Random edits of the best level found, each undone if the score falls; only with the evaluation ``measured``."""
    evaluation: str | Weights | Evaluation = "measured"
    """A key of `EVALUATIONS`, weights of the original program's evaluation, or a function of a level's rows."""
    exploration: float = 0.1
    """Weight of the exploration bonus, in units of the range of scores."""
    floor: tuple[int, int] = (30, 70)
    """Percent of the inner squares that rollouts carve: minimum and maximum."""
    pushes: int | None = None
    """Maximum number of pushes in a rollout; None: 10 per box."""
    widen: int = 0
    """Squares that rollouts carve next to each one on their way: percent, on average. Corridors become rooms."""

    def __post_init__(self) -> None:
        integer("height", self.height, SMALLEST, LARGEST)
        integer("width", self.width, SMALLEST, LARGEST)
        inner = (self.height - 2) * (self.width - 2)
        integer("boxes", self.boxes, 1, min(MOST_BOXES, inner // 4))
        integer("simulations", self.simulations, 1)
        integer("widen", self.widen, 0, 400)
        real("exploration", self.exploration, 0, 1e6)
        if self.pushes is not None:
            integer("pushes", self.pushes, 1, 10_000)
        if not isinstance(self.exact, bool):
            raise ValueError(f"exact={quote(self.exact)}: must be True or False")
        if not isinstance(self.floor, Sequence) or len(self.floor) != 2:
            raise ValueError(f"floor={quote(self.floor)}: must be two numbers, the minimum and maximum in percent")
        integer("floor", self.floor[1], integer("floor", self.floor[0], 1, 100), 100)
        named = isinstance(self.evaluation, str) and self.evaluation in EVALUATIONS
        if not named and not isinstance(self.evaluation, Weights | Callable):
            raise ValueError(f"evaluation={quote(self.evaluation)}: must be one of {', '.join(EVALUATIONS)}")
        integer("edits", self.edits, 0)
        if self.edits and not isinstance(self.evaluation, Measured) and self.evaluation != "measured":
            raise ValueError(f"edits={self.edits}: needs evaluation='measured', which solves every edited level")

    def spec(self) -> Row:
        """Return the settings as a row: see :mod:`.generation.building`."""
        pushes = 10 * self.boxes if self.pushes is None else self.pushes
        numbers = (self.height, self.width, self.boxes, self.exact, *self.floor, pushes, self.widen)
        return np.array(numbers, np.int16)


RECIPE_SETTINGS = tuple(field.name for field in dataclasses.fields(Recipe))
"""The settings of :class:`SokobanSampler`."""


@dataclasses.dataclass(frozen=True)
class GeneratedBoard:
    """A generated level."""

    rows: tuple[str, ...]
    """The board in plain XSB."""
    score: float
    """Its score by the evaluation."""
    moves: tuple[int, ...]
    """The moves that built it, which solve it; of an edited level, the solver's."""
    random_bits: int
    """The random bits that it was generated from."""
    simulations: int
    """Number of simulations performed."""
    edits: int
    """Number of edits tried."""

    @property
    def certificate(self) -> str:
        """The moves in LURD notation."""
        return write_lurd(*encode_rows(self.rows, self.level.extent, PUZZLE.read_options()), self.moves)

    @property
    def level(self) -> Level:
        """The level as environments take it."""
        return Level((len(self.rows), len(self.rows[0])), self.rows, f"{self.random_bits:016x}", PUZZLE.module)


class Generator:
    """Generates levels, deterministically from random bits.

    Args:
        recipe: The settings.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.extent = recipe.height, recipe.width
        chosen = EVALUATIONS[recipe.evaluation]() if isinstance(recipe.evaluation, str) else recipe.evaluation
        self._spec = recipe.spec()
        # Without weights the loop asks for scores.
        self._weights = chosen.row() if isinstance(chosen, Weights) else np.zeros(0)
        self._evaluate = None if isinstance(chosen, Weights) else chosen
        self._options = PUZZLE.read_options()
        kernel(make_generate_loop), kernel(make_replay)  # compile before any deadline is set
        if recipe.edits:
            kernel(make_editor)

    def make(self, random_bits: int, deadline: float | None = None) -> GeneratedBoard | None:
        """Return the best level found.

        Args:
            random_bits: 64 random bits.
            deadline: Stop at this time even if simulations are left, in ``time.monotonic()``; an evaluation in
                progress is finished.

        Returns:
            The level; None if no simulation produced one.
        """
        recipe, spec = self.recipe, self._spec
        squares = recipe.height * recipe.width
        rng = np.array([random_bits or 1], np.uint64)
        start = np.zeros(HEADER + 3 * recipe.boxes + squares, np.int16)
        building.begin(spec, start, rng)
        root, state, scratch = start.copy(), start.copy(), np.zeros((2, squares), np.int16)
        tree = mcts.new_tree(_TRAIL * squares, recipe.exploration)
        control = np.zeros(mcts.NUMBERS, np.int64)
        control[mcts.USED], control[mcts.TOTAL] = 1, recipe.simulations
        simulate = kernel(make_generate_loop)
        score, asked = 0.0, False
        while control[mcts.DONE] < recipe.simulations and not past(deadline):
            control[mcts.LEFT] = min(_SLICE // squares, recipe.simulations - control[mcts.DONE])
            tree = mcts.with_capacity(tree, int(control[mcts.USED]), int(control[mcts.LEFT]))
            while simulate(spec, root, state, rng, self._weights, tree, control, scratch, score, asked) == mcts.ASKING:
                assert self._evaluate is not None
                score, asked = self._evaluate(*self._rows_of(state)), True
                if past(deadline):
                    break
            score, asked = 0.0, False
        if tree.numbers[mcts.SCORE] <= 0:
            return None
        moves = replay(spec, start, tree.best[: control[mcts.BEST_LENGTH]])
        climb = Climb(np.array(board_of(spec, start), np.uint8), int(start[HOME]), float(tree.numbers[mcts.SCORE]))
        if recipe.edits:
            assert isinstance(self._evaluate, Measured)
            climb.climb(self._evaluate, recipe.edits, rng, deadline)
        if climb.difficulty is not None:
            moves = tuple(read_lurd(climb.difficulty.certificate))
        walls, goals, boxes = climb.board.astype(bool)
        rows = tuple(lines(walls, goals, boxes, climb.player))
        return GeneratedBoard(rows, climb.score, moves, random_bits, int(control[mcts.DONE]), climb.done)

    def _rows_of(self, state: Row) -> tuple[Row, Row]:
        """Return the puzzle's rows (level, state) of the finished level."""
        walls, goals, boxes = board_of(self._spec, state)
        return make_rows(walls, goals, boxes, int(state[HOME]), self._options)


def board_of(spec: Row, state: Row) -> tuple[Squares, Squares, Squares]:
    """Return the walls, goals and boxes of the finished board, each bool[H, W]."""
    height, width, boxes = (int(spec[k]) for k in (HEIGHT, WIDTH, BOXES))
    now, placed, moved = state[HEADER : HEADER + 3 * boxes].reshape(3, boxes)[:, : state[PLACED]]
    goals, starts = np.zeros((2, height * width), bool)
    goals[now[moved != 0]] = True
    starts[placed[moved != 0]] = True
    walls = state[HEADER + 3 * boxes :] == WALL
    shape = height, width
    return walls.reshape(shape), goals.reshape(shape), starts.reshape(shape)


def replay(spec: Row, state: Row, trail: npt.NDArray[np.int16]) -> tuple[int, ...]:
    """Play a recorded building game, in place; return the moves that solve the level it builds."""
    moves = np.empty(len(trail), np.int16)
    count = kernel(make_replay)(spec, state, trail, moves)
    return tuple(moves[:count].tolist())


class SokobanSampler(Stateless):
    """Generates levels by Monte-Carlo tree search: ``OnTheFly(SokobanSampler(width=7, height=7, boxes=2))``.

    Args:
        **recipe: Fields of :class:`~.generator.Recipe`; lists for pairs.

    Raises:
        ValueError: A value is invalid.
    """

    def __init__(self, **recipe: Any) -> None:
        pairs: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in recipe.items()
        }
        self.generator = Generator(Recipe(**pairs))
        self.extent: Extent = self.generator.extent

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; if they produce none, of further bits derived from them."""
        number = 0
        while True:
            made = self.generator.make(random_bits if number == 0 else mix(random_bits, number))
            number += 1
            if made is not None:
                return made.level
