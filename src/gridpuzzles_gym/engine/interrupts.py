"""Ctrl-C that waits: noted while something must not be broken off, and raised when that is over.

Raised in the middle, KeyboardInterrupt could strike while LLVM links machine code or a library is half
imported, which hangs or crashes, or in a callback of the garbage collector, where Python drops it.
"""

import builtins
import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any


class Interruption:
    """Notes a Ctrl-C instead of raising it, for whoever looks at :attr:`wanted` now and then.

    Where somebody else handles the signal, or off the main thread, all stays as it is.

    Args:
        insistent: Raise a second Ctrl-C at once.
    """

    def __init__(self, insistent: bool = True) -> None:
        self.wanted, self.insistent = False, insistent
        self._before: Any = None

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler or isinstance(getattr(handler, "__self__", None), Interruption):
                self._before = handler
                signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted and self.insistent:
            signal.default_int_handler(number, frame)
        self.wanted = True

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


@contextlib.contextmanager
def uninterrupted() -> Iterator[Interruption]:
    """Within the block every Ctrl-C is noted; at its end it is raised, or noted by the block around this one."""
    interruption = Interruption(insistent=False)
    try:
        with interruption:
            yield interruption
    finally:
        if interruption.wanted:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def uninterrupted_imports() -> Iterator[None]:
    """Within the block no import is broken off by Ctrl-C; for programs, not for libraries."""
    original = builtins.__import__

    def whole(*arguments: Any, **named: Any) -> Any:
        with uninterrupted():
            return original(*arguments, **named)

    builtins.__import__ = whole
    try:
        yield
    finally:
        builtins.__import__ = original
