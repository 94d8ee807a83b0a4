"""``gridpuzzles worksheet``: make worksheets for a class."""

from pathlib import Path
from typing import Annotated

import typer

from .common.errors import INTERRUPTED
from .common.options import LEVELS_HELP, Force, Workers, given, read_input
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Teach",
    epilog=examples(
        "worksheet starter --out sheet.pdf",
        'worksheet my_levels.txt --out sheet.pdf --puzzle sokoban --title "Week 3: Sokoban"',
        "worksheet wumpus --out caves.pdf --count 6 --played-by online-search-careful",
        "worksheet 8-puzzle --out tiles.png --set scramble=20",
    ),
)
def worksheet(
    choice: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE|PUZZLE",
            callback=read_input,
            help=f"{LEVELS_HELP} Or a puzzle, for new levels.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="PDF|PNG", help="File to write.")],
    puzzle: Annotated[
        str | None,
        typer.Option(metavar="NAME|ID", help="Puzzle the levels belong to.", show_default="detected automatically"),
    ] = None,
    count: Annotated[
        int, typer.Option(metavar="N", help="Number of levels; from a larger pack, they are chosen at random.")
    ] = 12,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed for making or choosing levels.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Setting of new levels, as for [cyan]generate[/]. Can be repeated."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title.", show_default="the puzzle's name")] = None,
    played_by: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Show levels after this agent has played, e.g. caves explored by online-search-careful.",
        ),
    ] = None,
    style: Annotated[str | None, typer.Option(metavar="NAME|FOLDER", help="Style of the pictures.")] = None,
    no_answers: Annotated[
        bool, typer.Option("--no-answers", help="Write no pages with answers (NAME-answers.png, or in the PDF).")
    ] = False,
    workers: Workers = None,
    force: Force = False,
) -> None:
    """Make a worksheet for a class: levels on white, the easiest first, with space for a name, and pages with answers.

    The difficulty is that of the pack's table, otherwise the minimum length of a solution; where chance plays a part,
    how well the strongest agent plays. Hidden things are shown in the answers only.
    """
    from ..commands.sheets.worksheets import Worksheet, make_worksheet
    from ..engine.messages import plural
    from ..session.arguments import read_settings

    looks = given(title=title, played_by=played_by, style=style)
    made = make_worksheet(
        Worksheet(
            choice, out, puzzle, count, seed, read_settings(settings or ()),
            answers=not no_answers, workers=workers, force=force, **looks,
        )
    )  # fmt: skip
    say([f"{plural(len(made.exercises), 'level')} in order of {made.order}"])
    say([f"wrote {each}" for each in made.written])
    if made.missing:
        say([f"stopped: {plural(made.missing, 'level')} left out"])
        raise typer.Exit(INTERRUPTED)
