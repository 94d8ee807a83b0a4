"""Work on each level of a file or pack, with a progress bar: what ``levels solve`` and ``levels rate`` share."""

import contextlib
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.agents.parallel import open_executor, ordered

from ..engine.puzzle import Level

Result = TypeVar("Result")

_PATIENCE = 2.0
"""Seconds before the progress bar appears."""


def results_of(
    work: Callable[[Level], Result], levels: Sequence[Level], done: int, workers: int | None, ray: str | None
) -> Generator[Result, None, None]:
    """Yield the results of levels in order, and show the progress.

    Args:
        work: A callable that other processes can import.
        levels: All levels.
        done: How many of them, the first ones, are done already.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that works instead; None: this machine.

    Raises:
        ValueError, OSError: As ``work`` raises them, and as :func:`~gridpuzzles_gym.agents.parallel.open_executor`.
    """
    with (
        open_executor(workers, ray) as executor,
        progress(len(levels), done) as advance,
        contextlib.closing(ordered(executor, work, levels[done:])) as results,
    ):
        for _, result in results:
            yield result
            advance()


@contextlib.contextmanager
def progress(total: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal for work that takes long; yields the function to call after each part.

    Args:
        total: The number of parts.
        done: How many of them are done already.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("level"), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(),
        console=console, transient=True, redirect_stdout=sys.stdout.isatty(),
    )  # fmt: skip
    task = bar.add_task("", total=total, completed=done)
    timer = threading.Timer(_PATIENCE, bar.start)
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
