"""A clean end if the display is lost while the window is open, for example because the X server ends.

Xlib then ends the process without returning to the program. Before that it calls an error handler, which may not draw.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

LOST = "gridpuzzles: the display is gone"
_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


@contextlib.contextmanager
def display_loss(save: Callable[[], object]) -> Iterator[None]:
    """If the display is lost in this context, call ``save()`` and end the process with a message and exit code 1.

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
