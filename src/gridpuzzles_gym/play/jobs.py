"""Jobs: long work in another process, so that a window never waits.

A process is ready before it is needed: :func:`prepare` starts it when the app opens, a finished job returns it, and a
cancelled one is replaced. It ends with the app, however that ends.
"""

import queue
import sys
from typing import Any

from gridpuzzles_gym.agents.parallel import WorkError
from gridpuzzles_gym.agents.parallel.workers import LocalExecutor, Work

NICENESS = 5
"""Niceness of the processes: the window is served first."""


class Job:
    """Work in another process.

    Args:
        work: A generator function of a module; what it yields are the updates. It may also send updates from callbacks,
            by :func:`~gridpuzzles_gym.agents.parallel.workers.report`.
        item: Its argument; picklable.

    Attributes:
        done: Whether it has ended, in any way. Its last updates may come with the :meth:`poll` that sets this.
        error: Why it failed, in one line; empty if it did not.

    Raises:
        ValueError: The work is not a function of a module.
    """

    def __init__(self, work: Work, item: Any) -> None:
        self._executor = _spares.take()
        self._updates: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._future, self._stop = self._executor.stream(work, item, self._updates.put)
        self.done = False
        self.error = ""

    def poll(self) -> list[Any]:
        """Return the updates since the last call."""
        if self.done:
            return []
        self.done = self._future.done()
        updates = [self._updates.get() for _ in range(self._updates.qsize())]
        if self.done:
            error = self._future.exception()
            if isinstance(error, WorkError) and "Traceback" in str(error):  # a bug
                print(error, file=sys.stderr)
            reason = error.reason if isinstance(error, WorkError) else str(error or "")
            self.error = " ".join(reason.split())
            _spares.give_back(self._executor)
        return updates

    def stop(self) -> None:
        """Ask it to end soon, with what it has: a search ends with its best state so far."""
        if not self.done:
            self._stop()

    def cancel(self) -> None:
        """End it at once. Updates that were not polled are lost."""
        if not self.done:
            self.done = True
            self._executor.close()
            _spares.replace()


class _Spares:
    """The process that is ready for the next job, and what it does before that."""

    def __init__(self) -> None:
        self.executor: LocalExecutor | None = None
        self.preparation: tuple[Work, Any] | None = None

    def take(self) -> LocalExecutor:
        executor, self.executor = self.executor, None
        return executor or self.start()

    def give_back(self, executor: LocalExecutor) -> None:
        if self.executor is None:
            self.executor = executor
        else:
            executor.close()

    def start(self) -> LocalExecutor:
        executor = LocalExecutor(1, NICENESS, tries=1)
        if self.preparation is not None:
            executor.stream(*self.preparation, _ignore)
        return executor

    def replace(self) -> None:
        """Have a process ready again if :func:`prepare` was called."""
        if self.executor is None and self.preparation is not None:
            self.executor = self.start()


def _ignore(update: Any) -> None:
    pass


_spares = _Spares()


def prepare(work: Work, item: Any = None) -> None:
    """Have a process ready for the next job; later processes are prepared in the same way.

    Args:
        work: What it does first, e.g. import what jobs need; what it yields or raises is ignored.
        item: Its argument.
    """
    _spares.preparation = work, item
    if _spares.executor is None:
        _spares.replace()
    else:
        _spares.executor.stream(work, item, _ignore)


def end() -> None:
    """End the process that is ready."""
    executor, _spares.executor, _spares.preparation = _spares.executor, None, None
    if executor is not None:
        executor.close()
