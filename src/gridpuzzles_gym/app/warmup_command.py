"""``gridpuzzles warmup``: compile beforehand."""

from typing import Annotated

import typer

from .terminal import examples, say

EXAMPLES = examples("warmup", "warmup Sokoban-v0 EightPuzzle-v0")


def warmup(
    env_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]…", help="Environments; all, if none is given.")
    ] = None,
) -> None:
    """Compile everything that environments need, once, so that nothing has to wait for it later.

    That is what playing, watching and solving would compile when they first need it. It takes some minutes
    for all environments, and lasts until their code changes. Ctrl-C keeps what is done.
    """
    from .warmup import warm_up

    folder = warm_up(env_ids or ())
    say([f"ready: machine code is in {folder}"])
