"""What takes long, on the terminal: a progress bar, or the line with a spinner while a kernel is compiled.

Both are written to standard error, and only if that is a terminal, so scripts, notebooks, pipes and tests see nothing.
"""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

MOMENT = 0.7
"""The delay before the line is shown, in seconds."""
_shown = threading.Lock()
_PATIENCE = 2.0
"""Seconds before the progress bar appears."""


@contextlib.contextmanager
def progress(total: int, done: int = 0, noun: str = "level") -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal for work that takes long; yields the function to call after each part.

    Args:
        total: The number of parts.
        done: The number of parts that are already done.
        noun: The name of a part.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn(noun), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(),
        console=console, transient=True, redirect_stdout=sys.stdout.isatty(),
    )  # fmt: skip
    task = bar.add_task("", total=total, completed=done)
    silenced = contextlib.ExitStack()

    def start() -> None:
        silenced.enter_context(silence(wait=True))  # two displays would overwrite each other
        bar.start()

    timer = threading.Timer(_PATIENCE, start)
    if console.is_terminal:
        timer.start()
    try:
        yield lambda: bar.advance(task)
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        if bar.live.is_started:
            bar.stop()
        silenced.close()


@contextlib.contextmanager
def notice(words: str) -> Iterator[None]:
    """Show what is being done, and for how long, during the block; nested blocks show nothing.

    Args:
        words: What is being done, e.g. ``"compiling the rules of Chess, once"``.
    """
    if not _is_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    line = threading.Thread(target=_show, args=(words, done), name="compile notice", daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()
        _shown.release()


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


def _show(words: str, done: threading.Event) -> None:
    if done.wait(MOMENT):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as line:
        console.show_cursor()  # a second Ctrl-C ends the process here
        line.add_task(words, total=None)
        done.wait()
