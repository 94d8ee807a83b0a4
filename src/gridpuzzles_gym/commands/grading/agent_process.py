"""The grader's side of a process that runs a submitted agent.

:mod:`.hosting` describes requests and replies. Replies are never unpickled, and everything in them is checked.
"""

import contextlib
import dataclasses
import json
import os
import selectors
import shutil
import signal
import site
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ...engine.messages import one_line, shorten
from ...engine.system.json_text import read_json
from .hosting import LONGEST_TEXT, Job
from .isolation import NAMESPACES, SCRATCH, SCRATCH_SIZE, Isolation, readable_paths

LOADING = 20.0
"""Time limit in seconds for importing the file, for constructing the class, and for the first decision, which may
compile code of the suite."""
LONGEST_REPLY = 2**16
"""The maximum size of a reply, in bytes."""
NOTED_OUTPUT = 100_000
"""Output of at least this many bytes is noted."""
MOST_AGENTS = 50
"""The maximum number of agents in a file; a file could claim any number."""
LARGEST_SOURCE = 2**22
"""The maximum size of an agent's file, in bytes."""
_STOP_SECONDS, _EXIT_SECONDS = 10.0, 1.0
"""Time in seconds that a process has to end after it was asked to, and after it has closed its pipes."""
_SIGNALS = range(129, 193)
"""Exit codes that mean death by a signal: 128 plus its number."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_INHERITED = ("LANG", "LC_ALL", "PATH", "SYSTEMROOT")
"""The environment variables that an agent's process inherits."""


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


class DeclaredAgent(NamedTuple):
    """An agent class in a file."""

    name: str
    observation: str | None
    """The observation that it asks for; None: the environment's default."""


