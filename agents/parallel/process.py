"""Another interpreter, with frames to and from it: what runs the work of :mod:`.pool` and :mod:`.streaming`."""

import contextlib
import os
import subprocess
import sys

from .worker import receive, send

_ONE_THREAD = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip


class Process:
    """One interpreter with a pipe each way.

    Args:
        module: The dotted name of the module that it runs, whose main loop uses :func:`~.worker.pipes`.
        niceness: Its niceness, 0 to 19.
    """

    def __init__(self, module: str, niceness: int) -> None:
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        command = [sys.executable, "-P", "-m", module, str(niceness)]
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": paths},
            start_new_session=True,  # the terminal's Ctrl-C does not reach it
        )

    def tell(self, payload: bytes) -> None:
        """Send it a frame.

        Raises:
            OSError: It died.
        """
        assert self._popen.stdin is not None
        send(self._popen.stdin, payload)

    def hear(self) -> bytes:
        """Wait for its next frame.

        Raises:
            OSError, EOFError: It died.
        """
        assert self._popen.stdout is not None
        payload = receive(self._popen.stdout)
        if payload is None:
            raise EOFError
        return payload

    def kill(self) -> None:
        """Kill it; it has nothing to save. The caller that waits for its frames then calls :meth:`end`."""
        self._popen.kill()

    def end(self) -> str:
        """Clean up after it; returns how it ended."""
        self._popen.kill()
        code = self._popen.wait()
        for stream in filter(None, (self._popen.stdin, self._popen.stdout)):
            with contextlib.suppress(OSError):  # unwritten data has no reader
                stream.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"
