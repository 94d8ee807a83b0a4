"""``gridpuzzles solve``: solve instances by search."""

from typing import Annotated

import typer

from ..play import solving
from ..play.arguments import read_settings
from .common.errors import INTERRUPTED
from .common.options import EnvironmentId, Json, Levels, Setting, Style, settings_of
from .common.terminal import console, examples, print_json, say

group = typer.Typer()


@group.command(
    rich_help_panel="Search",
    epilog=examples(
        "solve 8-puzzle --seed 7",
        'solve 8-puzzle --levels "8 6 7 / 2 5 4 / 3 0 1" --watch',
        "solve 15-puzzle --search tile-ida-star --heuristic pdb-6-6-3",
        "solve 8-puzzle --levels classic --search breadth-first --search depth-first --search astar",
        "solve 8-puzzle --levels classic:3 --search all --seconds 5",
        "solve sokoban --search phs --model pretrained --nodes 10000",
    ),
)
def solve(
    env_id: EnvironmentId,
    levels: Levels = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the random instance and of randomized searches.")
    ] = None,
    searches: Annotated[
        list[str] | None,
        typer.Option("--search", metavar="NAME", help="Search to use, or all. Can be repeated.", show_default="astar"),
    ] = None,
    heuristic: Annotated[
        str | None, typer.Option(metavar="NAME", help="Heuristic to use.", show_default="the puzzle's first")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Trained network that guides the searches lts, phs and value-astar: pretrained, or a model.",
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of states to expand.")] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of moves of a solution.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Time limit in seconds.")] = None,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of the search in MiB.")] = 4096,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--param", metavar="NAME=VALUE", help="Parameter of the search, e.g. weight=1.5. Can be repeated."
        ),
    ] = None,
    settings: Setting = None,
    watch: Annotated[bool, typer.Option("--watch", help="Play the solutions in a window.")] = False,
    style: Style = None,
    json: Json = False,
) -> None:
    """Solve instances by search; print solutions and statistics. Ctrl-C ends a search and keeps its best so far."""
    kwargs, chosen = settings_of(settings, style), read_settings(parameters or (), "--param")
    limits = solving.limits(nodes, depth, seconds, memory)
    solutions = list(
        solving.solve(env_id, levels, seed, searches or ["astar"], heuristic, limits, chosen, model, **kwargs)
    )
    if json:
        print_json([solution.as_json() for solution in solutions])
    elif len(solutions) == 1:
        say(list(solving.describe(solutions[0])))
    else:
        console.print(solving.table(solutions))
    if solving.interrupted(solutions):
        raise typer.Exit(INTERRUPTED)
    if watch:
        from ..play.window.app import show_solutions  # needs a display

        say(show_solutions(env_id, solutions, **kwargs))
