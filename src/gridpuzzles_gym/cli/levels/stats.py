"""``gridpuzzles levels stats``: count the elements of levels."""

import dataclasses
from typing import Any

import numpy as np

from ...engine.puzzle import Level, Puzzle
from ...engine.system.tables import NumberTable
from ..common.options import Json, Setting, Strict
from ..common.terminal import console, examples, print_json
from .options import LevelArgument, PuzzleName, group, read_named

_MOST_CHANNELS = 8
"""With more channels than this, they are numbers (one plane per tile), not kinds of elements."""


@group.command(epilog=examples("levels stats first", "levels stats microban.slc"))
def stats(
    choice: LevelArgument,
    puzzle: PuzzleName = None,
    settings: Setting = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Print the size of each level and the number of its elements, and the totals."""
    named = read_named(choice, puzzle, settings, strict)
    counts = [_count(named.puzzle, level, named.options) for level in named.levels]
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


def _count(puzzle: Puzzle, level: Level, options: Any) -> Counts:
    """Count by the observation ``planes``, which names the elements; only if it shows the whole state."""
    height, width = level.extent[:2]
    planes = puzzle.observations.get("planes")
    channels = planes.channels(level.extent) if planes and planes.decode else ()
    if planes is None or not 0 < len(channels) <= _MOST_CHANNELS:
        return Counts(level.name, height, width, {})
    scene = puzzle.first_scene(level, options)
    view = np.zeros((len(channels), height * width), np.uint8)
    planes.observe(scene.level, scene.state, view)
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
