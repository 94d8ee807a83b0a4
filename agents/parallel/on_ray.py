"""An executor on a Ray cluster (https://docs.ray.io): the tasks of a killed process or machine go to others."""

import contextlib
import functools
import pickle
import socket
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

import ray

from .executor import Caller, TaskExecutor, WorkError, failure, pickled, task_name

Result = TypeVar("Result")

RETRIES = 9
"""How often a task is given to another process when its own was killed."""
_PATIENCE = 10.0
"""Seconds to wait for an answer from the address of a cluster."""


class RayExecutor(TaskExecutor):
    """Tasks on a Ray cluster, one for each core. All machines need the same versions of this package and of Python.

    Closed by :meth:`close` or at the end of a ``with`` block.

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one; otherwise a host and port.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """

    def __init__(self, address: str = "auto") -> None:
        self._pending: dict[Future[Any], Any] = {}
        self._latest: tuple[Any, Any] = (None, None)
        self._own, self._open = _connect(address), True

    @property
    def slots(self) -> int:
        """The number of cores of the cluster: machines come and go."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task: :meth:`.TaskExecutor.submit`."""
        if not self._open:
            raise ValueError("this executor is closed")
        if self._latest[0] is not fn:
            self._latest = fn, ray.put(pickled(fn))
        future: Future[Result] = Future()
        name = task_name(args, kwargs)
        reference = _remote().remote(self._latest[1], pickle.dumps((args, kwargs)), name)
        self._pending[future] = reference
        future.add_done_callback(functools.partial(_forget, self._pending))
        reference.future().add_done_callback(functools.partial(_settle, future, name))
        return future

    def close(self) -> None:
        """Cancel all tasks, and disconnect if it was this executor that connected."""
        self._latest = (None, None)
        if self._open and ray.is_initialized():
            for future, reference in list(self._pending.items()):
                future.cancel()
                ray.cancel(reference, force=True)
            if self._own:
                ray.shutdown()
        self._open = False


def _forget(pending: "dict[Future[Any], Any]", future: "Future[Any]") -> None:
    """Remove a task that is done, or cancel it on the cluster."""
    reference = pending.pop(future, None)
    if future.cancelled() and reference is not None and ray.is_initialized():
        ray.cancel(reference)


def _settle(future: "Future[Any]", name: str, source: "Future[Any]") -> None:
    """Pass the end of a task on to its future."""
    error = source.exception()
    with contextlib.suppress(InvalidStateError):  # it was cancelled
        if error is not None:
            future.set_exception(WorkError(f"the worker on {name} was lost: {_first_line(error)}"))
            return
        try:
            done, result = pickle.loads(source.result())
        except Exception as unreadable:
            done, result = False, failure(unreadable, name)
        (future.set_result if done else future.set_exception)(result)


def _connect(address: str) -> bool:
    """Connect to a cluster, unless this process is connected; returns whether it was not."""
    if ray.is_initialized():
        at = ray.get_runtime_context().gcs_address
        if address not in ("auto", "local", at):
            raise ValueError(f"--ray {address}: this process is connected to {at} already")
        return False
    if address not in ("auto", "local"):
        host, colon, port = address.rpartition(":")
        if not (host and colon and port.isdecimal() and int(port) < 2**16) or "/" in host:
            raise ValueError(f"--ray {address}: must be auto, local or HOST:PORT")
        try:  # Ray itself tries for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
        except OSError as error:
            why = error.strerror or error
            raise ConnectionError(f"--ray {address}: no cluster can be reached there: {why}") from None
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except ConnectionError as error:
        why = "no cluster is running on this machine; start one with `ray start --head`, or name its HOST:PORT"
        raise ConnectionError(f"--ray {address}: {why if address == 'auto' else _first_line(error)}") from None
    except RuntimeError as error:
        if "ersion" in str(error):
            raise ValueError(f"--ray {address}: {' '.join(str(error).split())}") from None
        raise ConnectionError(f"--ray {address}: {_first_line(error)}") from None
    return True


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


@functools.cache
def _remote() -> Any:
    return ray.remote(num_cpus=1, max_retries=RETRIES)(_call)


_caller = Caller()


def _call(function: bytes, arguments: bytes, name: str) -> bytes:
    """Do a task, in a process of the cluster."""
    return _caller(function, arguments, name)
