"""Memory that was freed, returned to the operating system."""

import ctypes
import sys


def release_freed_memory() -> None:
    """Return freed memory to the operating system, if the C library can do so on request (glibc).

    glibc may keep freed arrays of up to 32 MiB for later ones. Where arrays are replaced by larger ones again and
    again, a process would hold much more than is in use.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
