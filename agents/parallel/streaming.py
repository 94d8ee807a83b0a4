"""A background process that runs generator functions, one at a time, and sends what they yield while they run.

Like the processes of :mod:`.pool` it is a separate interpreter that reads pickles from a pipe and exits when the
pipe closes, however the caller died. Frames to it are ``(number, pickled (work, item))``, or ``(number, None)`` to ask
that work to stop; frames from it are ``(number, kind, value)``.
"""

import pickle
import queue
import threading
import traceback
import weakref
from collections.abc import Callable, Iterable
from typing import IO, Any, NamedTuple

from .process import Process
from .tasks import pickled
from .worker import pipes, send

Work = Callable[[Any], Iterable[Any]]
"""A generator function of a module; it runs in another process, which imports that module."""

# Kinds of events: an update; the end of the work; its failure, with a message; the process's end, and how.
UPDATE, DONE, FAILED, DIED = range(4)


class Event(NamedTuple):
    """What became of some work."""

    kind: int
    value: Any


class Stream:
    """One background process.

    It ends by :meth:`close`, at garbage collection, and with this process.

    Args:
        niceness: Niceness of the process, 0 to 19.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, niceness: int = 0) -> None:
        self._process = Process(__name__, niceness)
        self._number = 0
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[tuple[int, int, Any]] = queue.SimpleQueue()
        # Threads, because a pipe blocks the writer while the process starts. They must not refer to this object.
        for target, frames in ((_write, self._outgoing), (_read, self._incoming)):
            thread = threading.Thread(target=target, args=(self._process, frames), daemon=True, name="stream")
            thread.start()
        self._reading = thread
        self._finalizer = weakref.finalize(self, _close, self._process, self._outgoing)

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._reading.is_alive()

    def begin(self, work: Work, item: Any) -> None:
        """Run ``work(item)`` when the work before it has ended.

        Args:
            work: A picklable generator function that other processes can import.
            item: Its argument; picklable.

        Raises:
            ValueError: The work cannot be pickled or imported.
        """
        pickled(work)
        self._number += 1
        self._outgoing.put(pickle.dumps((self._number, pickle.dumps((work, item)))))

    def next_event(self, timeout: float = 0.0) -> Event | None:
        """Return the next event of the work begun last.

        Args:
            timeout: Maximum number of seconds to wait.

        Returns:
            None if there is none yet.
        """
        try:
            while True:
                number, kind, value = self._incoming.get(timeout=timeout) if timeout else self._incoming.get_nowait()
                if number == self._number or kind == DIED:
                    return Event(kind, value)
        except queue.Empty:
            return None

    def stop(self) -> None:
        """Ask the work begun last to stop: its next :func:`report` raises KeyboardInterrupt."""
        self._outgoing.put(pickle.dumps((self._number, None)))

    def close(self) -> None:
        """End the process immediately."""
        self._finalizer()


def _write(process: Process, frames: "queue.SimpleQueue[bytes | None]") -> None:
    try:
        while (frame := frames.get()) is not None:
            process.tell(frame)
    except (OSError, ValueError):  # the process died, or its pipe was closed, which the other thread reports
        pass


def _read(process: Process, events: "queue.SimpleQueue[tuple[int, int, Any]]") -> None:
    try:
        while True:
            events.put(pickle.loads(process.hear()))
    except (OSError, EOFError):
        events.put((0, DIED, process.end()))
    except Exception:  # what it sent cannot be unpickled here
        process.end()
        events.put((0, DIED, traceback.format_exc()))


def _close(process: Process, frames: "queue.SimpleQueue[bytes | None]") -> None:
    process.kill()
    frames.put(None)


# -- in the other process ----------------------------------------------------------------------------


class _Inbox:
    """The work to do; and the number of the last work that was asked to stop."""

    def __init__(self) -> None:
        self.work: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
        self.stopped = 0

    def put(self, frame: bytes) -> None:
        number, payload = pickle.loads(frame)
        if payload is None:
            self.stopped = number
        else:
            self.work.put((number, payload))


class _Server:
    """The main loop of the process."""

    def __init__(self) -> None:
        self.inbox, self.number = _Inbox(), 0
        self.replies: IO[bytes] = pipes(self.inbox.put)

    def send(self, kind: int, value: Any) -> None:
        send(self.replies, pickle.dumps((self.number, kind, value)))

    def serve(self) -> None:
        while True:
            self.number, payload = self.inbox.work.get()
            self.send(*self.run(payload))

    def run(self, payload: bytes) -> Event:
        try:
            work, item = pickle.loads(payload)
            for update in work(item):
                self.report(update)
        except KeyboardInterrupt:
            return Event(DONE, None)
        except ValueError as error:
            return Event(FAILED, str(error))
        except BaseException as error:
            traceback.print_exc()
            return Event(FAILED, f"{type(error).__name__}: {error}")
        return Event(DONE, None)

    def report(self, update: Any) -> None:
        self.send(UPDATE, update)
        if self.inbox.stopped == self.number:
            self.inbox.stopped = 0
            raise KeyboardInterrupt


_server: _Server | None = None


def report(update: Any) -> None:
    """Send an update from within the work of a :class:`Stream`, as if its generator function had yielded it.

    It is for callbacks: of a search, for example, which then ends with its best state so far.

    Raises:
        KeyboardInterrupt: The work was asked to stop. It is raised once, after sending the update.
        RuntimeError: This is not the process of a stream.
    """
    if _server is None:
        raise RuntimeError("report() is for work that a Stream runs")
    _server.report(update)


def serve() -> None:
    """Run work until the standard input ends."""
    global _server
    _server = _Server()
    _server.serve()


if __name__ == "__main__":
    from . import streaming  # not __main__, which the work does not import

    streaming.serve()
