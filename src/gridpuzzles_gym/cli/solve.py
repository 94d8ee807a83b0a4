"""``gridpuzzles solve``: plans by search."""

from typing import Annotated

import typer

from .errors import INTERRUPTED
from .options import EnvironmentId, Json, Setting, Style, settings_of
from .terminal import console, examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Search",
    epilog=examples(
        "solve EightPuzzle-v0 --seed 7",
        'solve EightPuzzle-v0 "8 6 7 / 2 5 4 / 3 0 1" --watch',
        "solve FifteenPuzzle-v0 --search tile-ida-star --heuristic pdb-6-6-3",
        "solve EightPuzzle-v0 classic --search breadth-first --search depth-first --search astar",
        "solve EightPuzzle-v0 classic:3 --search all --seconds 5",
    ),
)
def solve(
    env_id: EnvironmentId,
    level: Annotated[
        str | None,
        typer.Argument(
            metavar="[LEVEL|FILE]", help="As --level elsewhere, or a board with / between its rows; else one is drawn."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Of the instance drawn, and of random choices.")] = None,
    searches: Annotated[
        list[str] | None,
        typer.Option("--search", metavar="NAME", help="Repeat it, or say all.", show_default="astar"),
    ] = None,
    heuristic: Annotated[str | None, typer.Option(metavar="NAME", show_default="the puzzle's first")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Expand so many states at most.")] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Plan so many moves at most.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Search so long at most.")] = None,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Hold so much memory at most.")] = 4096,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Of the search, e.g. weight=1.5; repeat it."),
    ] = None,
    settings: Setting = None,
    watch: Annotated[bool, typer.Option("--watch", help="Play the plans in a window.")] = False,
    style: Style = None,
    json: Json = False,
) -> None:
    """Solve instances by search: plans and statistics. Ctrl-C ends a search with its best plan so far."""
    from ..app import solving
    from ..app.arguments import read_settings

    kwargs, chosen = settings_of(settings, style), read_settings(parameters or (), "--param")
    limits = solving.limits(nodes, depth, seconds, memory)
    solutions = list(solving.solve(env_id, level, seed, searches or ["astar"], heuristic, limits, chosen, **kwargs))
    if json:
        print(solving.as_json(solutions))
    elif len(solutions) == 1:
        say(list(solving.describe(solutions[0])))
    else:
        console.print(solving.table(solutions))
    if solving.interrupted(solutions):
        raise typer.Exit(INTERRUPTED)
    if watch:
        say(solving.show(env_id, level, solutions, **kwargs))
