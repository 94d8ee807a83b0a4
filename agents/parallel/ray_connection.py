"""The connection of this process to a Ray cluster, which it shares, and a watch over the cluster's head."""

import _thread
import contextlib
import os
import queue
import socket
import threading
from collections.abc import Iterator

import ray

_PATIENCE = 10.0
"""Seconds to wait for an answer from the address of a cluster."""
_RECONNECT = "RAY_gcs_rpc_server_reconnect_timeout_s", "600"
"""Ray ends a process that has lost the head for so long, by default 60 seconds: too soon to save what was learned."""
LOOK, _MISSES = 2.0, 5
"""Seconds between two looks at the cluster's head, and after how many failures it is given up."""


@contextlib.contextmanager
def connection(address: str) -> Iterator[None]:
    """Be connected to a cluster, for other work of the main thread than an executor's.

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one; otherwise a host and port.

    Raises:
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there, or its head was lost. The work inside is interrupted by a
            KeyboardInterrupt, whose message is a part of this one's.
    """
    open_connection(address)
    ended: queue.SimpleQueue[None] = queue.SimpleQueue()
    lost = ""

    def watch(at: tuple[str, int]) -> None:
        nonlocal lost
        lost = watch_head(at, ended)
        if lost:
            _thread.interrupt_main()

    threading.Thread(target=watch, args=(head(),), daemon=True, name="gridpuzzles ray").start()
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not lost:
            raise
        reasons = error.args if isinstance(error, KeyboardInterrupt) else ()
        raise ConnectionError("; ".join([lost, *map(str, reasons)])) from None
    else:
        if lost:
            raise ConnectionError(lost)
    finally:
        ended.put(None)
        if not lost:
            close_connection()


def watch_head(at: tuple[str, int], ended: "queue.SimpleQueue[None]") -> str:
    """Wait until the head of the cluster is gone, or until the work has ended.

    Args:
        at: The address of the head.
        ended: Gets an item when there is nothing to watch any more.

    Returns:
        That the head is gone; empty if the watch has ended before.
    """
    misses = 0
    while misses < _MISSES:
        with contextlib.suppress(queue.Empty):
            ended.get(timeout=LOOK)
            return ""
        try:
            socket.create_connection(at, timeout=LOOK).close()
        except OSError:
            misses += 1
        else:
            misses = 0
    return f"the head of the Ray cluster at {at[0]}:{at[1]} is gone"


class _Connections:
    """The connection of this process to a cluster, for any number of executors: Ray allows one."""

    def __init__(self) -> None:
        self.executors = 0
        self.own = False
        """Whether it was made here, not by other code."""
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
open_connection, close_connection = _connections.open, _connections.close


def head() -> tuple[str, int]:
    """Return the address of the cluster's head."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


def count_cores() -> int:
    """Return the number of cores of the cluster."""
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
    os.environ.setdefault(*_RECONNECT)
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except ConnectionError as error:
        if address == "auto":
            why = "no cluster is running on this machine; start one with `ray start --head`, or name its HOST:PORT"
            raise ConnectionError(f"--ray auto: {why}") from None
        raise ConnectionError(f"--ray {address}: no cluster can be reached there: {first_line(error)}") from None
    except RuntimeError as error:
        if "ersion" in str(error):
            raise ValueError(f"--ray {address}: {' '.join(str(error).split())}") from None
        raise ConnectionError(f"--ray {address}: {first_line(error)}") from None
    except Exception as error:
        if type(error) is not Exception:  # Ray raises that if a busy machine does not start its processes in time
            raise
        raise ConnectionError(f"--ray {address}: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
