"""``gridpuzzles warmup``: compile beforehand."""

from typing import Annotated

import typer

from .options import resolved
from .terminal import examples, say

group = typer.Typer()


@group.command(rich_help_panel="Look around", epilog=examples("warmup", "warmup sokoban tiles"))
def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Environments, by names of [cyan]gridpuzzles list[/]; else all."),
    ] = None,
) -> None:
    """Compile everything that environments need, once, so that nothing has to wait for it later.

    That is what playing, watching, training and solving would compile when they first need it. It takes some minutes
    for all environments, and lasts until their code changes. Ctrl-C keeps what is done.
    """
    from ..app.warmup import warm_up

    folder = warm_up([env_id for env_id in map(resolved, names or ()) if env_id])
    say([f"ready: machine code is in {folder}"])
