"""The grader's side of an agent's process; :mod:`.host` describes requests and replies.

Replies are JSON, never unpickled, and everything in them is checked.
"""

import contextlib
import dataclasses
import functools
import importlib
import json
import os
import selectors
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ...engine.messages import one_line, shorten
from ...engine.system.files import read_json
from .host import LONGEST_TEXT

LOADING = 20.0
"""Time limit in seconds for importing the file, for constructing the class, and for the first decision, which may
compile code of the suite."""
LONGEST_REPLY = 2**16
"""The maximum size of a reply, in bytes."""
MOST_AGENTS = 50
"""The maximum number of agents in a file; a file could claim any number."""
SCRATCH, SCRATCH_SIZE = "/scratch", 64 * 2**20
"""The folder that an agent in bubblewrap may write to, and its maximum size in bytes."""
SANDBOX = "Sandbox: bubblewrap."
NO_SANDBOX = "No sandbox: bubblewrap (bwrap) is not installed or does not work here. Run only agents that you trust."
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime")
"""Files of Linux that programs need: libraries and the local time."""
_PACKAGES = "gridpuzzles_gym", "gridpuzzles_gym.agents", "gridpuzzles_gym.levels"
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclasses.dataclass(frozen=True)
class AgentLimits:
    """Limits of one agent."""

    seconds: float = 1.0
    """Time limit of a decision, in seconds."""
    total: float = 60.0
    """Time limit of all decisions but the first, in seconds."""
    memory: int = 2048
    """Maximum address space, in MiB."""

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not 0 < value <= 10**6:
                raise ValueError(f"{name}={value:g}: must be a positive number up to 1,000,000")


class AgentError(Exception):
    """An agent did something wrong; the message continues a sentence that begins with its name."""


class ProcessEndedError(AgentError):
    """An error after which the agent cannot go on: its process has ended or must be ended."""


@functools.cache
def sandbox() -> tuple[str, ...]:
    """Return the beginning of a command that runs under bubblewrap; empty if it is not installed or does not work."""
    program = shutil.which("bwrap")
    if program is None:
        return ()
    packages = [path for name in _PACKAGES for path in importlib.import_module(name).__path__]
    installed = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    readable = sorted({os.path.abspath(path) for path in (*_SYSTEM, *python, *installed, *packages)} - {"/"})
    binds = [word for path in readable if os.path.exists(path) for word in ("--ro-bind", path, path)]
    command = (
        program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", *binds, "--dev", "/dev",
        "--size", str(SCRATCH_SIZE), "--tmpfs", SCRATCH, "--remount-ro", "/", "--chdir", SCRATCH, "--",
    )  # fmt: skip
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run([*command, sys.executable, "-c", ""], capture_output=True, timeout=LOADING, check=True)
        return command
    return ()


