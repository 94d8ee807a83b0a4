"""``gridpuzzles generate``: make levels, as many as wanted, and say what they are like."""

from pathlib import Path
from typing import Annotated

import typer

from .errors import FAILED, INTERRUPTED
from .options import Force, Json
from .terminal import console, examples, notices, print_json, say

group = typer.Typer()


@group.command(
    rich_help_panel="Levels",
    epilog=examples(
        "generate sokoban",
        "generate sokoban --size 7 --boxes 2 --count 100 --out small.txt --sheet small.png",
        "generate sokoban --seconds 60 --workers 2 --least-nodes 100 --out hard.txt",
        "generate sokoban --simulations 10000 --evaluation original --out as_the_original.txt",
        "generate bait --size 7 --difficulty medium --count 500 --out mine.txt",
        "generate wumpus --size 6 --set pits=5 --count 100 --out caves.txt --sheet caves.png",
        "generate FifteenPuzzle-v0 --set scramble=20",
    ),
)
def generate(
    puzzle: Annotated[str, typer.Argument(metavar="PUZZLE", help="Whose levels, by its name or id.")],
    count: Annotated[
        int | None, typer.Option(metavar="N", help="How many.", show_default="10, or what --seconds allow")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Stop so long after the first level; what is unfinished is dropped."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Equal seeds give equal levels.")] = 0,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="Processes. The levels are the same for any number.")
    ] = 1,
    size: Annotated[int | None, typer.Option(metavar="N", help="Squares a side, outer walls included.")] = None,
    width: Annotated[int | None, typer.Option(metavar="N", help="Or one side each.")] = None,
    height: Annotated[int | None, typer.Option(metavar="N")] = None,
    difficulty: Annotated[
        str | None, typer.Option(metavar="easy|medium|hard|N", help="How hard they are: of Bait.")
    ] = None,
    boxes: Annotated[int | None, typer.Option(metavar="N", help="Of Sokoban, as what follows.")] = None,
    simulations: Annotated[int | None, typer.Option(metavar="N", help="Of the search for a good level, each.")] = None,
    evaluation: Annotated[
        str | None, typer.Option(metavar="original|measured", help="What a good level is: its looks, or what it takes.")
    ] = None,
    least_pushes: Annotated[int | None, typer.Option(metavar="N", help="What takes fewer is passed over.")] = None,
    most_pushes: Annotated[int | None, typer.Option(metavar="N")] = None,
    least_nodes: Annotated[int | None, typer.Option(metavar="N", help="The same, for positions of the solver.")] = None,
    most_nodes: Annotated[int | None, typer.Option(metavar="N")] = None,
    least_box_changes: Annotated[
        int | None, typer.Option(metavar="N", help="The same, for turning to another box.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting of what makes the levels, or of the environment; repeat it.",
        ),
    ] = None,
    avoid: Annotated[
        list[str] | None, typer.Option(metavar="NAME|FILE", help="Pass over what is in this pack or file; repeat it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a file instead of printing.")] = None,
    force: Force = False,
    sheet: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the first hundred of them in one picture.")
    ] = None,
    style: Annotated[str | None, typer.Option(metavar="NAME|FOLDER", help="How they are drawn there.")] = None,
    json: Json = False,
) -> None:
    """Make levels that can be solved. Ctrl-C keeps what is done.

    Levels come in the order of random words, which the seed gives: with more [cyan]--count[/] or
    [cyan]--seconds[/] there are more of them, the first ones the same. None comes twice; turned and mirrored boards of
    Sokoban count as the same. Beside a file of these goes a table [cyan]FILE.csv[/]: what each takes, a solution, its
    random word.
    """
    from ..app import generating, level_target
    from ..app.arguments import read_settings, read_value

    level = None if difficulty is None else read_value(difficulty)
    flags = {
        "size": size, "width": width, "height": height, "difficulty": level, "boxes": boxes,
        "simulations": simulations, "evaluation": evaluation, "least_pushes": least_pushes,
        "most_pushes": most_pushes, "least_nodes": least_nodes, "most_nodes": most_nodes,
        "least_box_changes": least_box_changes,
    }  # fmt: skip
    try:
        task = generating.Task(puzzle, flags, read_settings(settings or ()), avoid or ())
        target = level_target.Target(task.puzzle, out, sheet, style, force)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped before the first level; nothing is written") from None
    report = generating.gather(task.maker, task.known, seed, count, seconds, workers)
    written = target.write(report.kept, printed=not json)
    if json:
        print_json(report.as_json(target.titles(report.kept)) | {"written": written})
    else:
        (console if out else notices).print(generating.summary(report))
        say([f"written: {path}" for path in written])
    if report.interrupted or not report.kept:
        raise typer.Exit(INTERRUPTED if report.interrupted else FAILED)
