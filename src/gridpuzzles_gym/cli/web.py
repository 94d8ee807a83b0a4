"""``gridpuzzles web``: the puzzles as pages."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import Force
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Look around",
    epilog=examples(
        "web", "web --port 8000 --no-browser", "web --out public --model runs/wumpus", "web my_package:Maze-v0"
    ),
)
def web(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Environments of your own that get a page, too.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=65535, help="Port to serve on.", show_default="8765, or any free one"),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the site in the browser.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the site to this folder, for any web server, and exit."),
    ] = None,
    models: Annotated[
        list[Path] | None,
        typer.Option("--model", metavar="MODEL", help="Trained model to watch on the pages. Can be repeated."),
    ] = None,
    force: Force = False,
) -> None:
    """Play in the browser: serve the site on this computer. Ctrl-C ends it.

    The pages need no network. Their puzzles have the same rules as the environments, compiled to WebAssembly.
    """
    from ..commands.web import serve, write

    if out is not None:
        say([f"wrote {write(out, force, models or (), ids or ())} files to {out}"])
    else:
        serve(port, not no_browser, _tell, models or (), ids or ())


def _tell(address: str) -> None:
    say([f"serving {address} – Ctrl-C ends it"])
