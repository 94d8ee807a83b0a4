"""What a person at a terminal is told while a kernel is compiled: once it has taken a moment, a line with a spinner.

It goes to standard error, and only where that is a terminal: scripts, notebooks, pipes and tests see nothing.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator

from .interrupts import Interruption

MOMENT = 0.7
"""Seconds before anything is said."""

_shown = threading.Lock()


@contextlib.contextmanager
def notice(words: str, interruption: Interruption) -> Iterator[None]:
    """Show what is being done, and for how long, within the block; a block inside another one shows nothing.

    Args:
        words: What is being done, e.g. ``"compiling the rules of Chess, once"``.
        interruption: Tells whether Ctrl-C was pressed: then the line says that it was heard.
    """
    if not _is_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    line = threading.Thread(target=_show, args=(words, interruption, done), name="compile notice", daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()
        _shown.release()


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Show nothing within the block, which tells what it does itself."""
    silent = _shown.acquire(blocking=False)
    try:
        yield
    finally:
        if silent:
            _shown.release()


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _show(words: str, interruption: Interruption, done: threading.Event) -> None:
    if done.wait(MOMENT):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task(words, total=None)
        while not done.wait(0.1):
            if interruption.wanted:
                line.update(task, description=f"{words}; then it stops (Ctrl-C)")
