"""The process in which an agent plays: ``python -m gridpuzzles_gym.cli.grading.host``.

It limits itself, loads the file, constructs the class and calls ``predict``. It knows only what the agent may know of
the environment: no level, no seed, no reward.

Requests come through standard input: a line of JSON, followed by ``"size"`` bytes. The first one, ``{"name", "memory",
"seconds", "size"}``, has the agent's file; later ones are ``{"play": class, "task": {...}}`` or ``{"dtype", "shape",
"start", "masks", "size"}`` with an observation. A reply is a line of JSON on standard output: ``{"classes": [{"name",
"observation"}, ...]}`` after the file is loaded, ``{"ready": true}``, ``{"action": int}``, or ``{"error": text}``.
"""

import contextlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from gridpuzzles_gym.agents.own_agent import InvalidActionError, Performer, agents_in

from ...engine.messages import one_line, shorten

LONGEST_TEXT = 300
"""The maximum length of a text in a reply, in characters."""
_MODULE = "graded_agents"
"""The module name of the imported file."""


def main() -> NoReturn:
    """Serve requests until there are no more; what the agent prints is discarded."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)

    def send(**reply: Any) -> None:
        os.write(replies, json.dumps(reply).encode() + b"\n")

    path, module = Path(), ModuleType(_MODULE)
    agent: Any = None
    while line := requests.readline():
        request = json.loads(line)
        content = requests.read(request.get("size", 0))
        try:
            if "name" in request:
                _limit(request["memory"], request["seconds"])
                path = Path(request["name"]).absolute()
                path.write_bytes(content)
                module = _imported(path)
                kinds = agents_in(module)
                send(classes=[{"name": name, "observation": _declared(kind)} for name, kind in kinds.items()])
            elif "play" in request:
                agent = Performer(agents_in(module)[request["play"]], request["task"])
                send(ready=True)
            else:
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


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[_MODULE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _declared(kind: type) -> str | None:
    """Return the observation that a class declares."""
    named = getattr(kind, "observation", None)
    return named if isinstance(named, str) else None


def _described(error: BaseException, path: str) -> str:
    """Return an exception in one line, with the number of the line of the file that raised it."""
    try:
        text = one_line(str(error))
    except Exception:
        text = ""
    if isinstance(error, InvalidActionError):
        return shorten(text, LONGEST_TEXT)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    what = shorten(f"raised {type(error).__name__}" + (f": {text}" if text else ""), LONGEST_TEXT)
    return what + (f" (line {lines[-1]})" if lines else "")


if __name__ == "__main__":
    main()
