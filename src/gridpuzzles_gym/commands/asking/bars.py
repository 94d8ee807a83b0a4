"""The progress bars of a run."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from ...engine.compile.compile_notice import silence
from .journal import Record
from .running import RunStatus

_WIDTH = 16


class Bars:
    """Progress bars on standard error, if that is a terminal; a context manager.

    Args:
        enabled: Whether to show them.
    """

    def __init__(self, enabled: bool = True) -> None:
        console = Console(stderr=True)
        name = TextColumn("{task.description:>17.17}", markup=False)
        columns = name, BarColumn(_WIDTH), MofNCompleteColumn(), TextColumn("{task.fields[words]}", markup=False)
        self._progress = Progress(
            *columns, console=console, transient=True, disable=not (enabled and console.is_terminal)
        )
        self._model: TaskID | None = None
        self._silence = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._silence.enter_context(silence())
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()
        self._silence.close()

    def begin(self, model: str, count: int, noun: str) -> None:
        """Show the bar of the model.

        Args:
            model: Its name.
            count: The number of episodes or tasks.
            noun: The word for one of them.
        """
        self._model = self._progress.add_task(model, total=count, words="")

    def show(self, status: RunStatus, records: Mapping[int, Record]) -> None:
        """Update the bar of the model."""
        if self._model is not None:
            solved = sum(record.success for record in records.values())
            spent = status.spent
            words = f"{solved} solved, {spent.requests:,} requests"
            if spent.tokens:
                words += f", {_short(spent.tokens)} tokens"
            if status.failed:
                words += f", {len(status.failed)} failed"
            self._progress.update(self._model, completed=len(records), words=words)

    def counting(self, name: str, count: int) -> Callable[[], object]:
        """Show another bar and return a function that advances it by one."""
        bar = self._progress.add_task(name, total=count, words="")
        return lambda: self._progress.advance(bar)


def _short(number: int) -> str:
    """Return a number in at most five characters."""
    for least, letter in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if number >= least:
            return f"{number / least * (10 if letter == 'k' else 1):.{0 if letter == 'k' else 1}f}{letter}"
    return f"{number:,}"
