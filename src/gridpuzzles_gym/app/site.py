"""The puzzles as pages: served on this computer, or written to a folder."""

import contextlib
import errno
import webbrowser
from collections.abc import Callable
from pathlib import Path

from gridpuzzles_gym.web.assembly import site, write_site
from gridpuzzles_gym.web.serving import Server

USUAL = 8765
"""The port that is tried first: what browsers keep belongs to an address with its port."""


def serve(port: int | None, browser: bool, tell: Callable[[str], None]) -> None:
    """Serve the site until Ctrl-C.

    Args:
        port: The port; None: the usual one, or any other if it is taken.
        browser: Open the site in the browser.
        tell: Receives the address once it is served.

    Raises:
        OSError: The port is taken, or must not be used.
    """
    with _server(port) as server:
        tell(server.address)
        if browser:
            webbrowser.open(server.address)
        server.serve_forever()


def _server(port: int | None) -> Server:
    files = site()
    if port is None:
        with contextlib.suppress(OSError):
            return Server(files, USUAL)
    try:
        return Server(files, port or 0)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"port {port}") from None


def write(folder: Path, force: bool) -> int:
    """Write the site to a folder and return the number of files.

    Args:
        folder: The folder; it is made if it does not exist.
        force: Write also if it is not empty. Files of other names stay.

    Raises:
        FileExistsError: The folder is not empty.
    """
    if not force and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(errno.EEXIST, "not an empty folder; use --force to write to it", str(folder))
    return len(write_site(folder))
