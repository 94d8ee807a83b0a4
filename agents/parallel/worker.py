"""One background process of :mod:`~gridpuzzles_gym.agents.parallel.pool`: its main loop and its protocol.

Both directions use frames: eight bytes of length, then a pickle of that many bytes. A frame to it is a task, ``(pickled
function, or None for the one before, pickled arguments, name)``; a reply is ``(True, result)`` or ``(False,
exception)``.
"""

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import IO, Any

from gridpuzzles_gym.engine.levels.left_out import LevelWarning

from .tasks import failure

_PREFIX = 8
"""Size in bytes of a frame's length prefix."""


def send(stream: IO[bytes], payload: bytes) -> None:
    """Write one frame.

    Raises:
        OSError: The reader is gone.
    """
    stream.write(len(payload).to_bytes(_PREFIX, "big"))
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one frame; None if the other side is gone."""
    prefix = stream.read(_PREFIX)
    if len(prefix) < _PREFIX:
        return None
    size = int.from_bytes(prefix, "big")
    payload = stream.read(size)
    return payload if len(payload) == size else None


class Caller:
    """Calls functions that come pickled. The latest one stays: its caches survive to the next task."""

    def __init__(self) -> None:
        self._pickled = b""
        self._function: Any = None

    def __call__(self, function: bytes | None, arguments: bytes, name: str) -> bytes:
        """Call a function.

        Args:
            function: The pickled function; None: the one before.
            arguments: Its pickled arguments, a tuple and a dict.
            name: The task's name, for messages.

        Returns:
            A pickled ``(True, result)`` or ``(False, exception)``.
        """
        try:
            if function is not None:
                self._pickled, self._function = function, None
            if self._function is None:
                self._function = pickle.loads(self._pickled)
            args, kwargs = pickle.loads(arguments)
            return pickle.dumps((True, self._function(*args, **kwargs)))
        except BaseException as error:
            return pickle.dumps((False, failure(error, name)))


def _read_ahead(stream: IO[bytes], put: Callable[[bytes], None]) -> None:
    """Take incoming frames. When the parent is gone, for whatever reason, this process exits immediately."""
    while (item := receive(stream)) is not None:
        put(item)
    os._exit(0)


def pipes(put: Callable[[bytes], None]) -> IO[bytes]:
    """Set this process up: its niceness, ``sys.argv[1]``, and its pipes.

    Args:
        put: Called with each incoming frame, in a thread.

    Returns:
        Where to write frames.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    with contextlib.suppress(AttributeError, OSError):
        os.nice(int(sys.argv[1]))
    # What the work prints or reads must not come between the frames.
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    threading.Thread(target=_read_ahead, args=(requests, put), daemon=True).start()
    return replies


def main() -> None:
    """Serve until the standard input ends."""
    warnings.simplefilter("ignore", LevelWarning)  # the parent says it, once
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    replies, call = pipes(tasks.put), Caller()
    while True:
        try:
            send(replies, call(*pickle.loads(tasks.get())))
        except OSError:  # the parent is gone
            os._exit(0)


if __name__ == "__main__":
    main()
