"""One background process of :mod:`~gridpuzzles_gym.agents.parallel.workers`: its main loop and its protocol.

Both directions use frames: eight bytes of length, then a pickle of that many bytes. The first frame is the function;
each further one is an item, answered by one frame ``(done, result)`` or ``(False, text of the traceback)``.
"""

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any

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


def reply(work: bytes, item: bytes) -> bytes:
    """Call the pickled function on the pickled item; returns a pickled ``(True, result)`` or ``(False, traceback)``."""
    try:
        return pickle.dumps((True, _function(work)(pickle.loads(item))))
    except BaseException:
        return pickle.dumps((False, traceback.format_exc()))


_functions: dict[bytes, Any] = {}


def _function(work: bytes) -> Any:
    """The function, unpickled at its first use; what it caches in itself stays for the next item."""
    if work not in _functions:
        _functions[work] = pickle.loads(work)
    return _functions[work]


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
    items: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    replies = pipes(items.put)
    work = items.get()
    while True:
        try:
            send(replies, reply(work, items.get()))
        except OSError:  # the parent is gone
            os._exit(0)


if __name__ == "__main__":
    main()
