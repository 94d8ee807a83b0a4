"""The process in which an agent plays: ``python -m gridpuzzles_gym.commands.grading.hosting``.

It isolates itself, loads the file, constructs the class and calls ``predict``. It knows only what the agent may know of
the environment: no level, no seed, no reward.

It receives requests through one pipe and replies through another. The first request is a line of JSON, ``{"name": file,
"size": bytes}``, followed by the contents of the file. Later ones are ``{"play": class, "task": {...}}`` or ``{"act":
{"dtype", "shape", "size"}, "start": bool, "masks": [bool, ...]}``, followed by the bytes of an observation. A
reply is a line of JSON: ``{"classes": [{"name", "observation"}, ...]}`` after the file is loaded, ``{"ready": true}``,
``{"action": int}``, or ``{"error": text}`` instead of any of these. The grader does not trust this process: it reads
only integers and texts from it.

The argument is a JSON object: the fields of :class:`Job`.
"""

import contextlib
import dataclasses
import importlib.util
import json
import os
import select
import shutil
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from gridpuzzles_gym.agents.simple_agent import InvalidActionError, Performer, agents_in

from ...engine.messages import one_line, shorten
from . import namespaces
from .restrictions import refuse_calls, set_limits

LONGEST_TEXT = 300
"""The maximum length of a text in a reply, in characters."""
_MODULE = "graded_agents"
"""The module name of the imported file."""


@dataclasses.dataclass(frozen=True)
class Job:
    """Settings that the grader passes to a process."""

    isolation: str
    """The name of an :class:`.Isolation`."""
    readable: list[str]
    """Files and folders that it may read, if it must isolate itself."""
    scratch: str
    """The folder that it may write to."""
    size: int
    """The maximum size of that folder, in bytes."""
    requests: int
    """The file descriptor to read from."""
    replies: int
    """The file descriptor to write to."""
    memory: int
    """Memory limit in MiB."""
    seconds: float
    """Limit of processor time, in seconds."""


class _Host:
    """The agent and its pipes."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.requests = os.fdopen(job.requests, "rb")
        self.path = ""
        self.agent: Any = None

    def send(self, **reply: Any) -> None:
        """Send a reply immediately."""
        os.write(self.job.replies, json.dumps(reply).encode() + b"\n")

    def load(self) -> ModuleType:
        """Import the file and send the agents in it."""
        header = json.loads(self.requests.readline())
        path = Path(self.job.scratch, header["name"])
        path.write_bytes(self.requests.read(header["size"]))
        self.path = str(path)
        spec = importlib.util.spec_from_file_location(_MODULE, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[_MODULE] = module
        spec.loader.exec_module(module)
        self.send(classes=[{"name": name, "observation": _declared(kind)} for name, kind in agents_in(module).items()])
        return module

    def construct(self, module: ModuleType, name: str, task: Mapping[str, Any]) -> None:
        """Construct the agent."""
        self.agent = Performer(agents_in(module)[name], task)
        self.send(ready=True)

    def act(self, request: Mapping[str, Any]) -> None:
        """Send the agent's action."""
        header, start = request["act"], bool(request["start"])
        seen = np.frombuffer(bytearray(self.requests.read(header["size"])), header["dtype"]).reshape(header["shape"])
        self.send(action=self.agent.act(seen, start, np.array(request["masks"], np.bool_)))

    def serve(self) -> None:
        """Answer requests until there are no more."""
        module = self.load()
        while line := self.requests.readline():
            request = json.loads(line)
            try:
                if "play" in request:
                    self.construct(module, request["play"], request["task"])
                else:
                    self.act(request)
            except BaseException as error:
                self.send(error=describe(error, self.path))


def main() -> NoReturn:
    """Set up this process and serve."""
    job = Job(**json.loads(sys.argv[1]))
    host = _Host(job)
    try:
        if job.isolation == "namespaces":
            namespaces.enter(job.readable, job.scratch, job.size, (job.requests, job.replies))
        elif job.isolation == "none":
            threading.Thread(target=_end_with_grader, args=(os.dup(0), job.scratch), daemon=True).start()
        os.chdir(job.scratch)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        set_limits(job.memory, job.seconds)
        with contextlib.suppress(*[OSError] if job.isolation == "none" else []):
            refuse_calls()
        host.serve()
    except BaseException as error:
        host.send(error=describe(error, host.path))
    finally:
        os._exit(0)


def _end_with_grader(standard_input: int, scratch: str) -> None:
    """Remove the scratch folder and exit when the grader ends; unlike a sandbox, an agent can prevent this."""
    select.select([standard_input], [], [])
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)


def describe(error: BaseException, path: str) -> str:
    """Return an exception in one line, with the number of the line of the file that raised it."""
    try:
        text = one_line(str(error))
    except Exception:
        text = ""
    if isinstance(error, InvalidActionError):
        return _short(text)
    what = f"raised {type(error).__name__}" + (f": {text}" if text else "")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    return _short(what) + (f" (line {lines[-1]})" if lines else "")


def _declared(kind: type) -> str | None:
    """Return the observation that a class declares."""
    named = getattr(kind, "observation", None)
    return named if isinstance(named, str) else None


def _short(text: str) -> str:
    return shorten(one_line(text), LONGEST_TEXT)


if __name__ == "__main__":
    main()
