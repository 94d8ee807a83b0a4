"""The processors that this process may use."""

import contextlib
import os


def usable_cores() -> int:
    """Return the number of cores that this process may use: fewer than the machine has, after ``taskset``."""
    with contextlib.suppress(AttributeError):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
