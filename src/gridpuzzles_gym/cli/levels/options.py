"""Arguments and options shared by the commands for levels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from gridpuzzles_gym.agents.level_selection import selected_levels

from ...engine.puzzle import Level, Puzzle
from ...play.puzzle_detection import puzzle_for
from ..common.options import LEVELS_HELP, read_input, settings_of
from ..common.terminal import HelpfulGroup

group = typer.Typer(cls=HelpfulGroup, help="Check, print, draw, count, convert, import, solve and rate levels.")

PuzzleName = Annotated[
    str | None,
    typer.Option(
        "--puzzle", metavar="NAME|ID", help="Puzzle the levels belong to.", show_default="detected automatically"
    ),
]
LevelArgument = Annotated[str, typer.Argument(metavar="NAME|FILE", callback=read_input, help=LEVELS_HELP)]
RowTable = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Also write a table, row by row.")]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Continue the table, with the same options: leave out the levels that are in it."),
]


class NamedLevels(NamedTuple):
    """The levels that a command is given."""

    puzzle: Puzzle
    options: Any
    """The puzzle's options with which they are read and played."""
    levels: list[Level]


def read_named(
    choice: str, puzzle: str | None, pairs: Sequence[str] | None, strict: bool, style: str | None = None
) -> NamedLevels:
    """Return the levels given by the argument, ``--puzzle``, ``--set``, ``--strict`` and ``--style``.

    Raises:
        ValueError: There are no such levels, their puzzle cannot be detected, or a setting is invalid.
    """
    found = puzzle_for(choice, puzzle)
    options = found.read_options(**settings_of(pairs, style))
    return NamedLevels(found, options, selected_levels(found, choice, strict, options))
