"""A lock between processes that is released when the process that holds it ends, however it ends."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

_PAUSE = 0.02
"""Seconds between two attempts."""


@contextlib.contextmanager
def locked(path: Path, wait: Callable[[], object], remove: bool = False) -> Iterator[None]:
    """Hold the lock of a file within the block.

    The operating system releases the lock when the process ends, even by ``kill -9``, so it is never stale; the empty
    file remains. If the file cannot be created or its file system has no locks, the block runs without a lock.

    Args:
        path: The file; missing folders are created.
        wait: Called repeatedly while another process or thread holds the lock; may raise.
        remove: Remove the file at the end of the block; all users of this lock must do the same.
    """
    from filelock import FileLock, Timeout  # only here: with all kernels compiled, no lock is needed

    # preserve_lock_file: the library never removes the file, which may be the next holder's by then, and never takes
    # the mere existence of a file for a lock.
    lock = FileLock(path, mode=0o600, thread_local=False, preserve_lock_file=True)

    def acquired() -> bool:
        """Try twice, since a file that its last holder has just removed counts as locked. True without locks."""
        try:
            lock.acquire(timeout=_PAUSE, poll_interval=_PAUSE)
        except Timeout:
            return False
        except OSError:
            return True
        return True

    try:
        while not acquired():
            wait()
        yield
    finally:
        if remove and lock.is_locked:
            with contextlib.suppress(OSError):
                path.unlink()
        lock.release()
