"""One background process of :mod:`~gridpuzzles_gym.agents.parallel.workers`: what it runs, and how it is talked to.

Both ways go frames: eight bytes of length, then so many bytes of pickle. The first frame is the function; each
further one an item, answered by one frame ``(done, result)``, or ``(False, text of the traceback)``.
"""

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from typing import IO, Any

_PREFIX = 8
"""Bytes before a frame that tell its length."""


def send(stream: IO[bytes], payload: bytes) -> None:
    """Write one frame.

    Raises:
        OSError: Nobody reads any more.
    """
    stream.write(len(payload).to_bytes(_PREFIX, "big"))
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one frame; None where the other side has gone."""
    prefix = stream.read(_PREFIX)
    if len(prefix) < _PREFIX:
        return None
    size = int.from_bytes(prefix, "big")
    payload = stream.read(size)
    return payload if len(payload) == size else None


def answer(work: bytes, item: bytes) -> bytes:
    """Call the pickled function on the pickled item: a pickled ``(True, result)`` or ``(False, traceback)``."""
    try:
        return pickle.dumps((True, _function(work)(pickle.loads(item))))
    except BaseException:
        return pickle.dumps((False, traceback.format_exc()))


_functions: dict[bytes, Any] = {}


def _function(work: bytes) -> Any:
    """The function, unpickled at its first use: whatever it prepares in itself stays for the next item."""
    if work not in _functions:
        _functions[work] = pickle.loads(work)
    return _functions[work]


def _read_ahead(stream: IO[bytes], items: "queue.SimpleQueue[bytes]") -> None:
    """Queue what comes in. When the parent has gone, however it went, so does this process, in the middle of work."""
    while (item := receive(stream)) is not None:
        items.put(item)
    os._exit(0)


def main() -> None:
    """Serve until the standard input ends; ``sys.argv[1]`` is the niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    with contextlib.suppress(AttributeError, OSError):
        os.nice(int(sys.argv[1]))
    # What the function prints or reads must not come between the frames.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    items: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_ahead, args=(requests, items), daemon=True).start()
    work = items.get()
    while True:
        try:
            send(answers, answer(work, items.get()))
        except OSError:  # the parent has gone
            os._exit(0)


if __name__ == "__main__":
    main()
