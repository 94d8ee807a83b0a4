"""Processes on this machine that do tasks.

A process is another interpreter with a pipe each way. It is no fork: the caller's threads are not copied, and scripts
need no ``if __name__ == "__main__"``. It exits when its pipe closes, however the caller died. A killed one is replaced,
and its task is given out again: the standard library's pool and loky's then give up all tasks, Pebble's loses that one.

Frames are eight bytes of length, then a pickle: to the process ``(number, pickled function or None for the one before,
pickled arguments, name)``, or ``(number,)`` to ask that task to stop; from it ``(is it an update, value)``.
"""

import contextlib
import dataclasses
import functools
import itertools
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import IO, Any, TypeVar

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.levels.level_text import LevelWarning

from .executor import Caller, TaskExecutor, WorkError, failure, pickled, task_name

Result = TypeVar("Result")
Work = Callable[[Any], Iterable[Any]]
"""A generator function of a module; it runs in another process, which imports that module."""

MOST_DEATHS = 10
"""A task during which this many processes died is not retried. Processes may be killed faster than they start."""
MOST_PROCESSES = 1_024
_PREFIX = 8
"""Size in bytes of a frame's length prefix."""
_ONE_THREAD = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip


def _send(stream: IO[bytes], frame: tuple[Any, ...]) -> None:
    payload = pickle.dumps(frame)
    stream.write(len(payload).to_bytes(_PREFIX, "big"))
    stream.write(payload)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Read one frame; raises EOFError if the other side is gone."""
    prefix = stream.read(_PREFIX)
    size = int.from_bytes(prefix, "big")
    payload = stream.read(size) if len(prefix) == _PREFIX else b""
    if not payload or len(payload) < size:
        raise EOFError
    return pickle.loads(payload)


class _Process:
    """One interpreter, which runs :func:`serve`."""

    def __init__(self, niceness: int) -> None:
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self.popen = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()", str(niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": paths},
            start_new_session=True,  # the terminal's Ctrl-C does not reach it
        )
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self.requests, self.replies = self.popen.stdin, self.popen.stdout
        self.function = b""
        """The function that it has."""
        self._lock = threading.Lock()

    def start(self, task: "_Task") -> None:
        """Give it a task; raises OSError if it died."""
        function = None if task.function == self.function else task.function
        with self._lock:  # a pipe blocks while the process starts
            _send(self.requests, (task.number, function, task.arguments, task.name))
        self.function = task.function
        if task.stopped:
            self.stop(task)

    def stop(self, task: "_Task") -> None:
        """Ask a task that is marked as stopped to stop. If :meth:`start` has the pipe, it asks if that is its task."""
        if self._lock.acquire(blocking=False):
            with contextlib.suppress(OSError, ValueError):  # it has ended
                _send(self.requests, (task.number,))
            self._lock.release()

    def end(self) -> str:
        """End it and clean up; returns how it ended."""
        self.popen.kill()
        code = self.popen.wait()
        for stream in (self.requests, self.replies):
            with contextlib.suppress(OSError):  # unwritten data has no reader
                stream.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


@dataclasses.dataclass(eq=False)
class _Task:
    number: int
    name: str
    function: bytes
    arguments: bytes
    update: Callable[[Any], object] | None = None
    stopped: bool = False
    future: "Future[Any]" = dataclasses.field(default_factory=Future)


class LocalExecutor(TaskExecutor):
    """Processes that do tasks; they start with the first ones, each with a thread that passes tasks to it.

    They end by :meth:`close`, at the end of a ``with`` block, or with this process.

    Args:
        count: Number of processes.
        niceness: Niceness of the processes, 0 to 19.
        tries: The number of processes that may die of a task.

    Raises:
        ValueError: A number is out of range.
    """

    def __init__(self, count: int, niceness: int = 0, tries: int = MOST_DEATHS) -> None:
        self._count = integer("workers", count, 1, MOST_PROCESSES)
        self._niceness, self._tries = integer("niceness", niceness, 0, 19), tries
        self._numbers = itertools.count(1)
        self._latest: tuple[Any, bytes] = (None, b"")
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._processes: set[_Process] = set()
        self._open = True
        self._lock = threading.RLock()  # reentrant, as garbage collection may run anywhere
        self._owner = os.getpid()

    @property
    def slots(self) -> int:
        """The number of processes."""
        return self._count

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task: :meth:`.TaskExecutor.submit`."""
        return self._queue(fn, args, kwargs).future

    def stream(
        self, work: Work, item: Any, update: Callable[[Any], object]
    ) -> "tuple[Future[None], Callable[[], None]]":
        """Queue ``work(item)``, a generator function's.

        Args:
            work: The generator function.
            item: Its argument.
            update: Is called with each value it yields or reports (:func:`report`), by a thread of this executor.

        Returns:
            Its future, and a function that asks it to stop: its next :func:`report` raises KeyboardInterrupt.

        Raises:
            ValueError: As :meth:`submit` raises it.
        """
        task = self._queue(work, (item,), {}, update)
        return task.future, functools.partial(self._stop, task)

    def _queue(
        self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], update: Callable[[Any], object] | None = None
    ) -> _Task:
        if not self._open or os.getpid() != self._owner:
            raise ValueError("this executor is closed, or belongs to the process that this one was forked from")
        if self._latest[0] is not fn:
            self._latest = fn, pickled(fn)
        arguments = pickle.dumps((args, kwargs))
        task = _Task(next(self._numbers), task_name(args, kwargs), self._latest[1], arguments, update)
        self._tasks.put(task)
        if len(self._threads) < self._count:
            self._threads.append(threading.Thread(target=self._serve, daemon=True, name="gridpuzzles worker"))
            self._threads[-1].start()
        return task

    def _stop(self, task: _Task) -> None:
        task.stopped = True  # in case no process has it yet
        for process in list(self._processes):
            process.stop(task)

    def close(self) -> None:
        """End the processes immediately; tasks in progress are lost."""
        if os.getpid() != self._owner:  # a forked copy: its threads and processes are not here
            return
        with self._lock:
            self._open = False
            for process in list(self._processes):
                process.popen.kill()
        with contextlib.suppress(queue.Empty):
            while True:
                if (task := self._tasks.get_nowait()) is not None:
                    task.future.cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _serve(self) -> None:
        """Do tasks with one process and its replacements."""
        process: _Process | None = None
        while (task := self._tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                process = self._do(task, process)
        self._dismiss(process)

    def _do(self, task: _Task, process: _Process | None) -> _Process | None:
        """Do one task with this process, or a new one; returns the one that is there afterwards."""
        reason = ""
        if process is not None and process.popen.poll() is not None:  # killed while it waited
            self._dismiss(process)
            process = None
        for _ in range(self._tries):
            try:
                process = process or self._hire()
                process.start(task)
                while (frame := _receive(process.replies))[0]:
                    if task.update is not None:
                        task.update(frame[1])
                done, result = pickle.loads(frame[1])
            except (OSError, EOFError) as error:  # the process was killed, or could not start
                reason = self._dismiss(process) or str(error)
                process = None
                if not self._open:
                    break
            except Exception as error:  # what it sent cannot be unpickled here
                self._dismiss(process)
                task.future.set_exception(failure(error, task.name))
                return None
            else:
                (task.future.set_result if done else task.future.set_exception)(result)
                return process
        why = f"died {self._tries} times, the last time with {reason}" if self._open else "was closed"
        in_short = f"the process that did this ended unexpectedly, with {reason}"
        task.future.set_exception(WorkError(f"the worker on {task.name} {why}", in_short))
        return None

    def _hire(self) -> _Process:
        """Start a process; raises OSError if it cannot start, or if this executor is closed."""
        with self._lock:
            if not self._open:
                raise ConnectionAbortedError("closed")
            process = _Process(self._niceness)
            self._processes.add(process)
            return process

    def _dismiss(self, process: _Process | None) -> str:
        if process is None:
            return ""
        self._processes.discard(process)
        return process.end()


# -- in the other process ----------------------------------------------------------------------------


_report: Callable[[Any], None] | None = None


def report(update: Any) -> None:
    """Send an update from within the work of :meth:`LocalExecutor.stream`, as if its generator function had yielded it.

    It is for callbacks: of a search, for example, which then ends with its best state so far.

    Raises:
        KeyboardInterrupt: The work was asked to stop. It is raised once, after sending the update.
        RuntimeError: This is not the process of an executor.
    """
    if _report is None:
        raise RuntimeError("report() is for work in a process of an executor")
    _report(update)


def serve() -> None:
    """Do tasks until the standard input ends."""
    global _report
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller handles Ctrl-C
    warnings.simplefilter("ignore", LevelWarning)  # the caller says it, once
    with contextlib.suppress(AttributeError, OSError):
        os.nice(int(sys.argv[1]))
    # What the work prints or reads must not come between the frames.
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[tuple[int, bytes | None, bytes, str]] = queue.SimpleQueue()
    number = stopped = 0

    def read() -> None:
        """Take frames. When the caller is gone, this process exits immediately."""
        nonlocal stopped
        with contextlib.suppress(OSError, EOFError):
            while True:
                frame = _receive(requests)
                if len(frame) == 1:
                    stopped = frame[0]
                else:
                    tasks.put(frame)
        os._exit(0)

    def send(is_update: bool, value: Any) -> None:
        try:
            _send(replies, (is_update, value))
        except OSError:  # the caller is gone
            os._exit(0)

    def send_update(update: Any) -> None:
        nonlocal stopped
        send(True, update)
        if stopped == number:
            stopped = 0
            raise KeyboardInterrupt

    threading.Thread(target=read, daemon=True).start()
    _report, call = send_update, Caller(send_update)
    while True:
        number, function, arguments, name = tasks.get()
        send(False, call(function, arguments, name))
