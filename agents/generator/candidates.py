"""Levels tried, each from one random word: good, or why it is passed over. Their makers run in any process."""

import dataclasses
import operator
from typing import ClassVar, Protocol

from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import LevelError, Puzzle
from gridpuzzles_gym.puzzles import sokoban

from ..sokoban.grading import make_grader
from .difficulty import MOST_NODES, Difficulty, measure
from .generator import Generator, past
from .identity import board_of, key_of

NOT_MADE, NO_LEVEL, UNSOLVED = "nothing made", "not a level", "not solved"
"""Why a candidate is passed over, beside the bounds it does not keep to."""
UNFINISHED = "not finished in time"
"""The same, of the first that is cut off by a deadline: what came of it so far is no level that its word gives."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """What came of one word."""

    word: int
    refusal: str = ""
    """Why it is passed over; empty where it is good."""
    board: str = ""
    """Level text without a title."""
    key: bytes = b""
    """Equal for levels that are the same."""
    name: str = ""
    """A title of its own, where its maker gives one."""
    score: float = 0.0
    """By the generator's evaluation."""
    boxes: int = 0
    difficulty: Difficulty | None = None
    """Where it is measured."""


class Maker(Protocol):
    """What makes a candidate of a word: picklable, and equal words give equal candidates."""

    measures: ClassVar[bool]
    """Do candidates tell their difficulty?"""

    def __call__(self, word: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word, or one refused as `UNFINISHED` at the deadline, by ``time.monotonic()``."""


@dataclasses.dataclass(frozen=True)
class Timed:
    """A maker for workers: every word comes with its deadline."""

    maker: Maker

    def __call__(self, task: tuple[int, float | None]) -> Candidate:
        """The candidate of a word and a deadline; see :class:`Maker`."""
        return self.maker(*task)


@dataclasses.dataclass(frozen=True)
class Bounds:
    """What a level of Sokoban must take, and may take at most; None is no bound.

    Raises:
        ValueError: A bound is negative, or the least is above the most.
    """

    least_pushes: int | None = None
    most_pushes: int | None = None
    least_nodes: int | None = None
    most_nodes: int | None = None
    least_box_changes: int | None = None

    def __post_init__(self) -> None:
        for name, bound in dataclasses.asdict(self).items():
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 0):
                raise ValueError(f"{name}={bound!r}: an integer from 0 is needed")
        for of in ("pushes", "nodes"):
            least, most = getattr(self, f"least_{of}"), getattr(self, f"most_{of}")
            if least is not None and most is not None and least > most:
                raise ValueError(f"least_{of}={least} is above most_{of}={most}")

    def refusal(self, difficulty: Difficulty) -> str:
        """The first bound that a level does not keep to, in words; empty where it keeps to all."""
        if not difficulty.solved:
            return UNSOLVED
        for name, bound in dataclasses.asdict(self).items():
            end, _, of = name.partition("_")
            beyond = operator.lt if end == "least" else operator.gt
            if bound is not None and beyond(getattr(difficulty, of), bound):
                return f"{'under' if end == 'least' else 'over'} {bound:,} {of.replace('_', ' ')}"
        return ""


@dataclasses.dataclass(frozen=True)
class Generated:
    """Makes levels of Sokoban by Monte-Carlo tree search, and measures them.

    Args:
        generator: The search.
        bounds: What a level must take.
        limit: Positions that the solver may expand on one level.
    """

    generator: Generator
    bounds: Bounds = dataclasses.field(default_factory=Bounds)
    limit: int = MOST_NODES
    measures: ClassVar[bool] = True

    def __post_init__(self) -> None:
        kernel(make_grader)  # compiled, where need be, before any deadline is set

    def __call__(self, word: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word; a level that is finished at the deadline is measured still."""
        made = self.generator.make(word, deadline)
        if past(deadline) and (made is None or made.simulations < self.generator.recipe.simulations):
            return Candidate(word, UNFINISHED)
        if made is None:
            return Candidate(word, NOT_MADE)
        try:
            (level,) = sokoban.PUZZLE.parse("\n".join(made.rows) + "\n", f"{word:016x}")
        except LevelError:
            return Candidate(word, NO_LEVEL)
        difficulty = measure(*sokoban.PUZZLE.encode(level, level.extent, sokoban.PUZZLE.read_options()), self.limit)
        refusal = self.bounds.refusal(difficulty)
        if refusal:
            return Candidate(word, refusal, score=made.score, difficulty=difficulty)
        board, key = "\n".join(level.content), key_of(sokoban.PUZZLE, level)
        return Candidate(word, "", board, key, "", made.score, sum(map(board.count, "$*")), difficulty)


@dataclasses.dataclass(frozen=True)
class Sampled:
    """Makes levels of any puzzle by a sampler that has no memory.

    Args:
        puzzle: Whose levels.
        sampler: Draws them.
    """

    puzzle: Puzzle
    sampler: Sampler
    measures: ClassVar[bool] = False

    def __call__(self, word: int, deadline: float | None = None) -> Candidate:
        """The candidate of a word: always good, if it was begun before the deadline."""
        if past(deadline):
            return Candidate(word, UNFINISHED)
        level = self.sampler.sample(word)
        board = board_of(self.puzzle, level)
        return Candidate(word, "", board, board.encode(), level.name)
