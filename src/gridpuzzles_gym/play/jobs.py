"""Jobs: long work in another process, so that a window never waits.

A process is ready before it is needed: :func:`prepare` starts it when the app opens, a finished job returns it, and a
cancelled one is replaced. It ends with the app, however that ends.
"""

from typing import Any

from gridpuzzles_gym.agents.parallel.workers import DIED, FAILED, UPDATE, Stream, Work

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
        OSError: No process can be started.
    """

    def __init__(self, work: Work, item: Any) -> None:
        self._stream = _spares.take()
        self._stream.begin(work, item)
        self.done = False
        self.error = ""

    def poll(self) -> list[Any]:
        """Return the updates since the last call."""
        updates: list[Any] = []
        while not self.done and (event := self._stream.next_event()) is not None:
            if event.kind == UPDATE:
                updates.append(event.value)
                continue
            self.done = True
            if event.kind == DIED:
                self.error = f"the process that did this ended unexpectedly, with {event.value}"
                _spares.replace()
            else:
                self.error = " ".join(event.value.split()) if event.kind == FAILED else ""
                _spares.give_back(self._stream)
        return updates

    def stop(self) -> None:
        """Ask it to end soon, with what it has: a search ends with its best state so far."""
        if not self.done:
            self._stream.stop()

    def cancel(self) -> None:
        """End it at once. Updates that were not polled are lost."""
        if not self.done:
            self.done = True
            self._stream.close()
            _spares.replace()


class _Spares:
    """The process that is ready for the next job, and what it does before that."""

    def __init__(self) -> None:
        self.stream: Stream | None = None
        self.preparation: tuple[Work, Any] | None = None

    def take(self) -> Stream:
        stream, self.stream = self.stream, None
        return stream if stream is not None and stream.alive else self.start()

    def give_back(self, stream: Stream) -> None:
        if self.stream is None:
            self.stream = stream
        else:
            stream.close()

    def start(self) -> Stream:
        stream = Stream(NICENESS)
        if self.preparation is not None:
            stream.begin(*self.preparation)
        return stream

    def replace(self) -> None:
        """Have a process ready again if :func:`prepare` was called."""
        if self.stream is None and self.preparation is not None:
            self.stream = self.start()


_spares = _Spares()


def prepare(work: Work, item: Any = None) -> None:
    """Have a process ready for the next job; later processes are prepared in the same way.

    Args:
        work: What it does first, e.g. import what jobs need; what it yields or raises is ignored.
        item: Its argument.

    Raises:
        OSError: No process can be started.
    """
    _spares.preparation = work, item
    if _spares.stream is None:
        _spares.replace()
    else:
        _spares.stream.begin(work, item)


def end() -> None:
    """End the process that is ready."""
    stream, _spares.stream, _spares.preparation = _spares.stream, None, None
    if stream is not None:
        stream.close()
