"""The grader's side of a process in which somebody else's agent plays.

Requests and replies are described in :mod:`.hosting`. Replies are never unpickled, and whatever they say is checked.
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
from .isolation import NAMESPACES, SCRATCH, SCRATCH_SIZE, Isolation, view

LOADING = 20.0
"""Seconds for importing the file, for constructing the class, and for its first decision, in which code of the suite
that it uses is compiled."""
LONGEST_REPLY = 2**16
"""The maximum size of a reply, in bytes."""
MUCH = 100_000
"""The number of bytes of output from which it is mentioned."""
MOST_AGENTS = 50
"""The maximum number of agents in a file; there is no end to what a file may claim to hold."""
LARGEST_SOURCE = 2**22
"""The maximum size of an agent's file, in bytes."""
_ENDING, _PATIENCE = 10.0, 1.0
"""Seconds for a process to end, when it is told to, and when it has closed its pipes."""
_SIGNALS = range(129, 193)
"""Exit codes that name a signal, after 128."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_KEPT = ("LANG", "LC_ALL", "PATH", "SYSTEMROOT")
"""The variables of the environment that an agent's process gets too."""


@dataclasses.dataclass(frozen=True)
class AgentLimits:
    """What an agent may use."""

    seconds: float = 1.0
    """Time for each decision."""
    total: float = 60.0
    """Time for all decisions but the first."""
    memory: int = 2048
    """MiB of address space."""

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not 0 < value <= 10**6:
                raise ValueError(f"{name}={value:g}: must be a positive number up to 1,000,000")


class AgentError(Exception):
    """What an agent did wrong, in words that follow its name."""


class EndedError(AgentError):
    """The same, and its process has to end or has ended."""


class Declared(NamedTuple):
    """A class that is an agent."""

    name: str
    observation: str | None
    """The observation that it wants; None is the environment's default."""


def read_agent(path: Path) -> bytes:
    """Return the contents of an agent's file.

    Raises:
        AgentError: It is a link or no regular file, too large, or cannot be read.
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
    """A process for an agent, to be used as a context.

    It gets the file's contents, what :meth:`construct` and :meth:`act` send, and nothing else: no level and no seed.

    Args:
        name: The name of the Python file.
        source: Its contents.
        limits: What the agent may use.
        isolation: How it is kept apart.

    Attributes:
        notes: What is remarkable besides.

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
        seen = list(view()) if isolation is NAMESPACES else []
        seconds = limits.total + 3 * LOADING
        job = Job(isolation.name, seen, self._scratch, SCRATCH_SIZE, requests, replies, limits.memory, seconds)
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
        packages = {"PYTHONUSERBASE": site.getuserbase()}  # otherwise a part of HOME
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), self._scratch)
        return {**kept, **packages, **own, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONDONTWRITEBYTECODE": "1"}

    def classes(self) -> list[Declared]:
        """Return the agents in the file; raises AgentError. To be called first."""
        about = {"name": self._name, "size": len(self._source)}
        self._send(about, self._source, time.monotonic() + LOADING)
        found = self._reply("classes", LOADING, f"took more than {LOADING:g} s for loading")
        agents = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        return [Declared(_short(each.get("name")), _text(each.get("observation"))) for each in agents[:MOST_AGENTS]]

    def construct(self, name: str, task: Mapping[str, Any]) -> None:
        """Construct the agent of that name; raises AgentError."""
        self._send({"play": name, "task": task}, b"", time.monotonic() + LOADING)
        self._reply("ready", LOADING, f"took more than {LOADING:g} s for construction")

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the agent's next action, which may be out of range; raises AgentError.

        Args:
            observation: One observation.
            start: Is it the first of an episode?
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
        about = {"dtype": observation.dtype.str, "shape": observation.shape, "size": len(content)}
        begun = time.monotonic()
        try:
            if limit <= 0:
                raise EndedError(late)
            self._send({"act": about, "start": start, "masks": masks.tolist()}, content, begun + limit)
            action = self._reply("action", limit, late)
        finally:
            self.used += 0 if first else time.monotonic() - begun
            self._acted = True
        if type(action) is not int:
            raise EndedError("sent something that is no action")
        return action

    # -- requests and replies --------------------------------------------------------------------

    def _send(self, request: Mapping[str, Any], content: bytes, deadline: float) -> None:
        waiting = memoryview(json.dumps(request).encode() + b"\n" + content)
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_WRITE)
            while waiting:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    raise EndedError("did not read what it was sent")
                try:
                    waiting = waiting[os.write(self._requests, waiting) :]
                except BrokenPipeError:
                    raise EndedError(self._ending()) from None

    def _reply(self, wanted: str, seconds: float, late: str) -> Any:
        """Return what a reply says; raises AgentError if it is an error, or, with the words ``late``, without one."""
        for line in self._lines(time.monotonic() + seconds):
            reply = _read(line)
            if "error" in reply:
                raise AgentError(_short(reply["error"]))
            elif wanted in reply:
                return reply[wanted]
        raise EndedError(late)

    def _lines(self, deadline: float) -> Iterator[bytes]:
        """Yield replies until a deadline; raises EndedError if the process has ended, or sends too much."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                line, newline, rest = self._buffer.partition(b"\n")
                if newline:
                    self._buffer = rest
                    yield line
                    continue
                if len(self._buffer) > LONGEST_REPLY:
                    raise EndedError("sent something that is no reply")
                if not selector.select(left):
                    return
                some = os.read(self._replies, LONGEST_REPLY)
                if not some:
                    raise EndedError(self._ending())
                self._buffer += some

    # -- the end ---------------------------------------------------------------------------------

    def _ending(self) -> str:
        """Return how the process ended by itself, or, if it has only closed its pipes, how it was ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        code = self._end()
        number = code - 128 if code in _SIGNALS else max(-code, 0)
        return f"its process was ended by signal {number}" if number else f"its process ended with exit code {code}"

    def _end(self) -> int:
        """End the process; returns its exit code, 128 and more if it was a signal."""
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_ENDING if self._isolation is NAMESPACES else 0.1)
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
        if self._printed >= MUCH:
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
    """Return what a line says; raises EndedError if it is no reply."""
    with contextlib.suppress(ValueError):
        reply = read_json(line)
        if isinstance(reply, dict):
            return reply
    raise EndedError("sent something that is no reply")


def _text(value: object) -> str | None:
    """Return a text as it is; None for anything else."""
    return value if isinstance(value, str) else None


def _short(text: object) -> str:
    """Return what a process has said as one line of limited length."""
    return shorten(one_line(text), LONGEST_TEXT)
