"""``gridpuzzles levels check`` and ``show``: level files whose levels may be invalid."""

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ...engine.levels.left_out import encodable, levels_in_file, levels_in_folder, levels_in_text, no_level
from ...engine.levels.row_file import is_row_file
from ...engine.levels.text_files import read_level_text
from ...engine.messages import plural, printable
from ...engine.puzzle import Level, LevelError, Puzzle
from ...play.arguments import FROM_STDIN, STDIN, numbered, read_stdin, select_levels, selected_levels, split_number
from ...play.puzzle_detection import puzzle_for, puzzle_of_text, puzzle_or_guess
from ..common.errors import FAILED
from ..common.options import Json, Strict
from ..common.terminal import console, examples, print_json, say
from .options import LevelArgument, PuzzleName, group


@group.command(
    epilog=examples("levels check my_caves.txt --puzzle wumpus", "levels check levels/wumpus", "levels check first")
)
def check(
    choices: Annotated[
        list[str],
        typer.Argument(metavar="NAME|FILE|-", help="Files, folders, bundled packs, or - for standard input."),
    ],
    puzzle: PuzzleName = None,
    json: Json = False,
) -> None:
    """Check levels: print the size of each, or what is invalid and where. The exit code is 1 if any is invalid."""
    reports = [report_on(choice, puzzle) for choice in choices]
    findings = [finding for report in reports for finding in report.findings]
    errors = [finding.error for finding in findings if finding.error]
    if json:
        print_json([row for report in reports for row in report.as_json()])
        raise typer.Exit(FAILED if errors else 0)
    for choice, report in zip(choices, reports, strict=True):
        if report.guessed:
            say([f"{choice}: detected {report.puzzle.title} levels by their symbols; use --puzzle to override"])
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
def show(choice: LevelArgument, puzzle: PuzzleName = None, strict: Strict = False) -> None:
    """Print levels as text that can be pasted or piped into another command."""
    found = puzzle_for(choice, puzzle)
    options = found.read_options()
    texts = (
        f"; {printable(level.name)}\n{found.format(*found.encode(level, level.extent, options))}"
        for level in selected_levels(found, choice, strict)
    )
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
    guessed: bool
    """Whether the puzzle was detected by its symbols alone."""
    findings: list[Finding]

    def as_json(self) -> list[dict[str, str]]:
        """Return one JSON object per level."""
        shown = ("source", "name", "size", "error")
        return [{"puzzle": self.puzzle.name, **{key: getattr(each, key) for key in shown}} for each in self.findings]


def report_on(choice: str, named: str | None) -> Report:
    """Check every level of a file, a folder, a bundled pack, or standard input.

    Args:
        choice: As for :func:`~.puzzle_detection.puzzle_for`, or ``-``.
        named: A puzzle's name or id, or None.

    Raises:
        ValueError: There are no such levels, or their puzzle cannot be determined.
    """
    if choice == STDIN:
        text = read_stdin()
        puzzle, guessed = puzzle_of_text(text, named)
        found = _findings(puzzle, levels_in_text(puzzle.read, text, FROM_STDIN), FROM_STDIN)
        return Report(puzzle, guessed, found or [Finding(FROM_STDIN, "", "", no_level(puzzle, FROM_STDIN, text))])
    puzzle, guessed = puzzle_or_guess(choice, named)
    base, number = split_number(choice)
    if os.path.isdir(base):
        read = levels_in_folder(puzzle.read, base)
        findings = [finding for file, items in read for finding in _findings(puzzle, items, str(file))]
        findings = findings or [Finding(base, "", "", f"{base}: no level files in this folder")]
    elif os.path.isfile(base) and not is_row_file(base):
        items = levels_in_file(puzzle.read, Path(base))
        findings = _findings(puzzle, items, base) or [
            Finding(base, "", "", no_level(puzzle, base, read_level_text(Path(base))))
        ]
    else:
        findings, number = _findings(puzzle, select_levels(puzzle, choice).levels, choice), None
    return Report(puzzle, guessed, findings if number is None else [numbered(findings, base, number)])


def _findings(puzzle: Puzzle, items: Iterable[Level | LevelError], source: str) -> list[Finding]:
    """Return the results for levels that were read, and for the errors of others."""
    return [
        Finding(source, item.name, "", str(item))
        if isinstance(item, LevelError)
        else Finding(source, item.name, "{1}×{0}".format(*item.extent))
        for item in encodable(puzzle, items, puzzle.read_options())
    ]
