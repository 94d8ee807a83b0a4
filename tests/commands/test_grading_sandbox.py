"""Attacks of a hostile agent in each sandbox: each one that the guide for courses lists fails."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import hostile
import numpy as np
import pytest
from helpers import run
from processes import children, gone

from gridpuzzles_gym.commands.grading import grading
from gridpuzzles_gym.commands.grading.agent_process import (
    LARGEST_SOURCE,
    AgentError,
    AgentLimits,
    AgentProcess,
    read_agent,
)
from gridpuzzles_gym.commands.grading.grading import SECRET_SEEDS, GradeOptions, grade, secret_seed
from gridpuzzles_gym.commands.grading.isolation import NAMESPACES, NONE, SANDBOXES, readable_paths

LIMITS = AgentLimits(seconds=300, total=900, memory=1024)
SHORT = AgentLimits(seconds=0.3, memory=1024)
EVERY_ACTION = np.ones(6, np.bool_)
PREDICT = "    def predict(self, observation):\n"
FORGE = "[written(n, {}) for n in range(3, 256)]"
WRITTEN = """
import os

def written(descriptor, content):
    try:
        os.write(descriptor, content)
    except OSError:
        pass

"""


def graded(files, id, env_kwargs=None, **more):
    """Grade without baselines and progress bars; one episode, unless told how many."""
    return grade(files, GradeOptions(id, env_kwargs or {}, **{"episodes": 1, "baselines": [], **more}), progress=False)


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


@pytest.fixture(params=["as it is", "none"])
def isolation(request, monkeypatch):
    """The best sandbox of the system, and none."""
    if request.param == "none":
        monkeypatch.setattr(grading, "SANDBOXES", ())
    grading.isolation_here.cache_clear()
    yield grading.isolation_here()
    grading.isolation_here.cache_clear()


@contextlib.contextmanager
def playing(source, isolation, limits=LIMITS, name="A"):
    """A process whose agent has been constructed."""
    with AgentProcess("agent.py", source.encode(), limits, isolation) as process:
        process.classes()
        process.construct(name, {"actions": [], "channels": []})
        yield process


def act(process, number=0):
    return process.act(np.array([number]), False, EVERY_ACTION)


@pytest.fixture
def teacher(tmp_path):
    """The targets of the agent's attacks: files, servers, and this process; they must stay unchanged."""
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

    files = [
        (path.name, path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_nlink) for path in folder.iterdir()
    ]
    return (
        sorted(files),
        resource.getrlimit(resource.RLIMIT_CORE),
        os.getpriority(os.PRIO_PROCESS, 0),
        socket.gethostname(),
    )


# -- what the system refuses ---------------------------------------------------------------------------


def test_a_hostile_agent_is_refused_everything(sandbox, teacher):
    source = Path(hostile.__file__).read_text() + teacher
    with playing(source, sandbox, LIMITS, "Hostile") as process:
        succeeded = {each.__name__ for number, each in enumerate(hostile.ATTEMPTS) if act(process, number)}
    assert succeeded == set()
    assert len(hostile.ATTEMPTS) == 49


WITHOUT = (
    hostile.finds_a_seed_in_what_it_was_given, hostile.finds_the_environment, hostile.finds_it_in_the_frames,
    hostile.finds_it_in_modules_of_the_grader, hostile.forks, hostile.forks_by_the_c_library, hostile.clones,
    hostile.starts_programs, hostile.starts_programs_without_events, hostile.takes_memory_that_is_not_counted,
)  # fmt: skip
"""Attacks that fail without a sandbox too."""


@pytest.mark.skipif(sys.platform != "linux", reason="a filter of system calls of Linux")
def test_what_is_refused_without_a_sandbox():
    with playing(Path(hostile.__file__).read_text(), NONE, LIMITS, "Hostile") as process:
        succeeded = {each.__name__ for each in WITHOUT if act(process, hostile.ATTEMPTS.index(each))}
    assert succeeded == set()


