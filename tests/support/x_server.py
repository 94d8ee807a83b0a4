"""A display of its own for a test."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

NEEDS_X_SERVER = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb on this machine")


@contextlib.contextmanager
def x_server(screen: str) -> Iterator[tuple["subprocess.Popen[bytes]", dict[str, str]]]:
    """Start a display; yield its process and the environment of programs that use it.

    Args:
        screen: Its size and depth, such as ``"1280x800x24"``.
    """
    there, end = os.pipe()
    options = ["-displayfd", str(end), "-screen", "0", screen, "-nolisten", "tcp"]
    server = subprocess.Popen(["Xvfb", *options], pass_fds=[end], stderr=subprocess.DEVNULL)
    os.close(end)
    with os.fdopen(there) as numbers:
        number = numbers.readline().strip()
    try:
        yield server, {**os.environ, "DISPLAY": f":{number}", "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy"}
    finally:
        server.kill()
        server.wait()
