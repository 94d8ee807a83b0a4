"""How the window fails: it cannot be opened, the display is lost, or a bug ends it; does not import pygame."""

import contextlib
import ctypes
import datetime
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from ..._version import __version__

INVISIBLE_DRIVERS = frozenset({"dummy", "offscreen"})
"""The names of SDL's video drivers whose windows are invisible."""
LOST = "gridpuzzles: the display is gone"
_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class NoWindowError(OSError):
    """No window can be opened."""


class CrashError(RuntimeError):
    """A bug has ended the window; the message says where its traceback is."""


def crash(error: Exception) -> CrashError:
    """Write the traceback of an error to the user's log file, and return the error that names the file."""
    import platformdirs

    what = "".join(traceback.format_exception_only(error)).strip()
    file = platformdirs.user_log_path("gridpuzzles_gym") / "window.log"
    try:
        if not file.is_absolute():
            raise FileNotFoundError("this user has no home folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S}, gridpuzzles_gym {__version__}\n")
            log.write("".join(traceback.format_exception(error)) + "\n")
    except OSError:
        return CrashError(f"{what} (this is a bug: please report it with the output of --debug)")
    return CrashError(f"{what} (this is a bug: please report it with {file})")


@contextlib.contextmanager
def display_loss(save: Callable[[], object]) -> Iterator[None]:
    """If the display is lost in this context, call ``save()`` and end the process with a message and exit code 1.

    Xlib ends the process without returning to the program; before that it calls an error handler, which may not draw.
    The window must be open already. Has no effect on systems other than X11.
    """
    library = _xlib()
    if library is None:
        yield
        return

    def lost(display: int) -> int:
        try:
            save()
            os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{LOST}\n".encode())
        finally:
            os._exit(1)

    handler = _Handler(lost)
    library.XSetIOErrorHandler.restype = ctypes.c_void_p
    library.XSetIOErrorHandler.argtypes = [ctypes.c_void_p]
    before = library.XSetIOErrorHandler(ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield
    finally:
        library.XSetIOErrorHandler(before)


def _xlib() -> ctypes.CDLL | None:
    """Return the Xlib loaded in this process; None if there is none."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    loaded = {line.split(maxsplit=5)[-1] for line in maps.splitlines() if "/libX11" in line}
    paths = [path for path in loaded if Path(path).name.startswith(("libX11.so", "libX11-")) and "xcb" not in path]
    return ctypes.CDLL(paths[0]) if len(paths) == 1 else None