def read_agent(path: Path) -> bytes:
    """Return the contents of an agent's file.

    Raises:
        AgentError: It is a link, not a regular file, too large, or unreadable.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise AgentError("is a link" if path.is_symlink() else f"cannot be read: {error.strerror}") from None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise AgentError("is no regular file")
        if about.st_size > LARGEST_SOURCE:
            raise AgentError(f"is larger than {LARGEST_SOURCE // 2**20} MiB")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_SOURCE)
    finally:
        os.close(descriptor)


class AgentProcess:
    """The process of one agent; a context manager.

    It receives the contents of the file and what :meth:`construct` and :meth:`act` send: never a level or a seed.

    Args:
        name: The name of the Python file.
        source: Its contents.
        limits: Limits of the agent.
        isolation: How the process is isolated.

    Attributes:
        notes: Remarks for the report that are not errors, such as the amount of output.
        used: Time used by all decisions but the first, in seconds.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, name: str, source: bytes, limits: AgentLimits, isolation: Isolation) -> None:
        self.limits, self.used, self.notes = limits, 0.0, list[str]()
        self._name, self._source, self._isolation = name, source, isolation
        self._scratch = SCRATCH if isolation.sandbox else tempfile.mkdtemp(prefix="gridpuzzles-grade-")
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        for descriptor in self._requests, self._replies:
            os.set_blocking(descriptor, False)
        readable = list(readable_paths()) if isolation is NAMESPACES else []
        seconds = limits.total + 3 * LOADING
        job = Job(isolation.name, readable, self._scratch, SCRATCH_SIZE, requests, replies, limits.memory, seconds)
        arguments = ["-m", f"{__package__}.hosting", json.dumps(dataclasses.asdict(job))]
        try:
            self._process = subprocess.Popen(
                isolation.command(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(requests, replies),
                env=self._environment(),
                start_new_session=True,  # the terminal's Ctrl-C does not reach it
            )
        finally:
            os.close(requests)
            os.close(replies)
        self._printed = 0
        self._reader = threading.Thread(target=self._count_output, daemon=True)
        self._reader.start()
        self._buffer = b""
        self._closed = self._acted = False

    def _environment(self) -> dict[str, str]:
        packages = {"PYTHONUSERBASE": site.getuserbase()}  # by default below HOME
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), self._scratch)
        return {**inherited, **packages, **own, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONDONTWRITEBYTECODE": "1"}

    def classes(self) -> list[DeclaredAgent]:
        """Return the agents in the file; must be called first; raises AgentError."""
        header = {"name": self._name, "size": len(self._source)}
        self._send(header, self._source, time.monotonic() + LOADING)
        found = self._reply("classes", LOADING, f"took more than {LOADING:g} s for loading")
        agents = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        return [
            DeclaredAgent(_short(each.get("name")), _text(each.get("observation"))) for each in agents[:MOST_AGENTS]
        ]

    def construct(self, name: str, task: Mapping[str, Any]) -> None:
        """Construct the agent of that name; raises AgentError."""
        self._send({"play": name, "task": task}, b"", time.monotonic() + LOADING)
        self._reply("ready", LOADING, f"took more than {LOADING:g} s for construction")

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the agent's next action, which may be out of range; raises AgentError.

        Args:
            observation: One observation.
            start: Whether it is the first of an episode.
            masks: The legal actions, bool[A].
        """
        first = not self._acted
        if first:
            limit = max(LOADING, self.limits.seconds)
            late = f"took more than {limit:g} s for its first decision"
        else:
            limit, late = self.limits.seconds, f"took more than {self.limits.seconds:g} s for a decision"
        if not first and self.limits.total - self.used < limit:
            limit, late = self.limits.total - self.used, f"used up its {self.limits.total:g} s"
        content = np.ascontiguousarray(observation).tobytes()
        header = {"dtype": observation.dtype.str, "shape": observation.shape, "size": len(content)}
        begun = time.monotonic()
        try:
            if limit <= 0:
                raise ProcessEndedError(late)
            self._send({"act": header, "start": start, "masks": masks.tolist()}, content, begun + limit)
            action = self._reply("action", limit, late)
        finally:
            self.used += 0 if first else time.monotonic() - begun
            self._acted = True
        if type(action) is not int:
            raise ProcessEndedError("sent something that is no action")
        return action

    # -- requests and replies --------------------------------------------------------------------

    def _send(self, request: Mapping[str, Any], content: bytes, deadline: float) -> None:
        waiting = memoryview(json.dumps(request).encode() + b"\n" + content)
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_WRITE)
            while waiting:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    raise ProcessEndedError("did not read what it was sent")
                try:
                    waiting = waiting[os.write(self._requests, waiting) :]
                except BrokenPipeError:
                    raise ProcessEndedError(self._how_it_ended()) from None

    def _reply(self, wanted: str, seconds: float, late: str) -> Any:
        """Return the value ``wanted`` of a reply; raises AgentError if it is an error, or with the words ``late``."""
        for line in self._lines(time.monotonic() + seconds):
            reply = _read(line)
            if "error" in reply:
                raise AgentError(_short(reply["error"]))
            elif wanted in reply:
                return reply[wanted]
        raise ProcessEndedError(late)

    def _lines(self, deadline: float) -> Iterator[bytes]:
        """Yield replies until a deadline; raises ProcessEndedError if the process has ended or sends too much."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                line, newline, rest = self._buffer.partition(b"\n")
                if newline:
                    self._buffer = rest
                    yield line
                    continue
                if len(self._buffer) > LONGEST_REPLY:
                    raise ProcessEndedError("sent something that is no reply")
                if not selector.select(left):
                    return
                some = os.read(self._replies, LONGEST_REPLY)
                if not some:
                    raise ProcessEndedError(self._how_it_ended())
                self._buffer += some

    # -- the end ---------------------------------------------------------------------------------

    def _how_it_ended(self) -> str:
        """Return how the process ended; one that has only closed its pipes is ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_SECONDS)
        code = self._end()
        number = code - 128 if code in _SIGNALS else max(-code, 0)
        return f"its process was ended by signal {number}" if number else f"its process ended with exit code {code}"

    def _end(self) -> int:
        """End the process and return its exit code, 128 or more for a signal."""
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_STOP_SECONDS if self._isolation is NAMESPACES else 0.1)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait()

    def close(self) -> None:
        """End the process, and add notes; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._end()
        self._reader.join(1.0)
        if self._printed >= NOTED_OUTPUT:
            self.notes.append(f"printed {self._printed / 1e6:.1f} MB")
        os.close(self._requests)
        os.close(self._replies)
        if not self._isolation.sandbox:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _count_output(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with stream:
            while some := os.read(stream.fileno(), 2**16):
                self._printed += len(some)

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


def _text(value: object) -> str | None:
    """Return a text unchanged; None for anything else."""
    return value if isinstance(value, str) else None


def _short(text: object) -> str:
    """Return a text of the process as one line of limited length."""
    return shorten(one_line(text), LONGEST_TEXT)
