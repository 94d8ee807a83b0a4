"""What there is in a set of levels, counted."""

import dataclasses

import numpy as np

from ..engine.puzzle import Level, Puzzle
from ..engine.tables import NumberTable
from .arguments import choose_levels
from .level_files import puzzle_for

_MOST_CHANNELS = 8
"""With more, channels are numbers (a plane a tile), not kinds of things."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """What there is in one level."""

    name: str
    height: int
    width: int
    squares: dict[str, int]
    """How many squares show each thing; empty where not everything is shown."""


def count(choice: str, named: str | None) -> list[Counts]:
    """Count what there is in the levels of a file, folder or shipped pack.

    Raises:
        ValueError: There are none by that name, or one of them cannot be.
    """
    puzzle = puzzle_for(choice, named)
    return [_count(puzzle, level) for level in choose_levels(puzzle, choice)[1]]


def _count(puzzle: Puzzle, level: Level) -> Counts:
    """Observations name what is on a board, and count it: ``planes``, where a puzzle shows everything in them."""
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
    """A row a level, and one for all of them."""
    things = list(levels[0].squares)
    smallest = min(levels, key=lambda level: level.height * level.width)
    largest = max(levels, key=lambda level: level.height * level.width)
    totals = [f"{sum(level.squares[thing] for level in levels):,}" for thing in things]
    rows = [(level.name, _size(level), *(f"{level.squares[thing]:,}" for thing in things)) for level in levels]
    total = ("all", f"{_size(smallest)} to {_size(largest)}", *totals)
    return NumberTable(("level",), ("size", *things), rows, total=total)


def _size(level: Counts) -> str:
    return f"{level.width}×{level.height}"