@pytest.mark.skipif(not hostile.X86, reason="machine code of x86_64")
def test_system_calls_of_another_kind_end_it(sandbox):
    source = (
        "import ctypes, mmap\nclass A:\n" + PREDICT + "        code = mmap.mmap(-1, 4096, prot=7)\n"
        "        code.write(bytes([0xB8, 2, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # fork, by the interface of 32 bits\n"
        "        address = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "        return ctypes.CFUNCTYPE(ctypes.c_int)(address)()\n"
    )
    with playing(source, sandbox, LIMITS) as process, pytest.raises(AgentError, match=r"was ended by signal (31|11)$"):
        act(process)


# -- what it can use up ---------------------------------------------------------------------------------

USED = {
    "memory of Python": ("import numpy\n", "numpy.ones(2**28)", "MemoryError"),
    "memory of the C library": (
        "import ctypes\nsystem = ctypes.CDLL(None)\nsystem.malloc.restype = ctypes.c_void_p\n",
        "count = 0\n        while block := system.malloc(2**20):\n"
        "            ctypes.memset(block, 1, 2**20); count += 1\n        return count",
        range(100, LIMITS.memory),
    ),
    "the scratch folder": (
        "",
        "count = 0\n        try:\n            while True:\n                with open(str(count), 'wb') as file:\n"
        "                    file.write(bytes(2**20))\n                count += 1\n"
        "        except OSError:\n            return count",
        range(60, 65),
    ),
    "one file": (
        "",
        "try:\n            with open('large', 'wb') as file:\n                return file.write(bytes(2**25))\n"
        "        except OSError:\n            return 0",
        range(1),
    ),
    "threads": (
        "import threading\nthreading.stack_size(2**20)\nwait = threading.Event()\n",
        "count = 0\n        try:\n            while True:\n"
        "                threading.Thread(target=wait.wait, daemon=True).start(); count += 1\n"
        "        except (RuntimeError, MemoryError):\n            return count",
        range(1, LIMITS.memory),
    ),
    "open files": (
        "import os\n",
        "count = 0\n        try:\n            while True:\n                os.dup(0); count += 1\n"
        "        except OSError:\n            return count",
        range(100, 256),
    ),
    "pipes and sockets": (
        "import socket\n",
        "pairs = []\n        try:\n            while True:\n                pairs.append(socket.socketpair())\n"
        "        except OSError:\n            return len(pairs)",
        range(100, 128),
    ),
    "time": ("import time\n", "time.sleep(1000)", "took more than 0.3 s for a decision"),
    "time, catching all errors": (
        "",
        "while True:\n            try:\n                while True: pass\n            except BaseException: pass",
        "took more than 0.3 s for a decision",
    ),
    "time, holding the lock of Python": ("import re\n", "re.match('(a*)*b', 'a' * 50)", "took more than 0.3 s"),
    "output": ("", "while True: print('x' * 1000)", "took more than 0.3 s for a decision"),
    "output of the C library": ("import os\n", "while True: os.write(2, bytes(10**6))", "took more than 0.3 s"),
    "a long reply": (WRITTEN, FORGE.format("b'9' * 10**7"), "sent something that is no reply"),
    "half a reply": (WRITTEN, FORGE.format("b'{'") + "; import time; time.sleep(100)", "took more than 0.3 s"),
    "a nested reply": (WRITTEN, FORGE.format("b'[' * 60000 + b'\\n'"), "sent something that is no reply"),
    "no pipes": ("import os\n", "os.closerange(3, 256)", "its process (ended with exit code 0|was ended by signal 9)"),
    "an end": ("import os\n", "os._exit(137)", "its process was ended by signal 9"),
    "a crash": ("import ctypes\n", "ctypes.string_at(0)", "its process was ended by signal 11"),
}
"""An agent's code before its class and in its first decision, and the expected action or error."""


@pytest.mark.parametrize("name", USED)
def test_what_an_agent_uses_up_is_limited(name, sandbox):
    uses_up(name, sandbox)


