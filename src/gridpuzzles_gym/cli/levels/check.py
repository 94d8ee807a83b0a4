"""``gridpuzzles levels check``, ``show`` and ``stats``: what is invalid in levels, their text, and what is in them."""

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from gridpuzzles_gym.agents.level_selection import nth, select_levels, split_number
from gridpuzzles_gym.agents.puzzle_agents import board_of

from ...engine.levels.level_text import (
    encodable,
    levels_in_file,
    levels_in_folder,
    levels_in_text,
    no_level,
)
from ...engine.levels.rows import is_row_file
from ...engine.messages import plural, printable
from ...engine.puzzle import Level, LevelError, Puzzle
from ...engine.system.tables import NumberTable
from ...play.arguments import FROM_STDIN, STDIN, read_stdin
from ...play.puzzle_detection import puzzle_for
from ..common.errors import FAILED
from ..common.options import Json, Setting, Strict, settings_of
from ..common.terminal import console, examples, print_json, say
from .options import LevelArgument, PuzzleName, group, read_named

_MOST_CHANNELS = 8
"""With more channels than this, they are numbers (one plane per tile), not kinds of elements."""


@group.command(
    epilog=examples("levels check my_caves.txt --puzzle wumpus", "levels check levels/wumpus", "levels check first")
)
def check(
    choices: Annotated[
        list[str],
        typer.Argument(metavar="NAME|FILE|-", help="Files, folders, bundled packs, or - for standard input."),
    ],
    puzzle: PuzzleName = None,
    settings: Setting = None,
    json: Json = False,
) -> None:
    """Check levels: print the size of each, or what is invalid and where. The exit code is 1 if any is invalid."""
    reports = [report_on(choice, puzzle, settings_of(settings)) for choice in choices]
    findings = [finding for report in reports for finding in report.findings]
    errors = [finding.error for finding in findings if finding.error]
    if json:
        print_json([row for report in reports for row in report.as_json()])
        raise typer.Exit(FAILED if errors else 0)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for no_wrap in (True, False, True):
        table.add_column(no_wrap=no_wrap)
    for finding in findings:
        if not finding.error:
            table.add_row("[green]ok[/]", escape(finding.name), finding.size)
    if table.row_count:
        console.print(table, highlight=False)
    for error in errors:
        console.print(f"[red]invalid[/]  {escape(error)}", highlight=False, soft_wrap=True)
    say([f"{plural(len(findings), 'level')}, {len(errors)} invalid"])
    raise typer.Exit(FAILED if errors else 0)


@group.command(epilog=examples("levels show textbook", "levels show my_caves.txt:2 --puzzle wumpus"))
def show(choice: LevelArgument, puzzle: PuzzleName = None, settings: Setting = None, strict: Strict = False) -> None:
    """Print levels as text that can be pasted or piped into another command."""
    named = read_named(choice, puzzle, settings, strict)
    boards = [f"{board_of(named.puzzle, level, named.options)}\n" for level in named.levels]
    texts = (f"; {printable(level.name)}\n{board}" for level, board in zip(named.levels, boards, strict=True))
    print("\n".join(texts), end="")


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of checking one level."""

    source: str
    """The file that contains it."""
    name: str
    size: str
    """Width × height in squares; empty if the level cannot be read."""
    error: str = ""
    """The error, with file, line and column; empty if the level is valid."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of checking all levels of a file, folder or pack."""

    puzzle: Puzzle
    findings: list[Finding]

    def as_json(self) -> list[dict[str, str]]:
        """Return one JSON object per level."""
        shown = ("source", "name", "size", "error")
        return [{"puzzle": self.puzzle.name, **{key: getattr(each, key) for key in shown}} for each in self.findings]


def report_on(choice: str, named: str | None, settings: Mapping[str, Any]) -> Report:
    """Check every level of a file, a folder, a bundled pack, or standard input.

    Args:
        choice: As for :func:`~.puzzle_detection.puzzle_for`, or ``-``.
        named: A puzzle's name or id, or None.
        settings: Options of the puzzle.

    Raises:
        ValueError: There are no such levels, or their puzzle cannot be determined.
    """
    if choice == STDIN:
        text = read_stdin()
        puzzle = puzzle_for(f"{text}\n", named)
        options = puzzle.read_options(**settings)
        found = _findings(puzzle, options, levels_in_text(puzzle.read, text, FROM_STDIN), FROM_STDIN)
        return Report(puzzle, found or [Finding(FROM_STDIN, "", "", no_level(FROM_STDIN))])
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options(**settings)
    base, number = split_number(choice)
    if os.path.isdir(base):
        read = levels_in_folder(puzzle.read, base)
        findings = [finding for file, items in read for finding in _findings(puzzle, options, items, str(file))]
        findings = findings or [Finding(base, "", "", f"{base}: no level files in this folder")]
    elif os.path.isfile(base) and not is_row_file(base):
        items = levels_in_file(puzzle.read, Path(base))
        findings = _findings(puzzle, options, items, base) or [Finding(base, "", "", no_level(base))]
    else:
        findings, number = (
            _findings(puzzle, options, select_levels(puzzle, choice, options=options).levels, choice),
            None,
        )
    return Report(puzzle, findings if number is None else [nth(findings, base, number)])


def _findings(puzzle: Puzzle, options: Any, items: Iterable[Level | LevelError], source: str) -> list[Finding]:
    """Return the results for levels that were read, and for the errors of others."""
    return [
        Finding(source, item.name, "", str(item))
        if isinstance(item, LevelError)
        else Finding(source, item.name, "{1}×{0}".format(*item.extent))
        for item in encodable(puzzle, items, options)
    ]


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
        console.print(_table(counts), highlight=False)


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


def _table(levels: list[Counts]) -> NumberTable:
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
