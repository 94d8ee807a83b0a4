"""A clock that excludes compilation time: it is paused while a kernel is loaded or compiled."""

import contextlib
import threading
import time
from collections.abc import Iterator


class _Pauses(threading.local):
    """The total duration of this thread's pauses in seconds, and the start of the current one."""

    total = 0.0
    since: float | None = None


_pauses = _Pauses()


def working_time() -> float:
    """Return wall-clock seconds without pauses; only differences within one thread are meaningful."""
    now = time.perf_counter() if _pauses.since is None else _pauses.since
    return now - _pauses.total


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Pause :func:`working_time` for this thread during the block."""
    if _pauses.since is not None:
        yield
        return
    _pauses.since = time.perf_counter()
    try:
        yield
    finally:
        _pauses.total += time.perf_counter() - _pauses.since
        _pauses.since = None
