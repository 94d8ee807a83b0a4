"""The process between the grader and an agent: ``python -m gridpuzzles_gym.app.grading.guard``.

It runs the agent in a child process (:mod:`.hosting`). When that ends, or when the grader closes the guard's standard
input or dies, the guard ends every process that descends from the child, and then itself in the same way as the child.

The argument is a JSON object: the fields of :class:`.hosting.Job`.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .hosting import Job, host

_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
"""Options of Linux's ``prctl``: end with the parent; orphaned descendants become children of this process."""
MOST_PROCESSES = 32
"""The number of processes beyond which an agent is ended."""
_PAUSE, _INTERVAL = 0.02, 0.5
"""Seconds between two looks at the child, and at its descendants."""
_PATIENCE = 5.0
"""The maximum number of seconds for ending what the child has left."""


def main() -> None:
    """Guard an agent; never returns."""
    job = Job(**json.loads(sys.argv[1]))
    _control(_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        _control(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        os.setsid()
        host(job)
    os.close(job.requests)
    status = _wait(child, job.replies)
    _tell(job.replies, left=_end_descendants(child))
    shutil.rmtree(job.scratch, ignore_errors=True)  # the grader may have been killed
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # end by the same signal
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


def _control(option: int, value: int) -> None:
    """Call Linux's ``prctl``; other systems have none."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _tell(replies: int, **reply: Any) -> None:
    """Send something to the grader, if it still listens."""
    with contextlib.suppress(OSError):
        os.write(replies, json.dumps(reply).encode() + b"\n")


def _wait(child: int, replies: int) -> int:
    """Wait until the child ends, or end it if the grader wants that or there are too many processes.

    Args:
        child: The child.
        replies: Where to say why it was ended.

    Returns:
        Its status, as of ``os.waitpid``.
    """
    look = time.monotonic() + _INTERVAL
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        unwanted = bool(select.select([0], [], [], _PAUSE)[0])
        if not unwanted and time.monotonic() > look:
            look = time.monotonic() + _INTERVAL
            unwanted = len(list(_descendants(os.getpid()))) > MOST_PROCESSES
            if unwanted:
                _tell(replies, note=f"had more than {MOST_PROCESSES} processes")
        if unwanted:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1]


def _end_descendants(child: int) -> int:
    """End all processes that the child has left, and return their number."""
    found: set[int] = set()
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        alive = set(_descendants(os.getpid()))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        found |= alive
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:  # there is none left
            break
        time.sleep(_PAUSE)
    return len(found)


def _descendants(ancestor: int) -> Iterator[int]:
    """Yield the running processes that descend from one, by ``/proc``; none where there is no such folder."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(folder.name))
    waiting = [ancestor]
    while waiting:
        found = children.get(waiting.pop(), [])
        yield from found
        waiting += found


if __name__ == "__main__":
    main()
