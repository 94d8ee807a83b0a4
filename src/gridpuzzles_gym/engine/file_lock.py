"""A lock between processes, which nobody can leave locked behind: it ends with the process that holds it."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]  # the lock does without

_PAUSE = 0.02


@contextlib.contextmanager
def locked(path: Path, wait: Callable[[], object]) -> Iterator[None]:
    """Hold the lock of a file within the block.

    The system releases it with the process, however that ends (``kill -9`` too), so a lock is never left
    over; the empty file stays. Where the file cannot be made or the system has no such locks, the block
    runs unlocked.

    Args:
        path: The file; its folder must exist.
        wait: Called again and again while another process (or thread) holds the lock; may raise.
    """
    handle = _opened(path)
    try:
        while handle is not None and not _taken(handle):
            wait()
            time.sleep(_PAUSE)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _opened(path: Path) -> int | None:
    if fcntl is None:
        return None
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _taken(handle: int) -> bool:
    """Was the lock free? True as well where the file system knows no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
