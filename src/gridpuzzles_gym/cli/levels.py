"""``gridpuzzles levels``: check, print, draw, count, convert, import and solve levels."""

import contextlib
import dataclasses
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from .common.errors import FAILED, INTERRUPTED
from .common.options import LEVELS_HELP, Force, Json, Ray, SheetAnswers, SheetTheme, Strict, Workers, read_input
from .common.terminal import HelpfulGroup, console, examples, print_json, say

group = typer.Typer(cls=HelpfulGroup, help="Check, print, draw, count, convert, import, solve and rate levels.")

PuzzleName = Annotated[
    str | None,
    typer.Option(
        "--puzzle", metavar="NAME|ID", help="Puzzle the levels belong to.", show_default="detected automatically"
    ),
]
Choice = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        callback=read_input,
        help=LEVELS_HELP,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="xsb|rle|letters|sok|slc",
        help="Format to write.",
        show_default="by the suffix of --out, otherwise xsb",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file instead of printing.")]
RowTable = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Also write a table, row by row."),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Continue after an interruption, with the same options: leave out the levels in the table."
    ),
]


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
    from ..commands.levels import files as level_files
    from ..engine.messages import plural

    reports = [level_files.check(choice, puzzle) for choice in choices]
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
def show(choice: Choice, puzzle: PuzzleName = None, strict: Strict = False) -> None:
    """Print levels as text that can be pasted or piped into another command."""
    from ..commands.levels import files as level_files

    print("\n".join(level_files.show(choice, puzzle, strict)), end="")


