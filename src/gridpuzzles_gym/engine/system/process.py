"""This process: deferred Ctrl-C, its processors and its memory.

Ctrl-C is recorded while something must not be interrupted, and raised afterwards. A KeyboardInterrupt raised while
machine code is loaded or a library is partly imported hangs or crashes the process; one raised in a callback of the
garbage collector is dropped by Python.
"""

import builtins
import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any, Literal

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Options of glibc's ``mallopt``: M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of ``malloc.h``."""
_deferring = 0
"""The number of blocks of :func:`uninterrupted` that the main thread is in."""


class Interruption:
    """A context manager that records Ctrl-C in :attr:`wanted` instead of raising it; long loops poll that.

    It does nothing outside the main thread, or if the program has installed another signal handler.

    Args:
        second: What a second Ctrl-C does: it is raised at once, recorded too, or ends the process at once, even in the
            middle of machine code.
    """

    def __init__(self, second: Literal["raise", "wait", "end"] = "raise") -> None:
        self.wanted, self.second = False, second
        self._before: Any = None

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler or isinstance(getattr(handler, "__self__", None), Interruption):
                self._before = handler
                signal.signal(signal.SIGINT, self._note)
        return self

    @property
    def installed(self) -> bool:
        """Whether Ctrl-C is recorded here."""
        return self._before is not None

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted and self.second == "raise":
            signal.default_int_handler(number, frame)
        self.wanted = True
        if self.second == "end":
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    def __exit__(self, *exception: object) -> None:
        if self.installed:
            signal.signal(signal.SIGINT, self._before)


@contextlib.contextmanager
def uninterrupted() -> Iterator[Interruption]:
    """Defer Ctrl-C to the end of the block, where it is raised, or deferred further by an enclosing block."""
    global _deferring
    interruption = Interruption("wait")
    try:
        with interruption:
            _deferring += interruption.installed
            try:
                yield interruption
            finally:
                _deferring -= interruption.installed
    finally:
        if interruption.wanted:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def uninterrupted_imports() -> Iterator[None]:
    """Defer Ctrl-C during every import within the block; for programs, not for libraries."""
    original = builtins.__import__

    def whole(*arguments: Any, **named: Any) -> Any:
        if _deferring:  # the compiler imports thousands of times, and is not interrupted anyway
            return original(*arguments, **named)
        with uninterrupted():
            return original(*arguments, **named)

    builtins.__import__ = whole
    try:
        yield
    finally:
        builtins.__import__ = original


def usable_cores() -> int:
    """Return the number of cores that this process may use: fewer than the machine has, after ``taskset``."""
    with contextlib.suppress(AttributeError):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def release_freed_memory() -> None:
    """Return freed memory to the operating system, if the C library can do so on request (glibc).

    glibc may keep freed arrays of up to 32 MiB for later ones. Where arrays are replaced by larger ones again and
    again, a process would hold much more than is in use.
    """
    trim = _glibc("malloc_trim")
    if trim is not None:
        trim(0)


def keep_freed_memory() -> None:
    """Keep freed arrays of up to 32 MiB for later ones, if the C library is glibc.

    Where large arrays are made and freed again and again, it may otherwise return them to the operating system each
    time, which clears the memory of every new one.
    """
    set_option = _glibc("mallopt")
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, 1 << 25)
        set_option(_TRIM_THRESHOLD, (1 << 31) - 1)


def _glibc(function: str) -> Any:
    """Return a function of the C library, or None if it has none of this name."""
    return getattr(ctypes.CDLL(None), function, None) if sys.platform == "linux" else None
