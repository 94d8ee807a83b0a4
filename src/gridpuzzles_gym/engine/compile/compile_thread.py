"""Compiling in a thread of its own, so that Ctrl-C does not wait for it.

Nothing can interrupt LLVM, and a KeyboardInterrupt in the middle of numba leaves it in disorder. So the main thread
only waits, and raises KeyboardInterrupt as soon as Ctrl-C is pressed. What was begun goes on in the other thread: it
ends with the process or, where that lives on (a notebook), with a kernel that is ready for the next call.
"""

import contextvars
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from ..system.interrupts import Interruption, deferring
from . import compile_notice

Result = TypeVar("Result")

_PAUSE = 0.1
"""How often the main thread looks for Ctrl-C, in seconds."""

_left: list[threading.Thread] = []
"""Threads that Ctrl-C has left behind."""

saving = threading.Lock()
"""Held while what was compiled is saved. A process takes it before it ends, so that no half-written file remains."""


def is_left_behind() -> bool:
    """Whether a compilation that Ctrl-C has left behind is still running."""
    return any(thread.is_alive() for thread in _left)


def in_own_thread(work: Callable[[Interruption], Result]) -> Result:
    """Do work that must not be interrupted; Ctrl-C leaves it behind.

    Outside the main thread, to which no signals come, and where Ctrl-C is deferred anyway, the work is done at once.

    Args:
        work: It gets an object whose ``wanted`` is true once Ctrl-C was pressed.

    Returns:
        What it returns.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; an enclosing :class:`.Interruption` has recorded it too.
    """
    interruption = Interruption(insistent=False)
    if threading.current_thread() is not threading.main_thread() or deferring():
        return work(interruption)
    future: Future[Result] = Future()
    ended = threading.Event()

    def run() -> None:
        try:
            future.set_result(work(interruption))
        except BaseException as error:
            future.set_exception(error)
        finally:
            ended.set()

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="compiling", daemon=True)
    try:
        with interruption:
            thread.start()
            while not (interruption.wanted or ended.wait(_PAUSE)):
                pass
    except BaseException:  # a signal handler of the program raises what it likes
        interruption.wanted = True
        raise
    finally:
        if interruption.wanted and not ended.is_set():
            _left.append(thread)
            compile_notice.end()
    if interruption.wanted:
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt
    return future.result()