OF_EACH_KIND = (
    "memory of Python",
    "threads",
    "open files",
    "time, catching all errors",
    "a nested reply",
    "a crash",
)
LIMITED = [
    pytest.param(each, marks=[pytest.mark.extended] * (each not in OF_EACH_KIND))
    for each in USED
    if each != "the scratch folder"
]
"""Everything but the scratch folder, which only a sandbox limits."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("name", LIMITED)
def test_most_of_that_is_limited_without_a_sandbox(name):
    uses_up(name, NONE)


def uses_up(name, sandbox):
    first, body, expected = USED[name]
    limits = SHORT if "took more" in str(expected) else LIMITS
    with playing(f"{first}class A:\n{PREDICT}        {body}\n        return 0\n", sandbox, limits) as process:
        process._acted = True  # the first decision has more time
        if isinstance(expected, range):
            assert act(process) in expected
        else:
            with pytest.raises(AgentError, match=expected):
                act(process)
    assert process._process.poll() is not None


STAYING = """
import atexit, ctypes, os, signal, threading, time

def loop():
    while True:
        time.sleep(0.01)

class A:
    def predict(self, observation):
        ctypes.CDLL(None).prctl(1, 0)  # no signal when the parent ends
        try:
            os.setsid()
        except OSError:
            pass
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        threading.Thread(target=loop).start()
        atexit.register(loop)
        return 0

    def __del__(self):
        loop()
"""


def everything_below(pid):
    """A process and all that descend from it."""
    found = {pid}
    for child in children(pid):
        found |= everything_below(child)
    return found


def test_nothing_stays_of_an_agent_that_wants_to(sandbox):
    with playing(STAYING, sandbox, LIMITS) as process:
        act(process)
        alive = everything_below(process._process.pid)
    assert len(alive) >= 2
    assert all(gone(pid) for pid in alive)


def test_nothing_stays_when_the_grader_is_killed(sandbox, tmp_path):
    file = tmp_path / "grader.py"
    file.write_text(
        "import sys, numpy as np\nfrom gridpuzzles_gym.commands.grading.agent_process import *\n"
        "from gridpuzzles_gym.commands.grading.isolation import *\n"
        "isolation = next(each for each in SANDBOXES if each.name == sys.argv[1])\n"
        "process = AgentProcess('a.py', sys.argv[2].encode(), AgentLimits(), isolation)\n"
        "process.classes(); process.construct('A', {'actions': [], 'channels': []})\n"
        "process.act(np.zeros(1), True, np.ones(1, np.bool_)); print('ready', flush=True); input()\n"
    )
    command = [sys.executable, str(file), sandbox.name, STAYING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout.readline() == "ready\n"
        alive = everything_below(grader.pid) - {grader.pid}
        grader.kill()
    assert len(alive) >= 2
    assert all(gone(pid) for pid in alive)


# -- secrets --------------------------------------------------------------------------------------------

CHEAT = """
import glob, re
import gymnasium as gym
import numpy as np

class Cheat:
    def __init__(self, task):
        self.env = gym.make(task.env_id, disable_env_checker=True)

    def predict(self, observation):
        texts = []
        for path in glob.glob("/proc/*/cmdline") + glob.glob("/proc/*/environ"):
            try:
                texts.append(open(path, "rb").read().decode(errors="replace"))
            except OSError:
                pass
        told = {int(each) for each in re.findall(r"[0-9]{1,30}", " ".join(texts))}
        for seed in [*range(60), *range(10**6, 10**6 + 20), *sorted(told)[-50:]]:
            if np.array_equal(self.env.reset(seed=seed)[0], observation):
                raise RuntimeError("rebuilt the level")
        raise RuntimeError("found nothing")
