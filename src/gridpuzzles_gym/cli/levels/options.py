"""Arguments and options shared by the commands for levels."""

from pathlib import Path
from typing import Annotated

import typer

from ..common.options import LEVELS_HELP, read_input
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
