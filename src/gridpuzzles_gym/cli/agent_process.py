"""The process in which an agent plays, and the grader's side of it.

The process limits itself, loads the file, constructs the agent and calls ``predict``. It knows only what the agent may
know of the environment: no level, no seed, no reward. Requests come through standard input: a line of JSON, followed by
``"size"`` bytes. The first one, ``{"name", "memory", "seconds"}``, has the agent's file; later ones are
``{"task": {...}}``, or ``{"dtype", "shape", "start", "masks"}`` with an observation. A reply is a line of JSON on
standard output, never unpickled: ``{"agent": [name, observation]}`` after the file is loaded, ``{"ready": true}``,
``{"action": int}``, or ``{"error": text}``.
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
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.own_agent import InvalidActionError, Performer, agents_in

from ..engine.messages import one_line, shorten
from ..engine.system.files import read_json

LOADING = 20.0
"""Time limit in seconds for importing the file, for constructing the agent, and for the first decision, which may
compile code of the suite."""
LONGEST_REPLY, LONGEST_TEXT = 2**16, 300
"""The maximum size of a reply in bytes, and the maximum length of a text in it."""
SCRATCH, SCRATCH_SIZE = "/scratch", 64 * 2**20
"""The folder that an agent in bubblewrap may write to, and its maximum size in bytes."""
SANDBOX = "Sandbox: bubblewrap."
NO_SANDBOX = "No sandbox: bubblewrap (bwrap) is not installed or does not work here. Run only agents that you trust."
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime")
"""Files of Linux that programs need: libraries and the local time."""
_NO_REPLY = "sent something that is no reply"
_PACKAGES = "gridpuzzles_gym", "gridpuzzles_gym.agents", "gridpuzzles_gym.levels"


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

    Args:
        name: The name of the Python file.
        source: Its contents.
        limits: Limits of the agent.

    Attributes:
        agent: The name of the agent's class, and the observation that it asks for or None.

    Raises:
        AgentError: The file cannot be loaded, or has no agent.
        OSError: The process cannot be started.
    """

    def __init__(self, name: str, source: bytes, limits: AgentLimits) -> None:
        self.limits, self.used, self.decisions = limits, 0.0, 0
        self._buffer = b""
        self._folder = "" if sandbox() else tempfile.mkdtemp(prefix="gridpuzzles-grade-")
        inherited = {name: os.environ[name] for name in ("LANG", "LC_ALL", "PATH") if name in os.environ}
        own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR"), self._folder or SCRATCH) | {"OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [*sandbox(), sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=self._folder or None,
            env={**inherited, **own, "PYTHONUSERBASE": site.getuserbase(), "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,  # the terminal's Ctrl-C does not reach it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        try:
            request = {"name": name, "memory": limits.memory, "seconds": limits.total + 3 * LOADING}
            found = self._ask(request, source, "agent", LOADING, f"took more than {LOADING:g} s for loading")
            if not isinstance(found, list) or len(found) != 2:
                raise ProcessEndedError(_NO_REPLY)
            self.agent = _short(found[0]), found[1] if isinstance(found[1], str) else None
        except BaseException:
            self.__exit__()
            raise

    def construct(self, task: Mapping[str, Any]) -> None:
        """Construct the agent; raises AgentError."""
        self._ask({"task": task}, b"", "ready", LOADING, f"took more than {LOADING:g} s for construction")

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
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_REPLY:
                raise ProcessEndedError(_NO_REPLY)
            self._wait(self._replies, selectors.EVENT_READ, deadline, late)
            some = os.read(self._replies, LONGEST_REPLY)
            if not some:
                raise ProcessEndedError(self._how_it_ended())
            self._buffer += some
        line, _, self._buffer = self._buffer.partition(b"\n")
        with contextlib.suppress(ValueError):
            reply = read_json(line)
            if isinstance(reply, dict) and "error" in reply:
                raise AgentError(_short(reply["error"]))
            if isinstance(reply, dict) and wanted in reply:
                return reply[wanted]
        raise ProcessEndedError(_NO_REPLY)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the process and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _short(text: object) -> str:
    """Return a text of the process as one line of limited length."""
    return shorten(one_line(text), LONGEST_TEXT)


# -- in the process ------------------------------------------------------------------------------


def main() -> NoReturn:
    """Serve requests until there are no more; what the agent prints is discarded."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)

    def send(**reply: Any) -> None:
        os.write(replies, json.dumps(reply).encode() + b"\n")

    path, kind, agent = Path(), type, None
    while line := requests.readline():
        request = json.loads(line)
        content = requests.read(request["size"])
        try:
            if "name" in request:
                _limit(request["memory"], request["seconds"])
                path = Path(request["name"]).absolute()
                path.write_bytes(content)
                module = sys.modules["graded_agent"] = ModuleType("graded_agent")
                module.__file__ = str(path)
                exec(compile(content, path, "exec"), vars(module))
                name, kind = next(iter(agents_in(module).items()), ("", type))
                if not name:
                    send(error="has no class with a method predict")
                    continue
                send(agent=[name, getattr(kind, "observation", None)])
            elif "task" in request:
                agent = Performer(kind, request["task"])
                send(ready=True)
            else:
                assert agent is not None
                seen = np.frombuffer(bytearray(content), request["dtype"]).reshape(request["shape"])
                send(action=agent.act(seen, request["start"], np.array(request["masks"], np.bool_)))
        except BaseException as error:
            send(error=_described(error, str(path)))
    os._exit(0)


def _limit(memory: int, seconds: float) -> None:
    """Limit the address space in MiB, the processor time in seconds, and files."""
    import resource  # not on Windows, where no agents are graded

    limits = {"AS": memory * 2**20, "CPU": int(seconds) + 1, "FSIZE": 2**24, "NOFILE": 256, "NPROC": 4096, "CORE": 0}
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS cannot limit address space
            resource.setrlimit(kind, (value, value))


def _described(error: BaseException, path: str) -> str:
    """Return an exception in one line, with the number of the line of the file that raised it."""
    if isinstance(error, InvalidActionError):
        return _short(error)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    what = _short(f"raised {type(error).__name__}: {error}")
    return what + (f" (line {lines[-1]})" if lines else "")


if __name__ == "__main__":
    main()
