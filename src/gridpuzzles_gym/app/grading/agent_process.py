"""The grader's side of a process in which somebody else's agent plays.

Requests and replies are described in :mod:`.hosting`. Replies are never unpickled, and whatever they say is checked.
"""

import contextlib
import dataclasses
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ...engine.json_text import read_json
from ...engine.messages import one_line, plural, shorten
from .hosting import LONGEST_TEXT, MOST_NOTES, Job

LOADING = 20.0
"""Seconds for importing the file, for constructing the class, and for its first decision, in which code of the suite
that it uses is compiled."""
LONGEST_REPLY = 2**16
"""The maximum size of a reply, in bytes."""
MUCH = 100_000
"""The number of bytes of output from which it is mentioned."""
MOST_AGENTS = 50
"""The maximum number of agents in a file; there is no end to what a file may claim to hold."""
_ENDING, _PATIENCE = 10.0, 1.0
"""Seconds for the guard to end everything, and for reading its last words."""
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


class AgentProcess:
    """A process for an agent, to be used as a context.

    Args:
        path: The Python file.
        limits: What the agent may use.

    Attributes:
        notes: What it tried to do that is not allowed, and what else is remarkable.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, path: Path, limits: AgentLimits) -> None:
        self.limits, self.used, self.notes = limits, 0.0, list[str]()
        self._scratch = tempfile.mkdtemp(prefix="gridpuzzles-grade-")
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        for descriptor in self._requests, self._replies:
            os.set_blocking(descriptor, False)
        seconds = limits.total + 3 * LOADING
        job = Job(str(path.absolute()), self._scratch, requests, replies, limits.memory, seconds)
        module = f"{__package__}.guard"
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-P", "-m", module, json.dumps(dataclasses.asdict(job))],
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
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), self._scratch)
        return {**kept, **own, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    def classes(self) -> list[Declared]:
        """Return the agents in the file; raises AgentError. To be called first."""
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
            self._heed(reply)
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
        """Return how the process ended by itself."""
        code = self._close()
        return f"its process ended with exit code {code}" if code >= 0 else f"its process was ended by signal {-code}"

    def _close(self) -> int:
        """End the process and all that it has left; returns its exit code."""
        guard = self._guard
        assert guard.stdin is not None
        with contextlib.suppress(OSError):
            guard.stdin.close()
        try:
            code = guard.wait(_ENDING)
        except subprocess.TimeoutExpired:
            guard.kill()
            code = guard.wait()
        return code

    def close(self) -> None:
        """End the process, and add notes on what it left; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._close()
        with contextlib.suppress(AgentError):
            for line in self._lines(time.monotonic() + _PATIENCE):
                self._heed(_read(line))
        self._reader.join(1.0)
        if self._printed >= MUCH:
            self._note(f"printed {self._printed / 1e6:.1f} MB")
        os.close(self._requests)
        os.close(self._replies)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _count_output(self) -> None:
        stream = self._guard.stdout
        assert stream is not None
        with stream:
            while some := os.read(stream.fileno(), 2**16):
                self._printed += len(some)

    def _heed(self, reply: Mapping[str, Any]) -> None:
        """Take note of what a reply says besides."""
        if "note" in reply:
            self._note(reply["note"])
        left = reply.get("left")
        if type(left) is int and left > 0:
            self._note(f"left {plural(left, 'process', 'processes')} running, which were ended")

    def _note(self, what: object) -> None:
        what = _short(what)
        if what not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(what)

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
