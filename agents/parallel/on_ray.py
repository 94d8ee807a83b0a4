"""An executor on a Ray cluster (https://docs.ray.io): the tasks of a killed process or machine go to others."""

import contextlib
import functools
import hashlib
import pickle
import queue
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import wait as wait_for
from typing import Any, TypeVar

import ray

from .ray_connection import LOOK, close_connection, count_cores, first_line, head, open_connection, watch_head
from .tasks import TaskExecutor, WorkError, failure, pickled, task_name
from .worker import Caller

Result = TypeVar("Result")

RETRIES = 9
"""How often a task is given to another process when its own was killed."""


class RayExecutor(TaskExecutor):
    """Tasks on a Ray cluster, one for each core. All machines need the same versions of this package and of Python.

    Closed by :meth:`close`, at the end of a ``with`` block, at garbage collection or when the interpreter exits.

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one; otherwise a host and port.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """

    def __init__(self, address: str = "auto") -> None:
        self._tasks = _Tasks(address)
        self._latest: tuple[Any, str, Any] = (None, "", None)
        self._finalizer = weakref.finalize(self, self._tasks.dropped.put, None)
        self._finalizer.atexit = False  # Ray disconnects itself
        self._open = True

    @property
    def slots(self) -> int:
        """The number of cores of the cluster, some seconds ago: machines come and go."""
        return self._tasks.slots

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task; returns its future.

        Raises:
            ValueError: This executor is closed, or the function cannot be sent to other processes.
            ConnectionError: The head of the cluster is gone.
        """
        if not self._open:
            raise ValueError("this executor is closed")
        if self._tasks.lost:
            raise ConnectionError(self._tasks.lost)
        if self._latest[0] is not fn:
            function = pickled(fn)
            self._latest = fn, hashlib.blake2b(function).hexdigest(), ray.put(function)
        _, digest, stored = self._latest
        future: Future[Result] = Future()
        self._tasks.give(future, digest, stored, pickle.dumps((args, kwargs)), task_name(args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further tasks, and disconnect when the others are done.

        Args:
            wait: Return only then; otherwise the executor stays connected.
            cancel_futures: Cancel the tasks that are not done.
        """
        self._open = False
        if cancel_futures:
            self._tasks.cancel()
        if wait:
            wait_for(list(self._tasks.pending))
            self.close()

    def close(self) -> None:
        """Cancel all tasks, and disconnect if no other executor is open."""
        self._open = False
        self._latest = (None, "", None)
        self._finalizer.detach()
        self._tasks.close()


class _Tasks:
    """The tasks of an executor, and its share in the connection.

    Threads and futures refer only to this object, so that :class:`RayExecutor` can be garbage-collected while there are
    tasks.
    """

    def __init__(self, address: str) -> None:
        open_connection(address)
        self.pending: dict[Future[Any], Any] = {}
        self.lost, self.closed = "", False
        self.slots = count_cores()
        self.lock = threading.Lock()
        self.dropped: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Gets an item when the executor is collected. That may happen in any thread, even in one of Ray's that holds a
        lock: then, Ray must not be called there."""
        for work, *more in (self.watch, head()), (self.recount,):
            threading.Thread(target=work, args=more, daemon=True, name="gridpuzzles ray").start()

    def give(self, future: "Future[Any]", digest: str, stored: Any, arguments: bytes, name: str) -> None:
        """Send a task to the cluster."""
        reference = _remote().remote(digest, [stored], arguments, name)
        self.pending[future] = reference
        future.add_done_callback(self.forget)
        reference.future().add_done_callback(functools.partial(_settle, future, name))

    def forget(self, future: "Future[Any]") -> None:
        """Remove a task that is done, or cancel it on the cluster."""
        reference = self.pending.pop(future, None)
        if future.cancelled() and reference is not None and ray.is_initialized() and not self.lost:
            ray.cancel(reference)

    def cancel(self) -> None:
        """Cancel all tasks."""
        for future, reference in list(self.pending.items()):
            future.cancel()
            ray.cancel(reference, force=True)

    def close(self) -> None:
        """Cancel all tasks, and disconnect if no other executor is open."""
        with self.lock:
            if self.closed or self.lost:
                return
            self.closed = True
        self.dropped.put(None)
        if ray.is_initialized():
            self.cancel()
        close_connection()

    def lose(self, why: str) -> None:
        """Give up: all futures that are not done raise a ConnectionError with this message."""
        self.lost = why
        for future in list(self.pending):
            with contextlib.suppress(InvalidStateError):  # it is done at this moment
                future.set_exception(ConnectionError(why))

    def recount(self) -> None:
        """Count the cluster's cores again and again, in a thread: while the head is gone, Ray does not return."""
        while not (self.closed or self.lost):
            time.sleep(LOOK)
            with contextlib.suppress(Exception):  # Ray was shut down meanwhile
                self.slots = count_cores()

    def watch(self, at: tuple[str, int]) -> None:
        """Look whether the head is there, until the executor is closed or collected, in a thread."""
        lost = watch_head(at, self.dropped)
        if lost:
            self.lose(lost)
        else:
            self.close()


def _settle(future: "Future[Any]", name: str, source: "Future[Any]") -> None:
    """Pass the end of a task on to its future."""
    error = source.exception()
    with contextlib.suppress(InvalidStateError):  # it was cancelled, or has been given up
        if error is not None:
            future.set_exception(WorkError(f"the worker on {name} was lost: {first_line(error)}"))
            return
        try:
            done, result = pickle.loads(source.result())
        except Exception as unreadable:
            done, result = False, failure(unreadable, name)
        (future.set_result if done else future.set_exception)(result)


@functools.cache
def _remote() -> Any:
    return ray.remote(num_cpus=1, max_retries=RETRIES)(_call)


# -- in a process of the cluster ---------------------------------------------------------------------

_caller = Caller()
_function = ""


def _call(digest: str, stored: list[Any], arguments: bytes, name: str) -> bytes:
    """Do a task; a function that is the one before is not fetched again."""
    global _function
    function = None if digest == _function else ray.get(stored[0])
    _function = digest
    return _caller(function, arguments, name)
