"""A lock between processes that is released when the process that holds it ends, however it ends."""

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
def locked(path: Path, wait: Callable[[], object], remove: bool = False) -> Iterator[None]:
    """Hold the lock of a file within the block.

    The operating system releases the lock when the process ends, even by ``kill -9``, so it is never stale; the empty
    file remains. If the file cannot be created or the system has no such locks, the block runs without a lock.

    Args:
        path: The file; its folder must exist.
        wait: Called repeatedly while another process or thread holds the lock; may raise.
        remove: Remove the file at the end of the block; the same for all that use this lock.
    """
    handle = _opened(path)
    held = False
    try:
        while handle is not None and not held:
            if not _taken(handle):
                wait()
                time.sleep(_PAUSE)
            elif not remove or _is_at(path, handle):
                held = True
            else:  # its last holder has removed it: the lock is that of a new file
                os.close(handle)
                handle = _opened(path)
        yield
    finally:
        if remove and held:
            with contextlib.suppress(OSError):
                path.unlink()
        if handle is not None:
            os.close(handle)


def _opened(path: Path) -> int | None:
    if fcntl is None:
        return None
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _is_at(path: Path, handle: int) -> bool:
    """Whether this open file is the one at that path; True if that is unknown."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _taken(handle: int) -> bool:
    """Try to take the lock; returns True if it was free, or if the file system does not support locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
