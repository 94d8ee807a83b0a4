"""Background processes that call one function on many items; killed ones are replaced, and none outlives the caller.

They are separate interpreters that read pickles from a pipe, not forks: the caller's threads are not copied,
scripts need no ``if __name__ == "__main__"``, and a process exits when its pipe closes, however the caller died.
"""

import contextlib
import os
import pickle
import queue
import reprlib
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypeVar

from ..search.parameters import whole
from .process import Process, pickled

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKER = f"{__package__}.worker"
"""The module that a process runs."""
MOST_DEATHS = 3
"""A task that has killed this many workers is not retried."""
AHEAD = 4
"""Tasks per worker that :meth:`Workers.ordered` keeps in progress."""


class WorkError(RuntimeError):
    """A task failed: the message names it, and contains the traceback of the process that failed."""


class Workers(Generic[Item, Result]):
    """Processes that call ``work`` on items.

    Closed by :meth:`close`, at the end of a ``with`` block, at garbage collection or when the interpreter exits.

    Args:
        work: A picklable callable that other processes can import: a function of a module, or an instance of a
            frozen dataclass with ``__call__``. Each process receives it once.
        count: Number of processes; they start with the first tasks. 0: :meth:`get` does the work itself.
        niceness: Niceness of the processes, 0 to 19.

    Raises:
        ValueError: A number is out of range, or ``work`` cannot be pickled or imported.
    """

    def __init__(self, work: Callable[[Item], Result], count: int, niceness: int = 0) -> None:
        self.work, self.count = work, whole("count", count, 0, 1024)
        self._finished: queue.SimpleQueue[tuple[Item, Future[Result]]] = queue.SimpleQueue()
        self._out = 0
        self._own: deque[_Task] = deque()
        self._pool = _Pool(pickled(work) if count else b"", whole("niceness", niceness, 0, 19))
        self._finalizer = weakref.finalize(self, self._pool.close)

    def submit(self, item: Item) -> "Future[Result]":
        """Queue a task; returns a future. Without processes, :meth:`get` and :meth:`ordered` do the work.

        Raises:
            ValueError: The workers are closed.
        """
        if not self._finalizer.alive:
            raise ValueError("these workers are closed")
        future: Future[Result] = Future()
        if self.count:
            self._pool.give(_Task(future, reprlib.repr(item), pickle.dumps(item)), self.count)
        else:
            self._own.append(_Task(future, reprlib.repr(item), item))
        return future

    def put(self, item: Item) -> None:
        """Queue a task whose result :meth:`get` returns.

        Raises:
            ValueError: The workers are closed.
        """
        finished = self._finished  # the future must not keep these workers alive
        self.submit(item).add_done_callback(lambda future: finished.put((item, future)))
        self._out += 1

    def get(self, timeout: float | None = None) -> tuple[Item, Result] | None:
        """An item that was :meth:`put` and its result: the first to finish of those not returned yet.

        Args:
            timeout: Maximum number of seconds to wait; None waits as long as it takes.

        Returns:
            None if nothing finished in time, or there are no tasks.

        Raises:
            WorkError: The work failed on this item; the other items are not lost.
        """
        if not self._out:
            return None
        if self._finished.empty():
            self._work_here()
        try:
            item, future = self._finished.get(timeout=timeout)
        except queue.Empty:
            return None
        self._out -= 1
        return item, future.result()

    def ordered(self, items: Iterable[Item], ahead: int | None = None) -> Iterator[tuple[Item, Result]]:
        """Items and their results, in the order of the items.

        Args:
            items: Any number; taken as needed.
            ahead: Maximum number of tasks in progress; None is 4 per process.

        Raises:
            WorkError: The work failed on the next item.
        """
        ahead = whole("ahead", AHEAD * max(self.count, 1) if ahead is None else ahead, 1)
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        try:
            for item in items:
                waiting.append((item, self.submit(item)))
                if len(waiting) >= ahead:
                    yield self._next(waiting)
            while waiting:
                yield self._next(waiting)
        finally:
            for _, future in waiting:
                future.cancel()

    def close(self) -> None:
        """End the processes immediately; tasks in progress are lost."""
        self._finalizer()

    def __enter__(self) -> "Workers[Item, Result]":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next(self, waiting: "deque[tuple[Item, Future[Result]]]") -> tuple[Item, Result]:
        item, future = waiting[0]
        while not self.count and not future.done():
            self._work_here()
        result = future.result()
        waiting.popleft()
        return item, result

    def _work_here(self) -> None:
        """Do the next task in this process, if there are no others."""
        while self._own:
            task = self._own.popleft()
            if task.future.set_running_or_notify_cancel():
                try:
                    task.future.set_result(self.work(task.item))
                except Exception:
                    task.future.set_exception(_failure(task, traceback.format_exc()))
                return


