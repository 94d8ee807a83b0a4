"""An executor with processes on this machine; killed ones are replaced, and none outlives the caller.

They are separate interpreters that read pickles from a pipe, not forks: the caller's threads are not copied,
scripts need no ``if __name__ == "__main__"``, and a process exits when its pipe closes, however the caller died.
The standard library's pool, and loky's, give up all of their processes and tasks when one process is killed.
"""

import contextlib
import os
import pickle
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from gridpuzzles_gym.engine.arguments import integer

from .process import Process
from .tasks import TaskExecutor, WorkError, failure, pickled, task_name

Result = TypeVar("Result")

WORKER = f"{__package__}.worker"
"""The module that a process runs."""
MOST_DEATHS = 10
"""A task during which this many processes died is not retried. Processes may be killed faster than they start."""
MOST_PROCESSES = 1_024


class LocalExecutor(TaskExecutor):
    """Processes that do tasks; they start with the first ones.

    Closed by :meth:`close`, at the end of a ``with`` block, at garbage collection or when the interpreter exits.

    Args:
        count: Number of processes.
        niceness: Niceness of the processes, 0 to 19.

    Raises:
        ValueError: A number is out of range.
    """

    def __init__(self, count: int, niceness: int = 0) -> None:
        self._count = integer("workers", count, 1, MOST_PROCESSES)
        self._pool = _Pool(integer("niceness", niceness, 0, 19))
        self._latest: tuple[Any, bytes] = (None, b"")
        self._finalizer = weakref.finalize(self, self._pool.close)
        self._open = True

    @property
    def slots(self) -> int:
        """The number of processes."""
        return self._count

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task; returns its future.

        Raises:
            ValueError: This executor is closed, or the function cannot be sent to other processes.
        """
        if not (self._open and self._finalizer.alive):
            raise ValueError("this executor is closed")
        if self._latest[0] is not fn:
            self._latest = fn, pickled(fn)
        future: Future[Result] = Future()
        task = _Task(future, task_name(args, kwargs), self._latest[1], pickle.dumps((args, kwargs)))
        self._pool.give(task, self._count)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further tasks; the processes end when the others are done.

        Args:
            wait: Return only then.
            cancel_futures: Cancel the tasks that have not begun.
        """
        self._open = False
        self._pool.drain(cancel_futures)
        if wait:
            self._pool.wait()
            self.close()

    def close(self) -> None:
        """End the processes immediately; tasks in progress are lost."""
        self._open = False
        self._finalizer()


class _Task(NamedTuple):
    """What a process is to do."""

    future: "Future[Any]"
    name: str
    function: bytes
    arguments: bytes


class _Pool:
    """The processes, with one thread each that passes tasks to it.

    The threads refer only to this object, so that :class:`LocalExecutor` can be garbage-collected while they wait.
    """

    def __init__(self, niceness: int) -> None:
        self.niceness = niceness
        self.tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.processes: set[Process] = set()
        self.closed = False
        self.lock = threading.RLock()  # reentrant, as garbage collection may run anywhere
        self.owner = os.getpid()

    def give(self, task: _Task, most: int) -> None:
        """Queue a task, and start another thread if there are fewer than ``most``."""
        if os.getpid() != self.owner:
            raise ValueError("this executor belongs to the process that this one was forked from")
        self.tasks.put(task)
        if len(self.threads) < most:
            thread = threading.Thread(target=self.serve, daemon=True, name="gridpuzzles worker")
            self.threads.append(thread)
            thread.start()

    def serve(self) -> None:
        """Do tasks with one process and its replacements."""
        process: Process | None = None
        function = b""  # that the process has
        while (task := self.tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                process, function = self.do(task, process, function)
        self.dismiss(process)

    def do(self, task: _Task, process: Process | None, function: bytes) -> tuple[Process | None, bytes]:
        """Do one task with this process, which has this function, or a new one; returns both as they are afterwards."""
        reason = ""
        for _ in range(MOST_DEATHS):
            try:
                if process is None:
                    process, function = self.hire(), b""
                new = None if task.function == function else task.function
                process.tell(pickle.dumps((new, task.arguments, task.name)))
                function = task.function
                done, result = pickle.loads(process.hear())
            except (OSError, EOFError) as error:  # the process was killed, or could not start
                reason = self.dismiss(process) or str(error)
                process = None
                if self.closed:
                    break
            except Exception as error:  # the result cannot be unpickled here
                task.future.set_exception(failure(error, task.name))
                return process, function
            else:
                (task.future.set_result if done else task.future.set_exception)(result)
                return process, function
        why = "was closed" if self.closed else f"died {MOST_DEATHS} times, the last time with {reason}"
        task.future.set_exception(WorkError(f"the worker on {task.name} {why}"))
        return None, b""

    def hire(self) -> Process:
        """Start a process.

        Raises:
            OSError: It cannot start, or this pool is closed.
        """
        with self.lock:
            process = None if self.closed else Process(WORKER, self.niceness)
            if process is not None:
                self.processes.add(process)
        if process is None or self.closed:  # garbage collection may have closed it meanwhile
            self.dismiss(process)
            raise ConnectionAbortedError("closed")
        return process

    def dismiss(self, process: Process | None) -> str:
        """End a process and remove it from the list; returns how it ended."""
        if process is None:
            return ""
        self.processes.discard(process)
        return process.end()

    def drain(self, cancel: bool) -> None:
        """Let the threads end after the tasks that are waiting, which are cancelled or not."""
        if cancel:
            self.cancel_waiting()
        for _ in self.threads:
            self.tasks.put(None)

    def cancel_waiting(self) -> None:
        """Cancel the tasks that no process has begun."""
        with contextlib.suppress(queue.Empty):
            while True:
                task = self.tasks.get_nowait()
                if task is not None:
                    task.future.cancel()

    def wait(self) -> None:
        """Wait for the end of the threads."""
        for thread in self.threads:
            if thread is not threading.current_thread():
                thread.join()

    def close(self) -> None:
        """End all processes and threads; waiting tasks are cancelled."""
        if os.getpid() != self.owner:  # a forked copy: its threads and processes are not here
            return
        with self.lock:
            self.closed = True
            for process in list(self.processes):
                process.kill()
        self.drain(cancel=True)
        self.wait()
