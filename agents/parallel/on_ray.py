"""An executor on a Ray cluster (https://docs.ray.io): the tasks of a killed process or machine go to others."""

import contextlib
import functools
import hashlib
import pickle
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
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

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one; otherwise a host and port.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """

    def __init__(self, address: str = "auto") -> None:
        _connections.open(address)
        self._open, self._closed = True, False
        self._latest: tuple[Any, str, Any] = (None, "", None)
        self._pending: dict[Future[Any], Any] = {}
        self._lost = ""
        self._slots = _count_cores()
        for work, *more in (_watch, _head()), (_recount,):
            threading.Thread(target=work, args=(weakref.ref(self), *more), daemon=True, name="gridpuzzles ray").start()

    @property
    def slots(self) -> int:
        """The number of cores of the cluster, some seconds ago: machines come and go."""
        return self._slots

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task; returns its future.

        Raises:
            ValueError: This executor is closed, or the function cannot be sent to other processes.
            ConnectionError: The head of the cluster is gone.
        """
        if not self._open:
            raise ValueError("this executor is closed")
        if self._lost:
            raise ConnectionError(self._lost)
        if self._latest[0] is not fn:
            function = pickled(fn)
            self._latest = fn, hashlib.blake2b(function).hexdigest(), ray.put(function)
        _, digest, stored = self._latest
        future: Future[Result] = Future()
        name = task_name(args, kwargs)
        reference = _remote().remote(digest, [stored], pickle.dumps((args, kwargs)), name)
        self._pending[future] = reference
        future.add_done_callback(self._forget)
        reference.future().add_done_callback(functools.partial(_settle, future, name))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further tasks, and disconnect when the others are done.

        Args:
            wait: Return only then; otherwise the executor stays connected.
            cancel_futures: Cancel the tasks that are not done.
        """
        self._open = False
        if cancel_futures:
            self._cancel()
        if wait:
            wait_for(list(self._pending))
            self.close()

    def close(self) -> None:
        """Cancel all tasks, and disconnect if no other executor is open."""
        self._open = False
        if not (self._closed or self._lost):
            self._closed = True
            self._cancel()
            self._latest = (None, "", None)
            _connections.close()

    def lose(self, why: str) -> None:
        """Give up: all futures that are not done raise a ConnectionError with this message."""
        self._lost = why
        for future in list(self._pending):
            with contextlib.suppress(InvalidStateError):  # it is done at this moment
                future.set_exception(ConnectionError(why))

    def _cancel(self) -> None:
        for future, reference in list(self._pending.items()):
            future.cancel()
            ray.cancel(reference, force=True)

    def _forget(self, future: "Future[Any]") -> None:
        reference = self._pending.pop(future, None)
        if future.cancelled() and reference is not None and ray.is_initialized() and not self._lost:
            ray.cancel(reference)


class _Connections:
    """The connection of this process to a cluster, for any number of executors: Ray allows one."""

    def __init__(self) -> None:
        self.executors = 0
        self.own = False
        """Was it made here, and not by somebody else?"""

    def open(self, address: str) -> None:
        """Connect, unless there is a connection."""
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
        self.executors -= 1
        if self.executors == 0 and self.own and ray.is_initialized():
            self.own = False
            ray.shutdown()


_connections = _Connections()


@contextlib.contextmanager
def connected(address: str = "auto") -> Iterator[None]:
    """Connect this process to a Ray cluster, for other uses of Ray than the executor.

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one, until the end; otherwise a host
            and port.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """
    _connections.open(address)
    try:
        yield
    finally:
        _connections.close()


def _head() -> tuple[str, int]:
    """Return the address of the cluster's head."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


def _count_cores() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _recount(executor: "weakref.ref[RayExecutor]") -> None:
    """Count the cluster's cores again and again, in a thread: while the head is gone, Ray does not return."""
    while True:
        time.sleep(_LOOK)
        watched = executor()
        if watched is None or not watched._open:
            return
        with contextlib.suppress(Exception):  # Ray was shut down meanwhile
            watched._slots = _count_cores()
        del watched


def _watch(executor: "weakref.ref[RayExecutor]", head: tuple[str, int]) -> None:
    """Look whether the head is there, until the executor is closed. Ray ends this process a minute after losing it."""
    misses = 0
    while misses < _MISSES:
        time.sleep(_LOOK)
        watched = executor()
        if watched is None or not watched._open:
            return
        del watched
        try:
            socket.create_connection(head, timeout=_LOOK).close()
        except OSError:
            misses += 1
        else:
            misses = 0
    watched = executor()
    if watched is not None:
        watched.lose(f"the head of the Ray cluster at {head[0]}:{head[1]} is gone")


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
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except ConnectionError as error:
        if address == "auto":
            why = "no cluster is running on this machine; start one with `ray start --head`, or name its HOST:PORT"
            raise ConnectionError(f"--ray auto: {why}") from None
        raise ConnectionError(f"--ray {address}: no cluster can be reached there: {_first_line(error)}") from None
    except RuntimeError as error:
        if "ersion" in str(error):
            raise ValueError(f"--ray {address}: {' '.join(str(error).split())}") from None
        raise ConnectionError(f"--ray {address}: {_first_line(error)}") from None
    except Exception as error:
        if type(error) is not Exception:  # Ray raises that if a busy machine does not start its processes in time
            raise
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
    function = None if digest == _function else ray.get(stored[0])
    _function = digest
    return _caller(function, arguments, name)
