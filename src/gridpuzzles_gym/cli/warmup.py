"""``gridpuzzles warmup``: compile ahead of time, and build tables."""

from typing import Annotated

import typer

from .common.options import Ray, Setting, Workers, resolved, settings_of
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Look around",
    epilog=examples("warmup", "warmup sokoban tiles", "warmup 15-puzzle --heuristic pdb-7-8 --workers 2"),
)
def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="IDs or short names of environments.", show_default="all"),
    ] = None,
    heuristics: Annotated[
        list[str] | None,
        typer.Option(
            "--heuristic", metavar="NAME", help="Build the tables of this heuristic instead. Can be repeated."
        ),
    ] = None,
    settings: Setting = None,
    workers: Workers = None,
    ray: Ray = None,
) -> None:
    """Compile everything the environments need ahead of time, or build tables that are kept on disk.

    Otherwise the first use of each environment, search and agent compiles what it needs. Compiling all environments
    takes some minutes; the result is kept until their code changes. Ctrl-C keeps what is compiled so far.

    With [cyan]--heuristic[/], pattern databases are built, one pattern in each process; [cyan]--set[/] chooses the
    board and its goal. Ctrl-C keeps the patterns that are finished.
    """
    from ..commands.warmup import build_tables, warm_up

    env_ids = [env_id for env_id in map(resolved, names or ()) if env_id]
    if heuristics:
        kept = build_tables(env_ids, heuristics, workers, ray, **settings_of(settings))
        say([f"done; the tables are in {kept}"])
        return
    unused = {"--set": settings, "--workers": workers, "--ray": ray}
    for option, given in unused.items():
        if given is not None:
            raise ValueError(f"{option} is for tables: it needs --heuristic NAME")
    folder = warm_up(env_ids)
    say([f"done; compiled code is in {folder}"])
