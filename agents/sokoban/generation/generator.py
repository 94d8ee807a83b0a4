"""Levels of Sokoban by Monte-Carlo tree search: every one can be solved, and the harder ones are looked for.

A level is built by the game of :mod:`.building`, which the tree search of :mod:`..search.score_mcts` plays as well as
its simulations allow. An evaluation says what a level is worth: ``"original"`` is the original program's
(:mod:`.evaluating`), ``"measured"`` goes by what it takes to solve it (:mod:`.measured`), and any function of a level's
rows will do.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import Level, Row
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import Squares, grid, make_rows
from gridpuzzles_gym.puzzles.sokoban.notation import write_lurd
from gridpuzzles_gym.puzzles.sokoban.rules import step

from ...candidates import past
from ...search import score_mcts as mcts
from ...search.parameters import real, whole
from . import building
from .building import BOXES, HEADER, HEIGHT, HOME, PHASE, PLACED, PLAY, WALL, WIDTH
from .evaluating import Weights
from .measured import Measured
from .simulating import make_generate_loop

Evaluation = Callable[[Row, Row], float]
"""What a level is worth, by its rows (level, state): above 0, and the more the better. Picklable, for workers."""
EVALUATIONS: dict[str, Callable[[], Evaluation | Weights]] = {"original": Weights, "measured": Measured}
SMALLEST, LARGEST, MOST_BOXES = 5, 50, 32
"""Squares a side, outer walls included, and boxes."""
_TRAIL = 24
"""Actions of a building game, for each square of the board, at most."""
_SLICE = 50_000
"""Simulations between two looks at the clock, times the squares of the board: some tenths of a second at most."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What levels are made, and with how much search.

    Raises:
        ValueError: A value is not allowed.
    """

    height: int = 10
    """Rows, outer walls included."""
    width: int = 10
    """Squares in a row, the same."""
    boxes: int = 4
    """Boxes that can be placed."""
    exact: bool = True
    """Must all of them be needed? Else some may be left out."""
    simulations: int = 1000
    """Of the tree search, a level."""
    evaluation: str | Weights | Evaluation = "measured"
    """A key of `EVALUATIONS`, weights for the original program's, or a function of a level's rows."""
    exploration: float = 0.1
    """How much a rarely tried action is favoured, in units of the range of scores."""
    floor: tuple[int, int] = (30, 70)
    """Percent of the inner squares that roll-outs carve, from and to."""
    pushes: int | None = None
    """The most that a roll-out makes; None: 10 a box."""

    def __post_init__(self) -> None:
        whole("height", self.height, SMALLEST, LARGEST)
        whole("width", self.width, SMALLEST, LARGEST)
        inner = (self.height - 2) * (self.width - 2)
        whole("boxes", self.boxes, 1, min(MOST_BOXES, inner // 4))
        whole("simulations", self.simulations, 1)
        real("exploration", self.exploration, 0, 1e6)
        if self.pushes is not None:
            whole("pushes", self.pushes, 1, 10_000)
        if not isinstance(self.exact, bool):
            raise ValueError(f"exact={self.exact!r}: True or False is needed")
        if not isinstance(self.floor, Sequence) or len(self.floor) != 2:
            raise ValueError(f"floor={self.floor!r}: two numbers are needed, percent from and to")
        whole("floor", self.floor[1], whole("floor", self.floor[0], 1, 100), 100)
        named = isinstance(self.evaluation, str) and self.evaluation in EVALUATIONS
        if not named and not isinstance(self.evaluation, Weights | Callable):
            raise ValueError(f"evaluation={self.evaluation!r}: one of {', '.join(EVALUATIONS)} is needed")

    def spec(self) -> Row:
        """The row that the rules of building read."""
        pushes = 10 * self.boxes if self.pushes is None else self.pushes
        return np.array([self.height, self.width, self.boxes, self.exact, *self.floor, pushes], np.int16)


_FIELDS = tuple(field.name for field in dataclasses.fields(Recipe))
_WEIGHTS = tuple(field.name for field in dataclasses.fields(Weights) if field.name not in _FIELDS)
RECIPE_SETTINGS = (*_FIELDS, *_WEIGHTS)
"""What :func:`read_recipe` knows: the fields of a recipe, and weights by names that are not among them."""


def read_recipe(settings: Mapping[str, Any]) -> Recipe:
    """The recipe of settings as somebody types them: lists for pairs, weights of the evaluation beside the rest.

    Args:
        settings: Of those that `RECIPE_SETTINGS` names.

    Raises:
        ValueError: A value is not allowed, or weights are given to another evaluation.
    """
    recipe: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    weights = {name: recipe.pop(name) for name in _WEIGHTS if name in recipe}
    if weights:
        if recipe.get("evaluation", "original") != "original":
            raise ValueError(f"{next(iter(weights))} is a weight of evaluation='original'")
        recipe["evaluation"] = Weights(**weights)
    return Recipe(**recipe)


@dataclasses.dataclass(frozen=True)
class GeneratedBoard:
    """A level that was made."""

    rows: tuple[str, ...]
    """The board in plain XSB."""
    score: float
    """What the evaluation says of it."""
    certificate: str
    """The play that made it, which solves it, in the notation of Sokoban programs (LURD)."""
    random_bits: int
    """The random word that it was made from."""
    simulations: int
    """How many were done."""

    @property
    def level(self) -> Level:
        """As environments take it."""
        return Level((len(self.rows), len(self.rows[0])), self.rows, f"{self.random_bits:016x}")


class Generator:
    """Makes levels, equal ones from equal words.

    Args:
        recipe: What levels.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.extent = recipe.height, recipe.width
        chosen = EVALUATIONS[recipe.evaluation]() if isinstance(recipe.evaluation, str) else recipe.evaluation
        self._spec = recipe.spec()
        # Without weights the loop asks.
        self._weights = chosen.row() if isinstance(chosen, Weights) else np.zeros(0)
        self._evaluate = None if isinstance(chosen, Weights) else chosen
        self._options = PUZZLE.read_options()
        kernel(make_generate_loop)  # compiled, where need be, before any deadline is set

    def make(self, random_bits: int, deadline: float | None = None) -> GeneratedBoard | None:
        """The best level that was met.

        Args:
            random_bits: 64 random bits.
            deadline: When to stop although simulations are left, by ``time.monotonic()``; a level that is being
                evaluated by what it takes to solve it is finished.

        Returns:
            The level; None if no simulation made one.
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
        trail = tree.best[: control[mcts.BEST_LENGTH]].tolist()
        moves = play_building(spec, start, trail)
        rows = self._rows_of(start)
        score, done = float(tree.numbers[mcts.SCORE]), int(control[mcts.DONE])
        return GeneratedBoard(
            tuple(grid(*rows)), score, write_lurd(*rows, until_solved(*rows, moves)), random_bits, done
        )

    def _rows_of(self, state: Row) -> tuple[Row, Row]:
        """The rows (level, state) of the puzzle, of what was built."""
        walls, goals, boxes = board_of(self._spec, state)
        return make_rows(walls, goals, boxes, int(state[HOME]), self._options)


def board_of(spec: Row, state: Row) -> tuple[Squares, Squares, Squares]:
    """Where walls, goals and boxes are, each bool[H, W], on the board that was built."""
    height, width, boxes = (int(spec[k]) for k in (HEIGHT, WIDTH, BOXES))
    now, placed, moved = state[HEADER : HEADER + 3 * boxes].reshape(3, boxes)[:, : state[PLACED]]
    goals, starts = np.zeros((2, height * width), bool)
    goals[now[moved != 0]] = True
    starts[placed[moved != 0]] = True
    walls = state[HEADER + 3 * boxes :] == WALL
    shape = height, width
    return walls.reshape(shape), goals.reshape(shape), starts.reshape(shape)


def play_building(spec: Row, state: Row, trail: list[int]) -> list[int]:
    """Play a building game, in place; answer the moves of its last phase."""
    moves = []
    for action in trail:
        if state[PHASE] == PLAY:
            moves.append(action)
        building.play(spec, state, action)
    return moves[:-1]


def until_solved(level: Row, state: Row, moves: list[int]) -> list[int]:
    """The moves up to the one that solves the level."""
    now, rng = state.copy(), np.ones(1, np.uint64)
    for k, move in enumerate(moves):
        if step(level, now, move, rng)[1]:
            return moves[: k + 1]
    return moves
