"""An executor on a Ray cluster (https://docs.ray.io): the tasks of a killed process or machine go to others."""

import contextlib
import functools
import hashlib
import pickle
import queue
import socket
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import wait as wait_for
from typing import Any, TypeVar

import ray

from .tasks import TaskExecutor, WorkError, failure, pickled, task_name
from .worker import Caller

Result = TypeVar("Result")

RETRIES = 3
"""How often a task is given to another process when its own was killed."""
_PATIENCE = 10.0
"""Seconds to wait for an answer from the address of a cluster."""
_LOOK, _MISSES = 2.0, 5
"""Seconds between two looks at the cluster's head, and after how many failures it is given up."""


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
        _connections.open(address)
        self.pending: dict[Future[Any], Any] = {}
        self.lost, self.closed = "", False
        self.slots = _count_cores()
        self.lock = threading.Lock()
        self.dropped: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Gets an item when the executor is collected. That may happen in any thread, even in one of Ray's that holds a
        lock: then, Ray must not be called there."""
        for work, *more in (self.watch, _head()), (self.recount,):
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
        _connections.close()

    def lose(self, why: str) -> None:
        """Give up: all futures that are not done raise a ConnectionError with this message."""
        self.lost = why
        for future in list(self.pending):
            with contextlib.suppress(InvalidStateError):  # it is done at this moment
                future.set_exception(ConnectionError(why))

    def recount(self) -> None:
        """Count the cluster's cores again and again, in a thread: while the head is gone, Ray does not return."""
        while not (self.closed or self.lost):
            time.sleep(_LOOK)
            with contextlib.suppress(Exception):  # Ray was shut down meanwhile
                self.slots = _count_cores()

    def watch(self, head: tuple[str, int]) -> None:
        """Look whether the head is there, until the executor is closed or collected, in a thread.

        Ray ends this process a minute after losing the head.
        """
        misses = 0
        while misses < _MISSES:
            with contextlib.suppress(queue.Empty):
                self.dropped.get(timeout=_LOOK)
                self.close()
                return
            try:
                socket.create_connection(head, timeout=_LOOK).close()
            except OSError:
                misses += 1
            else:
                misses = 0
        self.lose(f"the head of the Ray cluster at {head[0]}:{head[1]} is gone")


class _Connections:
    """The connection of this process to a cluster, for any number of executors: Ray allows one."""

    def __init__(self) -> None:
        self.executors = 0
        self.own = False
        """Was it made here, and not by somebody else?"""
        self.lock = threading.Lock()

    def open(self, address: str) -> None:
        """Connect, unless there is a connection."""
        with self.lock:
            if not ray.is_initialized():
                _connect(address)
                self.executors, self.own = 0, True
            elif address not in ("auto", "local", ray.get_runtime_context().gcs_address):
                raise ValueError(
                    f"--ray {address}: this process is connected to {ray.get_runtime_context().gcs_address} already"
                )
            self.executors += 1

    def close(self) -> None:
        """Disconnect after the last executor."""
        with self.lock:
            self.executors -= 1
            if self.executors == 0 and self.own and ray.is_initialized():
                self.own = False
                ray.shutdown()


_connections = _Connections()


def _head() -> tuple[str, int]:
    """Return the address of the cluster's head."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


def _count_cores() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _connect(address: str) -> None:
    """Connect to a cluster.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """
    if address not in ("auto", "local"):
        host, colon, port = address.rpartition(":")
        if not (host and colon and port.isdecimal() and int(port) < 2**16) or "/" in host:
            raise ValueError(f"--ray {address}: must be auto, local or HOST:PORT")
        try:  # Ray itself tries for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
        except OSError as error:
            raise ConnectionError(
                f"--ray {address}: no cluster can be reached there: {error.strerror or error}"
            ) from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except ConnectionError as error:
        if address == "auto":
            why = "no cluster is running on this machine; start one with `ray start --head`, or name its HOST:PORT"
            raise ConnectionError(f"--ray auto: {why}") from None
        raise ConnectionError(f"--ray {address}: no cluster can be reached there: {_first_line(error)}") from None
    except RuntimeError as error:
        if "ersion" in str(error):
            raise ValueError(f"--ray {address}: {' '.join(str(error).split())}") from None
        raise ConnectionError(f"--ray {address}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _settle(future: "Future[Any]", name: str, source: "Future[Any]") -> None:
    """Pass the end of a task on to its future."""
    error = source.exception()
    with contextlib.suppress(InvalidStateError):  # it was cancelled, or has been given up
        if error is not None:
            future.set_exception(WorkError(f"the worker on {name} was lost: {_first_line(error)}"))
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
    if digest != _function:
        _caller.take(ray.get(stored[0]))
        _function = digest
    return _caller(arguments, name)
