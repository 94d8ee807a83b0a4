"""What an agent's process may not do: limits of the system, and a hook that sees what Python code is about to do.

The limits hold for everything in the process. The hook is for mistakes and simple mischief: it sees what Python's own
functions do, and code that calls the system by itself gets past it.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LARGEST_FILE = 16 * 2**20
"""The maximum size of a file, in bytes."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.chmod": 1, "os.chown": 1, "os.link": 2, "os.mkdir": 1, "os.remove": 1, "os.rename": 2, "os.rmdir": 1,
    "os.setxattr": 1, "os.removexattr": 1, "os.symlink": 2, "os.truncate": 1, "os.utime": 1, "sqlite3.connect": 1,
}  # fmt: skip
"""The events that change files, with the number of paths among their arguments."""
_PROCESSES = (
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen",
)  # fmt: skip
_SIGNALS = "os.kill", "os.killpg"
_NETWORK = "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"


def set_limits(memory: int, seconds: float) -> None:
    """Limit this process and its children.

    Args:
        memory: The maximum size of each process's address space, in MiB.
        seconds: The maximum processor time of each, in seconds.
    """
    import resource  # not on Windows, where templates can be made nevertheless

    for kind, value in (
        (resource.RLIMIT_AS, memory * 2**20),
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        highest = resource.getrlimit(kind)[1]
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of address space
            resource.setrlimit(kind, (value, value))


def forbid(scratch: Path, tell: Callable[[str], None]) -> None:
    """Let Python's functions raise PermissionError that write elsewhere, start processes or use the network.

    It cannot be undone.

    Args:
        scratch: The folder in which files may be written.
        tell: Called with what was tried, in words.
    """
    allowed = (os.path.realpath(scratch), "/dev/null")
    own = os.getpid()

    def refuse(what: str) -> None:
        tell(what)
        raise PermissionError(errno.EPERM, f"not allowed while being graded: {what}")

    def check_path(path: Any, *folder: Any) -> None:
        if isinstance(path, int):  # an open file
            return
        base = f"/proc/self/fd/{folder[0]}" if folder and isinstance(folder[0], int) and folder[0] >= 0 else ""
        found = os.path.realpath(os.path.join(base, os.fsdecode(path)))
        if not any(found == place or found.startswith(place + os.sep) for place in allowed):
            refuse(f"tried to write {os.fsdecode(path)}")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITING:
                check_path(path)
        elif event in _CHANGES:
            for path in arguments[: _CHANGES[event]]:
                check_path(path, *arguments[-1:])
        elif event in _PROCESSES:
            refuse("tried to start a process")
        elif event in _SIGNALS and arguments[0] != own:
            refuse("tried to send a signal to another process")
        elif event in _NETWORK:
            refuse("tried to use the network")

    sys.addaudithook(hook)
