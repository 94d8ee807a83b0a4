"""The line with a spinner that is shown while a kernel is compiled, if that takes more than a moment.

It is written to standard error, and only if that is a terminal, so scripts, notebooks, pipes and tests see nothing.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator

MOMENT = 0.7
"""The delay before the line is shown, in seconds."""

_shown = threading.Lock()
_done = threading.Event()
"""Ends the line that is shown."""
_line: threading.Thread | None = None
"""The thread that shows it."""


@contextlib.contextmanager
def notice(words: str) -> Iterator[None]:
    """Show what is being done, and for how long, during the block; nested blocks show nothing.

    Args:
        words: What is being done, e.g. ``"compiling the rules of Chess, once"``.
    """
    global _line
    if not _is_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    _done.clear()
    _line = threading.Thread(target=_show, args=(words,), name="compile notice", daemon=True)
    _line.start()
    try:
        yield
    finally:
        end()
        _shown.release()


def end() -> None:
    """Remove the line, if there is one, although the work continues."""
    line = _line
    _done.set()
    if line is not None:
        line.join()


@contextlib.contextmanager
def silence(wait: bool = False) -> Iterator[None]:
    """Show no notice during the block, for callers that report their own progress.

    Args:
        wait: Wait first until no notice is shown.
    """
    silent = _shown.acquire(blocking=wait)
    try:
        yield
    finally:
        if silent:
            _shown.release()


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # standard error is missing or closed
        return False


def _show(words: str) -> None:
    if _done.wait(MOMENT):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        line.add_task(words, total=None)
        _done.wait()
