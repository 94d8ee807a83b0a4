"""``gridpuzzles solve``: solve instances by search."""

from typing import Annotated

import typer

from ..play import solving
from ..play.arguments import read_settings
from .common.errors import INTERRUPTED
from .common.options import (
    EnvironmentId,
    HeuristicName,
    Json,
    Levels,
    Memory,
    Nodes,
    Parameters,
    Setting,
    Style,
    game_of,
)
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
    heuristic: HeuristicName = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Trained network that guides the searches lts, phs and value-astar: pretrained, or a model.",
        ),
    ] = None,
    nodes: Nodes = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of moves of a solution.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Time limit in seconds.")] = None,
    memory: Memory = 4096,
    parameters: Parameters = None,
    settings: Setting = None,
    watch: Annotated[bool, typer.Option("--watch", help="Play the solutions in a window.")] = False,
    style: Style = None,
    json: Json = False,
) -> None:
    """Solve instances by search; print solutions and statistics. Ctrl-C ends a search and keeps its best so far."""
    chosen, limits = read_settings(parameters or (), "--param"), solving.limits(nodes, depth, seconds, memory)
    game = game_of(env_id, settings, levels, style)
    solutions = list(solving.solve(game, seed, searches or ["astar"], heuristic, limits, chosen, model))
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

        say(show_solutions(game, solutions))
