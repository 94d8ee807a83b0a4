"""The levels of a pack as rows: what is known of each, and a person's results; sorted and filtered."""

import functools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from gridpuzzles_gym.agents.identity import key_of
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ....engine.levels.bundled import is_bundled
from ....session.game import Game
from ..progress import Best, Progress
from ..score_line import pack_minima_of

NUMBER, TITLE, AUTHOR, SIZE, DIFFICULTY, SOLVED, MOVES = (
    "number", "title", "author", "size", "difficulty", "solved", "moves",
)  # fmt: skip
_COMPARISON = re.compile(r"(\w+)(<=|>=|<|>|=)(\d+)")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


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

    def text(self, number: int, column: str) -> str:
        """Return what a column says of a level."""
        level = self.pack[number]
        if column == TITLE:
            return level.name
        if column == AUTHOR:
            return level.author
        if column == SIZE:
            height, width = level.extent[:2]
            return f"{width}×{height}"
        if column == SOLVED:
            return "✓" if self.solved(number) else ""
        value = self.value(number, column)
        if column in (MOVES, *self._minima):
            least = self._minima.get(column, (math.inf,) * len(self.pack))[number]
            return f"{_written(value)} / {_written(least)}" if column in self._minima else _written(value)
        return _written(value)

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
            return sorted(found, key=lambda number: self.text(number, column).lower(), reverse=descending)
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
        return status.say(scene, self.puzzle.actions(scene.options)).total


def _grades(game: Game) -> Mapping[str, Sequence[float]]:
    """Return the numbers in the table next to a bundled pack; empty if there is none."""
    grades = agents_record(game.puzzle).grades
    try:
        return {} if grades is None or game.choice is None else grades(game.choice)
    except (ValueError, OSError):
        return {}


def _written(number: float) -> str:
    return "–" if math.isinf(number) else f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"
