"""Scores: the numbers of a game, the person's best and the proven minima; and the levels of a pack by these numbers."""

import dataclasses
import functools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from gridpuzzles_gym.agents.puzzle_agents import agents_record, key_of, pack_minima

from ..engine.levels.bundled import is_bundled
from ..engine.puzzle import Puzzle
from .game import Game
from .progress import Best, Progress
from .session import ENDINGS

NUMBER, TITLE, AUTHOR, SIZE, DIFFICULTY, SOLVED, MOVES = (
    "number", "title", "author", "size", "difficulty", "solved", "moves",
)  # fmt: skip
_COMPARISON = re.compile(r"(\w+)(<=|>=|<|>|=)(\d+)")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Number:
    """One number of a game; lower is better."""

    name: str
    now: int
    best: int | None
    """The person's best on this level; None if it has not been solved."""
    minimum: int | None
    """The proven minimum; None if it is unknown."""

    def __str__(self) -> str:
        """Return the numbers as text: ``pushes 12, best 10, minimum 8``."""
        parts = [f"{self.name} {self.now}"]
        parts += [] if self.best is None else [f"best {self.best}"]
        parts += [] if self.minimum is None else [f"minimum {self.minimum}"]
        return ", ".join(parts)


def score_line(game: Game, progress: Progress) -> list[Number]:
    """Return the number of moves of a game, and its other metrics whose minimum may be known."""
    best = None if game.key is None else progress.best(game.puzzle.name, game.key)
    minima = minima_of(game)
    numbers = [Number("moves", game.moves, None if best is None else best.moves, minima.pop("moves", None))]
    metrics = game.metrics()
    for name in agents_record(game.puzzle).minima:
        if name in metrics and name != "moves":
            least = None if best is None else best.least.get(name)
            numbers.append(Number(name, metrics[name], None if least is None else int(least), minima.get(name)))
    return numbers


def status_line(game: Game, progress: Progress) -> str:
    """Return the score line as text, with how the game has ended, or a warning that it cannot be solved."""
    numbers = " · ".join(map(str, score_line(game, progress)))
    if not game.over:
        if game.limit is not None:
            numbers += f" · {game.limit - game.moves} steps left"
        scene = game.scene()
        warning = game.puzzle.warning(scene.level, scene.state, scene.options)
        return f"{warning}: undo or restart. {numbers}" if warning else numbers
    ending = ENDINGS.get(game.outcome, game.outcome)
    return f"{ending}. {numbers}" if game.solved else f"{ending}: undo or restart. {numbers}"


def record(game: Game, progress: Progress) -> bool:
    """Save the results of a game that the person has solved without hints; return whether it improves any number."""
    if game.key is None or not game.solved or game.hints:
        return False
    metrics = game.metrics()
    least = {name: metrics[name] for name in minima_of(game) if name in metrics}
    return progress.record(game.puzzle.name, game.key, Best(game.moves, least, game.actions, game.seed))


def stars(numbers: list[Number], hints: int = 0) -> int:
    """Return 3 if a number is minimal, 2 if one is at most 25 % above its minimum, otherwise 1; 3 without minima.

    A solution with hints has none.
    """
    if hints:
        return 0
    known = [number for number in numbers if number.minimum is not None]
    if not known:
        return 3
    excess = min(number.now / max(number.minimum or 0, 1) for number in known)
    return 3 if excess <= 1 else 2 if excess <= 1.25 else 1


_pack_minima = functools.lru_cache(8)(pack_minima)


def pack_minima_of(puzzle: Puzzle, choice: str | None) -> Mapping[str, Sequence[float]]:
    """Return the proven minima of the levels of a bundled pack, by the name of the metric; infinity if unknown."""
    return _pack_minima(puzzle, choice) if choice is not None and is_bundled(puzzle, choice) else {}


def minima_of(game: Game) -> dict[str, int]:
    """Return the proven minima of a game's level, by the name of the metric."""
    numbers = {name: column[game.number] for name, column in pack_minima_of(game.puzzle, game.choice).items()}
    return {name: int(number) for name, number in numbers.items() if math.isfinite(number)}


