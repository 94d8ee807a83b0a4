"""``gridpuzzles warmup``: compile ahead of time."""

from typing import Annotated

import typer

from .options import resolved
from .terminal import examples, say

group = typer.Typer()


@group.command(rich_help_panel="Look around", epilog=examples("warmup", "warmup sokoban tiles"))
def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="IDs or short names of environments.", show_default="all"),
    ] = None,
) -> None:
    """Compile everything the environments need ahead of time.

    Otherwise the first use of each environment, search and agent compiles what it needs. Compiling all environments
    takes some minutes; the result is kept until their code changes. Ctrl-C keeps what is compiled so far.
    """
    from ..app.warmup import warm_up

    folder = warm_up([env_id for env_id in map(resolved, names or ()) if env_id])
    say([f"done; compiled code is in {folder}"])