class _Task(NamedTuple):
    """One item in progress."""

    future: "Future[Any]"
    name: str
    item: Any
    """The pickled item, if it goes to another process."""


class _Pool:
    """The processes, with one thread each that passes tasks to it.

    The threads refer only to this object, so that :class:`Workers` can be garbage-collected while they wait.
    """

    def __init__(self, work: bytes, niceness: int) -> None:
        self.work, self.niceness = work, niceness
        self.tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.processes: set[Process] = set()
        self.closed = False
        self.lock = threading.RLock()  # reentrant, as garbage collection may run anywhere
        self.owner = os.getpid()

    def give(self, task: _Task, most: int) -> None:
        """Queue a task, and start another thread if there are fewer than ``most``."""
        if os.getpid() != self.owner:
            raise ValueError("these workers belong to the process that this one was forked from")
        self.tasks.put(task)
        if len(self.threads) < most:
            thread = threading.Thread(target=self.serve, daemon=True, name="gridpuzzles worker")
            self.threads.append(thread)
            thread.start()

    def serve(self) -> None:
        """Run tasks on one process and its replacements."""
        process: Process | None = None
        while (task := self.tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                process = self.do(task, process)
        self.dismiss(process)

    def do(self, task: _Task, process: Process | None) -> Process | None:
        """Run one task on this process or a new one; returns the process in use afterwards."""
        reason = ""
        for _ in range(MOST_DEATHS):
            try:
                process = process or self.hire()
                process.tell(task.item)
                done, result = pickle.loads(process.hear())
            except (OSError, EOFError) as error:  # the process was killed, or could not start
                reason = self.dismiss(process) or str(error)
                process = None
                if self.closed:
                    break
            except Exception:  # the result cannot be unpickled here
                task.future.set_exception(_failure(task, traceback.format_exc()))
                return process
            else:
                if done:
                    task.future.set_result(result)
                else:
                    task.future.set_exception(_failure(task, result))
                return process
        why = "was closed" if self.closed else f"died {MOST_DEATHS} times, the last time with {reason}"
        task.future.set_exception(WorkError(f"the worker on {task.name} {why}"))
        return None

    def hire(self) -> Process:
        """Start a process.

        Raises:
            OSError: It cannot start, or these workers are closed.
        """
        with self.lock:
            process = None if self.closed else Process(WORKER, self.niceness)
            if process is not None:
                self.processes.add(process)
        if process is None or self.closed:  # garbage collection may have closed them meanwhile
            self.dismiss(process)
            raise ConnectionAbortedError("closed")
        process.tell(self.work)
        return process

    def dismiss(self, process: Process | None) -> str:
        """End a process and remove it from the list; returns how it ended."""
        if process is None:
            return ""
        self.processes.discard(process)
        return process.end()

    def close(self) -> None:
        """End all processes and threads; waiting tasks are cancelled."""
        if os.getpid() != self.owner:  # a forked copy: its threads and processes are not here
            return
        with self.lock:
            self.closed = True
            for process in list(self.processes):
                process.kill()
        with contextlib.suppress(queue.Empty):
            while True:
                task = self.tasks.get_nowait()
                if task is not None:
                    task.future.cancel()
        for _ in self.threads:
            self.tasks.put(None)
        for thread in self.threads:
            if thread is not threading.current_thread():
                thread.join()


def _failure(task: _Task, trace: str) -> WorkError:
    return WorkError(f"the work on {task.name} failed:\n{trace}")
