"""``gridpuzzles levels stats``: count the elements of levels."""

import dataclasses

import numpy as np

from gridpuzzles_gym.agents.level_selection import selected_levels

from ...engine.puzzle import Level, Puzzle
from ...engine.system.tables import NumberTable
from ...play.puzzle_detection import puzzle_for
from ..common.options import Json, Strict
from ..common.terminal import console, examples, print_json
from .options import LevelArgument, PuzzleName, group

_MOST_CHANNELS = 8
"""With more channels than this, they are numbers (one plane per tile), not kinds of elements."""


@group.command(epilog=examples("levels stats first", "levels stats microban.slc"))
def stats(choice: LevelArgument, puzzle: PuzzleName = None, strict: Strict = False, json: Json = False) -> None:
    """Print the size of each level and the number of its elements, and the totals."""
    counts = count(choice, puzzle, strict)
    if json:
        print_json([dataclasses.asdict(count) for count in counts])
    else:
        console.print(table(counts), highlight=False)


@dataclasses.dataclass(frozen=True)
class Counts:
    """The size of one level and its numbers of elements."""

    name: str
    height: int
    width: int
    squares: dict[str, int]
    """Number of squares with each element; empty if the observation does not show everything."""


def count(choice: str, named: str | None, strict: bool = False) -> list[Counts]:
    """Count the elements of the levels of a file, folder or bundled pack.

    Raises:
        ValueError: There are no such levels, or one of them is invalid.
    """
    puzzle = puzzle_for(choice, named)
    return [_count(puzzle, level) for level in selected_levels(puzzle, choice, strict)]


def _count(puzzle: Puzzle, level: Level) -> Counts:
    """Count by the observation ``planes``, which names the elements; only if it shows the whole state."""
    height, width = level.extent[:2]
    planes = puzzle.observations.get("planes")
    channels = planes.channels(level.extent) if planes and planes.decode else ()
    if planes is None or not 0 < len(channels) <= _MOST_CHANNELS:
        return Counts(level.name, height, width, {})
    options = puzzle.resolve_options(puzzle.read_options(), level.extent, [level])
    view = np.zeros((len(channels), height * width), np.uint8)
    planes.observe(*puzzle.encode(level, level.extent, options), view)
    return Counts(level.name, height, width, dict(zip(channels, view.sum(1, int).tolist(), strict=True)))


def table(levels: list[Counts]) -> NumberTable:
    """Return a table with one row per level and a row of totals."""
    things = list(levels[0].squares)
    smallest = min(levels, key=lambda level: level.height * level.width)
    largest = max(levels, key=lambda level: level.height * level.width)
    totals = [f"{sum(level.squares[thing] for level in levels):,}" for thing in things]
    rows = [(level.name, _size(level), *(f"{level.squares[thing]:,}" for thing in things)) for level in levels]
    total = ("all", f"{_size(smallest)} to {_size(largest)}", *totals)
    return NumberTable(("level",), ("size", *things), rows, total=total)


def _size(level: Counts) -> str:
    return f"{level.width}×{level.height}"