"""


@pytest.fixture
def cheat(tmp_path):
    """A file whose agent rebuilds levels from seeds that it finds or tries."""
    file = tmp_path / "cheat.py"
    file.write_text(CHEAT)
    return file


def happened(grades):
    [row] = grades.graded
    return row.happened


def test_a_cheat_finds_no_seed(cheat, tmp_path, isolation):
    grades, _ = graded([cheat], "FifteenPuzzle-v0", seed=57)
    assert "rebuilt the level" in happened(grades)[0]  # the cheat works where the seed can be tried
    grades, _ = graded([cheat], "FifteenPuzzle-v0")
    assert "found nothing" in happened(grades)[0]
    grades, _ = graded([cheat], "FifteenPuzzle-v0", seed=secret_seed(tmp_path / "seed.txt"))
    assert "found nothing" in happened(grades)[0]


def test_the_command_shows_agents_no_seed(cheat, tmp_path):
    command = [
        sys.executable,
        "-m",
        "gridpuzzles_gym.cli",
        "grade",
        "15-puzzle",
        str(cheat),
        "--episodes",
        "1",
    ]
    command += ["--seed-file", str(tmp_path / "seed.txt"), "--baseline", "random"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "COLUMNS": "200"})
    assert "found nothing" in result.stdout
    assert result.stdout.startswith(f"{grading.isolation_here().description}\n")


def test_what_a_process_is_sent_has_no_seed(tmp_path, monkeypatch):
    """With any isolation: command line, environment and pipe of an agent's process."""
    sent = []
    grading.isolation_here()  # has been tried before the processes are counted
    popen, send = subprocess.Popen, AgentProcess._send

    def starting(command, **more):
        sent.append(f"{command} {more['env']}")
        return popen(command, **more)

    def sending(process, request, content, deadline):
        sent.append(f"{request} {content!r}")
        return send(process, request, content, deadline)

    monkeypatch.setattr("gridpuzzles_gym.commands.grading.agent_process.subprocess.Popen", starting)
    monkeypatch.setattr(AgentProcess, "_send", sending)
    file = tmp_path / "agent.py"
    file.write_text("class A:\n" + PREDICT + "        return 0\n")
    seed = SECRET_SEEDS[12345]
    grades, _ = graded([file], "Wumpus-v0", {"max_episode_steps": 5}, episodes=3, seed=seed)
    assert (grades.graded[0].finished, len(sent)) == (3, 3 + 3 * 5)
    words = re.findall(r"[0-9a-z_]+", " ".join(sent).lower())
    assert not {"seed", "level", "state", "reward", *map(str, range(seed, seed + 3))} & {*words}


def test_random_seeds_are_secret(tmp_path):
    file = tmp_path / "empty.py"
    file.write_text("")
    twice = [graded([file], "Wumpus-v0")[0] for _ in range(2)]
    seeds = [each.contest.seed for each in twice]
    assert all(seed in SECRET_SEEDS for seed in seeds)
    assert seeds[0] != seeds[1]
    assert twice[0].as_json()["seed"] == str(seeds[0])
    assert not any(str(each.contest.seed) in each.title + each.rule for each in twice)  # which are shown on pages


def test_a_seed_in_a_file(tmp_path, capsys):
    file = tmp_path / "seed.txt"
    seed = secret_seed(file)
    assert (seed in SECRET_SEEDS, secret_seed(file), file.stat().st_mode & 0o777) == (True, seed, 0o600)
    agent = tmp_path / "agent.py"
    agent.write_text("class A:\n" + PREDICT + "        return int(observation.sum()) % 6\n")
    arguments = "grade", "wumpus", agent, "--episodes", 3, "--baseline", "random", "--seed-file", file
    returns = []
    for _ in range(2):
        code, out, _ = run(capsys, *arguments, "--json")
        assert code == 0
        found = json.loads(out)
        assert found["seed"] == str(seed)
        returns.append([row["mean_return"] for row in found["agents"]])
    assert returns[0] == returns[1]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert str(seed) not in out  # it is in the file


@pytest.mark.parametrize(
    "content", [b"", b"4711", b"1" * 40, b"a secret of the teacher", b"\xff\xfe", b"-" + b"1" * 19]
)
def test_a_file_without_a_seed(content, tmp_path, capsys):
    (tmp_path / "agent.py").write_text("class A:\n" + PREDICT + "        return 0\n")
    (tmp_path / "seed.txt").write_bytes(content)
    code, _, error = run(capsys, "grade", "wumpus", tmp_path / "agent.py", "--seed-file", tmp_path / "seed.txt")
    assert code == 2
    assert "seed.txt: must contain an integer from 2^60 to 2^62 - 1" in error
    assert error.count("\n") == 1


# -- marks ----------------------------------------------------------------------------------------------