@group.command(
    epilog=examples(
        "levels sheet medium --out medium.png",
        "levels sheet caves.txt --out caves.png --puzzle wumpus",
        "levels sheet easy --out easy.pdf --theme light --answers",
    )
)
def sheet(
    choice: Choice,
    out: Annotated[Path, typer.Option(metavar="PNG|PDF", help="File to write: one picture, or A4 pages to print.")],
    puzzle: PuzzleName = None,
    style: Annotated[
        str | None, typer.Option(metavar="NAME|FOLDER", help="Style of the pictures, or a folder of sprites.")
    ] = None,
    theme: SheetTheme = "dark",
    answers: SheetAnswers = False,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Draw the first 100 levels with their names, in one picture or on pages."""
    from ..commands.sheets import answers as sheet_answers
    from ..commands.sheets import sheets

    order = sheets.SheetOrder(out, style, theme, sheet_answers.answers_with_progress if answers else None, force)
    say([f"wrote {path}" for path in sheets.draw_choice(choice, puzzle, order, strict)])


@group.command(epilog=examples("levels stats first", "levels stats microban.slc"))
def stats(choice: Choice, puzzle: PuzzleName = None, strict: Strict = False, json: Json = False) -> None:
    """Print the size of each level and the number of its elements, and the totals."""
    from ..commands.levels import stats as work

    counts = work.count(choice, puzzle, strict)
    if json:
        print_json([dataclasses.asdict(count) for count in counts])
    else:
        console.print(work.table(counts), highlight=False)


@group.command(epilog=examples("levels convert microban.slc --out microban.xsb", "levels convert first --to rle"))
def convert(
    choice: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE|-",
            help="Bundled Sokoban pack, file or folder, or - for standard input; NAME:3 is its third level.",
        ),
    ],
    to: Format = None,
    out: Out = None,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Convert Sokoban levels to another format. The format they are in is detected automatically."""
    from ..commands.levels import convert as work

    _put(work.convert(choice, to, out, strict), out, force)


@group.command(
    "import",
    epilog=examples(
        "levels import level.html",
        "levels import level.html --tile 3=wall --tile 'stone2=box on goal' --out mine.xsb",
        "levels import - < copied.txt",
    ),
)
def import_command(
    page: Annotated[str, typer.Argument(metavar="PAGE|-", help="HTML or text file, or - for standard input.")],
    tiles: Annotated[
        list[str] | None,
        typer.Option(
            "--tile",
            metavar="NAME=WHAT",
            help="Square that a picture or symbol stands for, e.g. 3=wall. Can be repeated.",
        ),
    ] = None,
    to: Format = None,
    out: Out = None,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Import Sokoban levels from a web page with pictures or text, or from any copied text, such as a mail or code."""
    from ..commands.levels import convert as work

    shown = work.read_tiles(tiles or [])
    _put(work.import_levels(page, shown, to, out, strict), out, force)


def _put(text: str, out: Path | None, force: bool) -> None:
    """Print a text, or write it to a file."""
    if out is None:
        print(text, end="")
        return
    from ..engine.system.files import write_text
    from ..session.arguments import new_file

    write_text(new_file(out, force), text)
    say([f"wrote {out}"])


@group.command(
    epilog=examples(
        "levels solve first",
        "levels solve microban.slc --seconds 60 --csv microban.csv",
        "levels solve eight --search tile-ida-star --heuristic manhattan",
    )
)
def solve(
    choice: Choice,
    puzzle: PuzzleName = None,
    search: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="the puzzle's own, otherwise astar", help="Search to use."),
    ] = None,
    heuristic: Annotated[
        str | None, typer.Option(metavar="NAME", help="Heuristic to use.", show_default="the puzzle's first")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit in seconds, for each level.")] = 60,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of states to expand, for each level.")
    ] = None,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of a process's search in MiB.")] = 4096,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Parameter of the search. Can be repeated."),
    ] = None,
    csv: RowTable = None,
    resume: Resume = False,
    workers: Workers = None,
    ray: Ray = None,
    strict: Strict = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Solve every level of a file or pack. Each solution is verified by playing it. Ctrl-C keeps finished levels."""
    from ..commands import solve as search_work
    from ..commands.levels import row_file, work
    from ..commands.levels import solve as solving
    from ..session.arguments import read_settings

    limits = search_work.limits(nodes, None, seconds, memory)
    chosen = read_settings(parameters or (), "--param")
    solver, levels = solving.read_solver(choice, puzzle, search, heuristic, limits, chosen, strict)
    results = []
    with row_file.open_rows(csv, solving.COLUMNS, levels, solver.request, force, resume) as table:
        results += [solving.LevelResult.of_row(row) for row in table.rows] if table else []
        with contextlib.suppress(KeyboardInterrupt):
            for result in work.results_of(solver, levels, len(results), workers, ray):
                results.append(result)
                if table and not result.interrupted:
                    table.write(result.row())
                if not (table or json):
                    print(result.line(), flush=True)
                if result.interrupted:
                    break
    if json:
        print_json([dataclasses.asdict(result) for result in results])
    else:
        say([solving.summary(results), *([f"wrote {csv}"] if csv and results else [])])
    if len(results) < len(levels) or (results and results[-1].interrupted):
        raise typer.Exit(INTERRUPTED)


@group.command(
    epilog=examples("levels rate first", "levels rate medium --csv medium.csv --workers 4", "levels rate textbook")
)
def rate(
    choice: Choice,
    puzzle: PuzzleName = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit in seconds, for each search.")] = 60,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of a process's search in MiB.")] = 1024,
    csv: RowTable = None,
    resume: Resume = False,
    workers: Workers = None,
    ray: Ray = None,
    strict: Strict = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure how hard the levels of a file or pack are: the lengths of shortest solutions, and the puzzle's measures.

    Where chance plays a part, the strongest agent plays 200 games on each level. Ctrl-C keeps finished levels.
    """
    from ..commands import solve as search_work
    from ..commands.levels import rate as rating_work
    from ..commands.levels import row_file, work
    from ..session.arguments import chosen_levels
    from ..session.puzzle_detection import puzzle_for

    found = puzzle_for(choice, puzzle)
    levels, columns = chosen_levels(found, choice, strict), rating_work.columns_of(found)
    names = list(columns)[2:]
    rater = rating_work.LevelRater(found, search_work.limits(None, None, seconds, memory))
    rows: list[list[str]] = []
    with row_file.open_rows(csv, columns, levels, rater.request, force, resume) as table:
        rows += table.rows if table else []
        with contextlib.suppress(KeyboardInterrupt):
            for rating in work.results_of(rater, levels, len(rows), workers, ray):
                rows.append(rating.row(names))
                if table:
                    table.write(rows[-1])
                elif not json:
                    print(rating.line(), flush=True)
    if json:
        print_json([rating_work.as_json(row, names) for row in rows])
    else:
        say([rating_work.summary(rows, names), *([f"wrote {csv}"] if csv and rows else [])])
    if len(rows) < len(levels):
        raise typer.Exit(INTERRUPTED)
