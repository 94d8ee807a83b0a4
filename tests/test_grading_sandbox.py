"""What a hostile agent can do in each sandbox: nothing of what the guide for courses says it cannot."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import gymnasium as gym
import hostile
import numpy as np
import pytest
from helpers import run
from processes import children

from gridpuzzles_gym.app.grading import grading
from gridpuzzles_gym.app.grading.agent_process import LARGEST_SOURCE, AgentError, AgentLimits, AgentProcess, read_agent
from gridpuzzles_gym.app.grading.grading import LEAST_SEED, grade, secret_seed
from gridpuzzles_gym.app.grading.isolation import BUBBLEWRAP, NAMESPACES, NONE, SANDBOXES, Isolation, view
from gridpuzzles_gym.app.grading.restrictions import MOST_THREADS

LIMITS = AgentLimits(seconds=20, memory=1024)
SHORT = AgentLimits(seconds=1, memory=1024)
EVERY_ACTION = np.ones(6, np.bool_)
PREDICT = "    def predict(self, observation):\n"


def why_not(isolation):
    """Why a sandbox cannot be used here; empty if it can."""
    try:
        with AgentProcess("nothing.py", b"", LIMITS, isolation) as process:
            process.classes()
    except (OSError, AgentError) as error:
        return f"no {isolation.name} on this system: {error}"
    return ""


@pytest.fixture(scope="session", params=SANDBOXES, ids=[each.name for each in SANDBOXES])
def sandbox(request):
    """Each sandbox that the system has."""
    if reason := why_not(request.param):
        pytest.skip(reason)
    return request.param


@contextlib.contextmanager
def playing(source, isolation, limits=SHORT, name="A"):
    """A process whose agent has been constructed."""
    with AgentProcess("agent.py", source.encode(), limits, isolation) as process:
        process.classes()
        process.construct(name, {"actions": [], "channels": []})
        yield process


def act(process, number=0):
    return process.act(np.array([number]), False, EVERY_ACTION)


@pytest.fixture
def teacher(tmp_path):
    """What belongs to the teacher, whom the agent attacks: files, servers, and this process; it must stay as it is."""
    folder = tmp_path / "teacher"
    folder.mkdir()
    (folder / "target.txt").write_text("precious")
    (folder / "target.txt").chmod(0o640)
    (folder / "seed.txt").write_text("1" * 30)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = server.getsockname()[1]
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", port))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0gridpuzzles-{os.getpid()}")
        named = stack.enter_context(socket.socket(socket.AF_UNIX))
        named.bind(str(folder / "socket"))
        for each in (abstract, named):
            each.listen()
        before = state_of(folder)
        known = {"PID": os.getpid(), "FOLDER": str(folder), "PORT": port, "ABSTRACT": f"gridpuzzles-{os.getpid()}"}
        yield "".join(f"{name} = {value!r}\n" for name, value in known.items())
        assert state_of(folder) == before
        for each in (server, datagrams, abstract, named):
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.recvmsg(1) if each is datagrams else each.accept()


def state_of(folder):
    """Everything in a folder, and what can be done to this process."""
    import resource

    files = [(path.name, path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_nlink) for path in folder.iterdir()]
    return sorted(files), resource.getrlimit(resource.RLIMIT_CORE), os.getpriority(os.PRIO_PROCESS, 0), socket.gethostname()


# -- attempts that the system refuses -----------------------------------------------------------------


@pytest.fixture(scope="session")
def hostile_process(sandbox):
    """One process for all attempts; each test tells it about its teacher first."""
    return sandbox


def test_a_hostile_agent_is_refused_everything(sandbox, teacher):
    source = Path(hostile.__file__).read_text() + teacher
    with playing(source, sandbox, LIMITS, "Hostile") as process:
        succeeded = {each.__name__ for number, each in enumerate(hostile.ATTEMPTS) if act(process, number)}
    assert succeeded == set()
    assert len(hostile.ATTEMPTS) == 49
