"""A clock for work that must not be charged with compiling: it stands still while a kernel is made ready."""

import contextlib
import threading
import time
from collections.abc import Iterator


class _Pauses(threading.local):
    """Seconds this thread's clock has stood still, and since when it does."""

    total = 0.0
    since: float | None = None


_pauses = _Pauses()


def working_time() -> float:
    """Seconds, to be subtracted from each other in one thread: wall-clock time without that of pauses."""
    now = time.perf_counter() if _pauses.since is None else _pauses.since
    return now - _pauses.total


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Within the block :func:`working_time` stands still for this thread."""
    if _pauses.since is not None:
        yield
        return
    _pauses.since = time.perf_counter()
    try:
        yield
    finally:
        _pauses.total += time.perf_counter() - _pauses.since
        _pauses.since = None
