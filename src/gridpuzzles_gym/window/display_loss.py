"""What happens when the display goes away while the window is open, such as an X server that ends.

Xlib ends the process then, without returning to the program. Before that it calls a function, which is all that can be
done: nothing may be drawn any more.
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
def display_loss(keep: Callable[[], object]) -> Iterator[None]:
    """Call ``keep()`` if the display goes away meanwhile, and end the process with one line and exit code 1.

    The window must be open already. Nothing happens on systems other than X11.
    """
    library = _xlib()
    if library is None:
        yield
        return

    def lost(display: int) -> int:
        try:
            keep()
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
    """Return the Xlib that is loaded in this process; None if there is none."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    loaded = {line.split(maxsplit=5)[-1] for line in maps.splitlines() if "/libX11" in line}
    paths = [path for path in loaded if Path(path).name.startswith(("libX11.so", "libX11-")) and "xcb" not in path]
    return ctypes.CDLL(paths[0]) if len(paths) == 1 else None