class LevelList:
    """The levels of a game's pack.

    Args:
        game: The game, with a pack.
        progress: The person's results.
    """

    def __init__(self, game: Game, progress: Progress) -> None:
        assert game.pack is not None
        self.puzzle, self.pack, self._progress = game.puzzle, game.pack, progress
        bundled = is_bundled(game.puzzle, game.choice)
        self._grades = _grades(game) if bundled else {}
        self._minima = pack_minima_of(game.puzzle, game.choice)
        status = game.puzzle.status
        tally = None if status is None else status.tally
        self._counted = "" if tally is None else tally.heading.split()[0]
        authors = not bundled and any(level.author for level in self.pack)
        self.columns = (
            *(NUMBER, TITLE),
            *((AUTHOR,) if authors else ()),
            SIZE,
            *((self._counted,) if self._counted else ()),
            *((DIFFICULTY,) if self._grades else ()),
            SOLVED,
            *dict.fromkeys((MOVES, *self._minima)),
        )
        """The names of the columns."""
        self._best = functools.cache(self._find_best)

    def refresh(self) -> None:
        """Look results up again."""
        self._best.cache_clear()

    def solved(self, number: int) -> bool:
        """Return whether the person has solved a level."""
        return self._best(number) is not None

    def value(self, number: int, column: str) -> float:
        """Return the number by which a column compares levels; infinity if it is not known."""
        level = self.pack[number]
        if column == NUMBER:
            return number + 1
        if column == SIZE:
            return level.extent[0] * level.extent[1]
        if column == SOLVED:
            return not self.solved(number)
        if column == DIFFICULTY:
            return next(iter(self._grades.values()))[number]
        if column == self._counted:
            return self._grades[column][number] if column in self._grades else self._count(number)
        best = self._best(number)
        if best is None:
            return math.inf
        return best.moves if column == MOVES else best.least.get(column, math.inf)

    def order(self, column: str, descending: bool, words: str) -> list[int]:
        """Return the numbers of the levels that have all of some words, sorted.

        Args:
            column: The column to sort by.
            descending: Whether the largest is first; what is not known is last.
            words: Parts of the title or author, ``solved``, ``unsolved``, or comparisons such as ``boxes<5``.
        """
        tests = [self._test(word) for word in words.lower().split()]
        found = [number for number in range(len(self.pack)) if all(test(number) for test in tests)]
        if column in (TITLE, AUTHOR):
            name = "name" if column == TITLE else "author"
            return sorted(found, key=lambda number: getattr(self.pack[number], name).lower(), reverse=descending)
        sign = -1 if descending else 1

        def rank(number: int) -> tuple[bool, float]:
            value = self.value(number, column)
            return math.isinf(value), sign * value

        return sorted(found, key=rank)

    def _test(self, word: str) -> Callable[[int], bool]:
        compared = _COMPARISON.fullmatch(word)
        if compared is not None and compared[1] in self.columns:
            holds, limit = _COMPARE[compared[2]], float(compared[3])
            return lambda number: holds(self.value(number, compared[1]), limit)
        if word in (SOLVED, f"un{SOLVED}"):
            return lambda number: self.solved(number) == (word == SOLVED)
        return lambda number: word in f"{self.pack[number].name} {self.pack[number].author}".lower()

    def _find_best(self, number: int) -> Best | None:
        if not self._progress.solved(self.puzzle.name):
            return None
        return self._progress.best(self.puzzle.name, key_of(self.puzzle, self.pack[number]))

    def _count(self, number: int) -> float:
        """Return the number of things that the puzzle counts, such as boxes."""
        status, scene = self.puzzle.status, self.puzzle.first_scene(self.pack[number])
        assert status is not None
        return status.describe(scene, self.puzzle.actions(scene.options)).total


def _grades(game: Game) -> Mapping[str, Sequence[float]]:
    """Return the numbers in the table next to a bundled pack; empty if there is none."""
    grades = agents_record(game.puzzle).grades
    try:
        return {} if grades is None or game.choice is None else grades(game.choice)
    except (ValueError, OSError):
        return {}
