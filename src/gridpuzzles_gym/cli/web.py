"""``gridpuzzles web``: the puzzles as pages, served on this computer or written to a folder."""

import contextlib
import errno
import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gridpuzzles_gym.web.assembly import site, write_site
from gridpuzzles_gym.web.serving import Server

from ..engine.puzzle import load_puzzle
from ..play.arguments import resolve_id
from ..registration import environment_of
from .common.options import Force
from .common.terminal import examples, say

group = typer.Typer()

USUAL = 8765
"""The port that is tried first: what browsers keep belongs to an address with its port."""


@group.command(
    rich_help_panel="Look around",
    epilog=examples("web", "web --port 8000 --no-browser", "web --out public", "web my_package:Maze-v0"),
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
    force: Force = False,
) -> None:
    """Play in the browser: serve the site on this computer. Ctrl-C ends it.

    The pages need no network. Their puzzles have the same rules as the environments, compiled to WebAssembly.
    """
    if out is not None:
        say([f"wrote {write(out, force, ids or ())} files to {out}"])
    else:
        serve(port, not no_browser, _tell, ids or ())


def _tell(address: str) -> None:
    say([f"serving {address} – Ctrl-C ends it"])


def serve(
    port: int | None,
    browser: bool,
    tell: Callable[[str], None],
    ids: Sequence[str] = (),
) -> None:
    """Serve the site until Ctrl-C.

    Args:
        port: The port; None: the usual one, or any other if it is taken.
        browser: Open the site in the browser.
        tell: Receives the address once it is served.
        ids: Environments of other packages, whose puzzles get pages, too; their rules are compiled first.

    Raises:
        ValueError: A puzzle has no picture, or there is no linker to compile its rules with.
        OSError: The port is taken, or must not be used.
    """
    with _server(port, _made(ids)) as server:
        tell(server.address)
        if browser:
            webbrowser.open(server.address)
        server.serve_forever()


def _made(ids: Sequence[str]) -> dict[str, bytes]:
    """Return the files of the site with pages for some environments of other packages."""
    if not ids:
        return site()
    from gridpuzzles_gym.web.building import all_modules, build
    from gridpuzzles_gym.web.linking import NoLinkerError

    own = [environment_of(resolve_id(id)) for id in ids]
    for environment in own:
        if load_puzzle(environment.puzzle).picture is None:
            raise ValueError(f"{environment.id} has no page: its puzzle has no picture (picture.py)")
    with tempfile.TemporaryDirectory() as folder:
        try:
            build(all_modules(own), Path(folder))
        except NoLinkerError as error:
            raise ValueError(str(error)) from None
        return site(own, Path(folder))


def _server(port: int | None, files: Mapping[str, bytes]) -> Server:
    if port is None:
        with contextlib.suppress(OSError):
            return Server(files, USUAL)
    try:
        return Server(files, port or 0)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"port {port}") from None


def write(folder: Path, force: bool, ids: Sequence[str] = ()) -> int:
    """Write the site to a folder and return the number of files.

    Args:
        folder: The folder; it is made if it does not exist.
        force: Write also if it is not empty. Files of other names stay.
        ids: As for :func:`serve`.

    Raises:
        ValueError: As for :func:`serve`.
        FileExistsError: The folder is not empty.
    """
    if not force and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(errno.EEXIST, "not an empty folder; use --force to write to it", str(folder))
    return len(write_site(folder, _made(ids)))