def test_marks_are_the_graders_own(tmp_path):
    """An agent that claims a result gets what it has played."""
    file = tmp_path / "agent.py"
    claim = json.dumps({"mark": 100, "return": 1e9, "endings": [[1e9, 0, 1]], "ready": True}) + "\n"
    forging = FORGE.format(repr(claim.encode()))
    file.write_text(f"{WRITTEN}class A:\n{PREDICT}        {forging}\n        return 0\n")
    settings = {"max_episode_steps": 12}
    grades, _ = graded([file], "Wumpus-v0", settings, episodes=2, baselines=["bayesian"])
    [row] = grades.graded
    assert (row.finished, row.score.mean_return, row.happened) == (2, -12, ())


def test_no_mark_for_nothing(tmp_path):
    """An agent that finishes no episode has the mark 0, even if no baseline is better than random."""
    file = tmp_path / "agent.py"
    file.write_text("class A:\n" + PREDICT + "        return 99\n")
    grades, _ = graded([file], "Wumpus-v0")
    assert grades.graded[0].mark == 0


# -- files ----------------------------------------------------------------------------------------------


def test_files_that_are_not_read(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    solution = tmp_path / "solution.py"
    solution.write_text("class Solution:\n" + PREDICT + "        return 0\n")
    (folder / "link.py").symlink_to(solution)
    os.mkfifo(folder / "fifo.py")
    (folder / "folder.py").mkdir()
    (folder / "large.py").write_bytes(b"#" * (LARGEST_SOURCE + 1))
    (folder / "lost.py").symlink_to("nowhere")
    grades, _ = graded([folder], "Wumpus-v0")
    assert {row.agent: row.happened for row in grades.graded} == {
        "fifo": ("is no regular file",),
        "folder": ("is no regular file",),
        "large": ("is larger than 4 MiB",),
        "link": ("is a link",),
        "lost": ("is a link",),
    }
    assert {row.mark for row in grades.graded} == {0}
    with pytest.raises(AgentError, match="cannot be read: No such file"):
        read_agent(tmp_path / "missing.py")


def test_an_agent_sees_installed_packages_and_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("", str(tmp_path), str(tmp_path / "packages")):
        monkeypatch.syspath_prepend(path)
    seen = readable_paths.__wrapped__()
    assert not [path for path in seen if tmp_path.is_relative_to(path) or Path(path).is_relative_to(tmp_path)]
    assert Path(gym.__file__).is_relative_to(next(path for path in seen if Path(gym.__file__).is_relative_to(path)))


# -- which isolation --------------------------------------------------------------------------------------


def test_without_a_sandbox_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(grading, "SANDBOXES", ())
    grading.isolation_here.cache_clear()
    file = tmp_path / "agent.py"
    file.write_text("class A:\n" + PREDICT + "        return 0\n")
    arguments = "grade", "wumpus", file, "--episodes", 1, "--baseline", "random"
    code, out, _ = run(capsys, *arguments, "--report", tmp_path / "page.html")
    assert code == 0
    assert out.startswith("No sandbox: this system allows none. Run only agents that you trust.\n")
    assert NONE.description in (tmp_path / "page.html").read_text()
    code, out, error = run(capsys, *arguments, "--json")
    assert (code, json.loads(out)["isolation"]) == (0, "none")
    assert error == f"{NONE.description}\n"
    grading.isolation_here.cache_clear()


def test_the_best_sandbox_is_chosen():
    grading.isolation_here.cache_clear()
    assert grading.isolation_here() is next((each for each in SANDBOXES if not why_not(each)), NONE)


def test_an_agent_does_not_run_if_its_sandbox_fails(tmp_path, monkeypatch):
    """Not even without one."""
    ran = tmp_path / "ran"
    monkeypatch.setattr(
        "gridpuzzles_gym.commands.grading.agent_process.readable_paths", lambda: (str(tmp_path / "missing"),)
    )
    source = f"open({str(ran)!r}, 'w')\nclass A:\n{PREDICT}        return 0\n"
    with AgentProcess("agent.py", source.encode(), SHORT, NAMESPACES) as process, pytest.raises(AgentError):
        process.classes()
    assert not ran.exists()