class AgentProcess:
    """The process of one agent; a context manager.

    It receives the contents of the file and what :meth:`construct` and :meth:`act` send: never a level or a seed.

    Args:
        name: The name of the Python file.
        source: Its contents.
        limits: Limits of the agent.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, name: str, source: bytes, limits: AgentLimits) -> None:
        self.limits, self.used, self.decisions = limits, 0.0, 0
        self._name, self._source, self._buffer = name, source, b""
        self._folder = "" if sandbox() else tempfile.mkdtemp(prefix="gridpuzzles-grade-")
        scratch = self._folder or SCRATCH
        inherited = {name: os.environ[name] for name in ("LANG", "LC_ALL", "PATH") if name in os.environ}
        own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), scratch)
        more = {"PYTHONUSERBASE": site.getuserbase(), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [*sandbox(), sys.executable, "-P", "-m", f"{__package__}.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=self._folder or None,
            env={**inherited, **own, **more, **dict.fromkeys(_ONE_THREAD, "1")},
            start_new_session=True,  # the terminal's Ctrl-C does not reach it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._requests, False)

    def classes(self) -> list[tuple[str, str | None]]:
        """Return the agents in the file, each with the observation that it asks for; must be called first."""
        seconds = self.limits.total + 3 * LOADING
        request = {"name": self._name, "memory": self.limits.memory, "seconds": seconds}
        found = self._ask(request, self._source, "classes", LOADING, f"took more than {LOADING:g} s for loading")
        agents = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        return [
            (_short(each.get("name")), seen if isinstance(seen := each.get("observation"), str) else None)
            for each in agents[:MOST_AGENTS]
        ]

    def construct(self, name: str, task: Mapping[str, Any]) -> None:
        """Construct the agent of that name; raises AgentError."""
        late = f"took more than {LOADING:g} s for construction"
        self._ask({"play": name, "task": task}, b"", "ready", LOADING, late)

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the agent's next action, which may be out of range; raises AgentError.

        Args:
            observation: One observation.
            start: Whether it is the first of an episode.
            masks: The legal actions, bool[A].
        """
        limits, first = self.limits, self.decisions == 0
        limit = max(LOADING, limits.seconds) if first else limits.seconds
        late = f"took more than {limit:g} s for {'its first' if first else 'a'} decision"
        if not first and limits.total - self.used < limit:
            limit, late = limits.total - self.used, f"used up its {limits.total:g} s"
        header = {"dtype": observation.dtype.str, "shape": observation.shape, "start": start, "masks": masks.tolist()}
        begun = time.monotonic()
        try:
            action = self._ask(header, np.ascontiguousarray(observation).tobytes(), "action", limit, late)
        finally:
            self.used += 0 if first else time.monotonic() - begun
            self.decisions += 1
        if type(action) is not int:
            raise ProcessEndedError("sent something that is no action")
        return action

    @property
    def decision_ms(self) -> float:
        """The mean time of a decision but the first, in milliseconds."""
        return 1000 * self.used / max(self.decisions - 1, 1)

    def _ask(self, request: Mapping[str, Any], content: bytes, wanted: str, seconds: float, late: str) -> Any:
        """Send a request and return the value ``wanted`` of the reply; raises AgentError, with the words ``late``."""
        deadline = time.monotonic() + seconds
        waiting = memoryview(json.dumps({**request, "size": len(content)}).encode() + b"\n" + content)
        while waiting:
            self._wait(self._requests, selectors.EVENT_WRITE, deadline, late)
            try:
                waiting = waiting[os.write(self._requests, waiting) :]
            except BrokenPipeError:
                raise ProcessEndedError(self._how_it_ended()) from None
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                reply = _read(line)
                if "error" in reply:
                    raise AgentError(_short(reply["error"]))
                if wanted in reply:
                    return reply[wanted]
            elif len(self._buffer) > LONGEST_REPLY:
                raise ProcessEndedError("sent something that is no reply")
            else:
                self._wait(self._replies, selectors.EVENT_READ, deadline, late)
                some = os.read(self._replies, LONGEST_REPLY)
                if not some:
                    raise ProcessEndedError(self._how_it_ended())
                self._buffer += some

    def _wait(self, descriptor: int, event: int, deadline: float, late: str) -> None:
        """Wait until a pipe is ready; raises ProcessEndedError at the deadline."""
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(deadline - time.monotonic(), 0)) or time.monotonic() > deadline:
                raise ProcessEndedError(late)

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            number = code - 128 if 128 < code < 193 else -code  # bubblewrap returns 128 plus the signal
            return f"its process was ended by signal {number}" if number > 0 else f"its process ended: exit code {code}"
        return "closed its pipes"

    def close(self) -> None:
        """End the process and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _read(line: bytes) -> dict[str, Any]:
    """Return the object in a line; raises ProcessEndedError if it is not a reply."""
    with contextlib.suppress(ValueError):
        reply = read_json(line)
        if isinstance(reply, dict):
            return reply
    raise ProcessEndedError("sent something that is no reply")


def _short(text: object) -> str:
    """Return a text of the process as one line of limited length."""
    return shorten(one_line(text), LONGEST_TEXT)
