"""A progress bar on the terminal for work that takes long."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

from ..compile.compile_notice import silence

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
