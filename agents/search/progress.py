"""What a search reports while it runs, and the line on the terminal that shows it."""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.console import Console
from rich.status import Status

INTERVAL = 0.2
"""Seconds between two reports."""
_PATIENCE = 1.0
"""Delay in seconds before the terminal shows anything."""


class Snapshot(NamedTuple):
    """How far a search has come."""

    seconds: float
    """Time since it began, without compilation."""
    expanded: int
    """States expanded."""
    nearest: int | None
    """The lowest estimate of a state found so far; None if there is no estimate."""
    solution: int | None
    """Number of actions of the solution found, if the search is about to shorten one."""


Show = Callable[[Snapshot], object]
Progress = bool | Show
"""The argument ``progress`` of searches: True shows a line on the terminal once a search takes long; a function is
called with a snapshot every :data:`INTERVAL`, and may raise KeyboardInterrupt to end the search with its best state."""


@contextlib.contextmanager
def shown(progress: Progress) -> Iterator[Show | None]:
    """Yield the function to call with snapshots; None if nobody wants them."""
    if not isinstance(progress, bool):
        yield progress
    elif progress:
        with contextlib.closing(_TerminalLine()) as line:
            yield line.show
    else:
        yield None


class _TerminalLine:
    """A line of statistics on the terminal, shown once the search has taken a while."""

    def __init__(self) -> None:
        self.status: Status | None = None

    def show(self, snapshot: Snapshot) -> None:
        seconds, expanded = snapshot.seconds, snapshot.expanded
        if seconds < _PATIENCE:
            return
        if self.status is None:
            self.status = Console(stderr=True).status("searching")
            self.status.start()
        best = "" if snapshot.nearest is None else f"nearest to the goal: estimate {snapshot.nearest}; "
        if snapshot.solution is not None:
            best = f"solution of {snapshot.solution:,} actions; "
        self.status.update(
            f"{seconds:.0f} s: {expanded:,} states expanded, {expanded / seconds / 1e6:.2f} M/s; {best}Ctrl-C stops"
        )

    def close(self) -> None:
        if self.status is not None:
            self.status.stop()
