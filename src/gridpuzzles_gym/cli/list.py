"""``gridpuzzles list``: list the environments, or show one."""

import dataclasses
from typing import Annotated

import typer

from .common.options import Json, resolved
from .common.terminal import console, examples, print_json

group = typer.Typer()


@group.command("list", rich_help_panel="Look around", epilog=examples("list", "list wumpus"))
def list_command(
    env_id: Annotated[
        str | None,
        typer.Argument(metavar="ID", callback=resolved, help="ID or short name of one environment."),
    ] = None,
    json: Json = False,
) -> None:
    """List the environments, or show one: actions, observations, settings, levels, agents and documentation."""
    from ..commands import list as work
    from ..session import arguments

    if json:
        entries = [work.Entry.of(each) for each in ([env_id] if env_id else arguments.known_ids())]
        print_json([dataclasses.asdict(entry) for entry in entries])
    elif env_id is None:
        console.print(work.overview())
    else:
        console.print(work.Entry.of(env_id).panel())
        console.print(work.documentation(env_id))
