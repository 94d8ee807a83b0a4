"""``gridpuzzles grade``: each agent gets its mark, whatever the others do; a cheater finds nothing."""

import csv
import os
import re
import signal
import socket

import numpy as np
import pytest
from helpers import TINY, run
from processes import children, gone

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.cli import agent_process
from gridpuzzles_gym.cli.agent_process import AgentError, AgentLimits, AgentProcess, sandbox
from gridpuzzles_gym.cli.grade import Contest, Performance, find_files, grades
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED

LIMITS = AgentLimits(seconds=1, memory=1024)
PREDICT = "    def predict(self, observation):\n"
EVERY_ACTION = np.ones(6, np.bool_)


@pytest.fixture(params=["bubblewrap", "none"])
def isolation(request, monkeypatch):
    """Under bubblewrap, where it works, and without it."""
    sandbox.cache_clear()
    if request.param == "none":
        monkeypatch.setattr("shutil.which", lambda program: None)
    elif not sandbox():
        pytest.skip("bubblewrap is not installed, or does not work here")
    yield request.param
    sandbox.cache_clear()


def written(path, text):
    path.write_text(text)
    return path


def playing(source, limits=LIMITS):
    """A process whose agent A has been constructed."""
    process = AgentProcess("agent.py", source.encode(), limits)
    process.construct({"actions": [], "channels": []})
    return process


def act(process, number=0):
    return process.act(np.array([number]), False, EVERY_ACTION)


# -- marks -------------------------------------------------------------------------------------------


def performances(**scores):
    """Performances with these scores; None is an unfinished episode. The first two are baselines."""
    found = []
    for number, (name, numbers) in enumerate(scores.items()):
        rows = [[np.nan] * 3 if score is None else [score, SOLVED if score > 0 else DIED, 5] for score in numbers]
        found.append(Performance(name, np.array(rows, np.float64), baseline=number < 2))
    return found


def test_marks():
    played = performances(
        random=[-100, -300], best=[600, 800], half=[300, 200], same=[600, 800], better=[900, 900], worse=[-900, -900],
        first_only=[600, None], nothing=[None, None],
    )  # fmt: skip
    rows = grades(played)
    assert {row["agent"]: row["mark"] for row in rows} == {
        "random": None, "best": None, "half": 50, "same": 100, "better": 100, "worse": 0,
        "first_only": pytest.approx(100 * (150 - -200) / 900), "nothing": 0,
    }  # fmt: skip
    assert [row["agent"] for row in rows][:3] == ["better", "best", "same"]
    level = grades(performances(random=[-1], best=[-1], good=[0], bad=[-2]))
    assert {row["agent"]: row["mark"] for row in level if not row["baseline"]} == {"good": 100, "bad": 0}


def test_baselines_play_the_episodes_of_comparisons():
    contest = Contest(Game.of("Wumpus-v0", max_episode_steps=20), 3, 7)
    found = contest.play_baseline("random")
    assert found.results.shape == (3, 3)
    assert np.array_equal(found.results, contest.play_baseline("random").results)
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        contest.play_baseline("nobody", only_check=True)


def test_names_of_files(tmp_path):
    for name in ("a/one.py", "a/two.py", "b/one.py", "b/_no.py", "b/read.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = find_files([tmp_path / "a", tmp_path / "b"])
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a/one.py", "a/two.py", "b/one.py"]


def test_invalid_options_are_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "agent.py", "")
    (tmp_path / "empty").mkdir()
    cases = [
        (("wumpus", "nowhere.py"), "nowhere.py: must be a Python file or a folder of them"),
        (("wumpus", "empty"), "empty: must be a Python file or a folder of them"),
        (("wumpus", "agent.py", "--seconds", "0"), "seconds=0: must be a positive number"),
        (("wumpus", "agent.py", "--set", "colour=red"), "no setting 'colour'"),
        (("wumpus", "agent.py", "--baseline", "nobody"), "no agent 'nobody'"),
    ]
    wrong = []
    for options, words in cases:
        code, out, err = run(capsys, "grade", *options)
        wrong += [(options, err)] * ((code, out, err.count("\n")) != (2, "", 1) or words not in err)
    assert wrong == []


# -- a class -------------------------------------------------------------------------------------------

START = """import ctypes, gc, os, sys, time
import numpy as np
"""
AGENTS = {
    "Counter": """    "The suite's form: it counts its steps in its state, and turns round."
    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        assert (state is None) == bool(episode_start[0])
        steps = 0 if state is None else state + 1
        return np.array([0 if steps < 2 else 1]), steps
""",
    "Peeking": """    observation = "percepts"
    def __init__(self, task):
        assert task.actions[2] == "forward" and task.env_id == "Wumpus-v0"
    def predict(self, observation, action_masks):
        observation[...] = 0
        kinds = {type(each).__name__ for each in gc.get_objects()}
        assert not kinds & {"PuzzleEnv", "PuzzleVectorEnv", "Batch", "Scene", "Contest"}
        assert "SECRET_TOKEN" not in os.environ and not any("seed" in word for word in sys.argv)
        print("x" * 1000)
        return int(np.flatnonzero(action_masks)[0])
""",
    "Raising": f"""{PREDICT}        raise KeyError("key\\nand more")""",
    "Beyond": f"{PREDICT}        return 17",
    "Nothing": f"{PREDICT}        return None",
    "Sleeping": """    def predict(self, observation, state):
        time.sleep(1000 if state else 0)
        return 0, True
""",
    "Crashing": f"{PREDICT}        ctypes.string_at(0)",
    "Exiting": f"{PREDICT}        os._exit(3)",
    "Eating": f"{PREDICT}        np.ones(2**29)",
    "Constructing": f"""    def __init__(self):
        self.x = 1 / 0
{PREDICT}        return 0""",
    "Wanting": f"""    observation = "everything"
{PREDICT}        return 0""",
}
HAPPENED = {
    "Counter": "", "Peeking": "",
    "Raising": r"raised KeyError: 'key\\nand more' \(line \d+\), in 2 of 2 episodes",
    "Beyond": "returned 17: actions are 0 to 5, in 2 of 2 episodes",
    "Nothing": "returned NoneType: an action is one integer, in 2 of 2 episodes",
    "Sleeping": "took more than 1 s for a decision, in episode 1",
    "Crashing": "its process was ended by signal 11, in episode 1",
    "Exiting": "its process ended: exit code 3, in episode 1",
    "Eating": r"raised MemoryError.*, in 2 of 2 episodes",
    "Constructing": r"raised ZeroDivisionError: division by zero \(line \d+\)",
    "Wanting": "wants the observation 'everything', which does not exist",
}  # fmt: skip


@pytest.mark.extended
def test_a_class_with_mischief_in_it(isolation, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SECRET_TOKEN", "of the teacher")
    (tmp_path / "class").mkdir()
    for name, body in AGENTS.items():
        written(tmp_path / "class" / f"{name.lower()}.py", f"{START}\nclass {name}:\n{body}\n")
    table, before = tmp_path / "class.csv", children()
    code, out, err = run(
        capsys, "grade", "wumpus", tmp_path / "class", "--episodes", 2, "--set", "max_episode_steps=12",
        "--baseline", "online-search", "--memory", 1024, "--csv", table,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.startswith("Sandbox: bubblewrap." if isolation == "bubblewrap" else "No sandbox: bubblewrap")
    with table.open() as lines:
        rows = {line["agent"].partition(".")[2] or line["agent"]: line for line in csv.DictReader(lines)}
    assert rows.keys() == {"random", "online-search", *HAPPENED}
    wrong = {name: row for name, words in HAPPENED.items() if not re.fullmatch(words, row := rows[name]["happened"])}
    assert wrong == {}
    assert rows["Counter"]["mean_return"] == "-12.0"
    assert all(rows[name]["mark"] == "0.0" for name, words in HAPPENED.items() if words)
    assert children() == before


@pytest.mark.extended
def test_files_that_hold_no_agents(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_process, "LOADING", 5.0)
    files = {
        "endless": ("while True: pass\n", "took more than 5 s for loading"),
        "empty": ("x = 1\n", "has no class with a method predict"),
        "missing": ("import no_package\n", "raised ModuleNotFoundError: No module named 'no_package' (line 1)"),
        "syntax": ("class A\n", "raised SyntaxError: expected ':' (syntax.py, line 1)"),
    }
    contest = Contest(Game.of("Wumpus-v0", max_episode_steps=5), 1, 7)
    for name, (text, happened) in files.items():
        found = contest.play_file(written(tmp_path / f"{name}.py", text), LIMITS)
        assert (found.agent, found.happened) == (name, happened)
    (tmp_path / "link.py").symlink_to(tmp_path / "empty.py")
    assert contest.play_file(tmp_path / "link.py", LIMITS).happened == "is a link"


@pytest.mark.extended
def test_every_level_is_played_once(tmp_path, capsys):
    levels = written(tmp_path / "tiny.xsb", TINY)
    source = "class Down:\n    def predict(self, observation, action_masks):\n        return int(action_masks[1])\n"
    file, table = written(tmp_path / "agent.py", source), tmp_path / "marks.csv"
    code, out, _ = run(
        capsys, "grade", "sokoban", file, "--levels", levels, "--baseline", "sokoban",
        "--set", "max_episode_steps=20", "--csv", table,
    )  # fmt: skip
    assert code == 0
    assert "Sokoban-v0: 2 levels" in out
    with table.open() as lines:
        rows = {line["agent"]: line for line in csv.DictReader(lines)}
    assert (rows["agent.Down"]["success"], rows["sokoban"]["success"]) == ("0.5", "1.0")


# -- limits --------------------------------------------------------------------------------------------


@pytest.mark.extended
def test_what_an_agent_uses_up_is_limited(isolation):
    cases = [
        ("import time", "time.sleep(1000)", "took more than 0.3 s for a decision"),
        (
            "",
            "while True:\n            try:\n                while True: pass\n            except BaseException: pass",
            "took",
        ),
        ("import re", "re.match('(a*)*b', 'a' * 50)", "took more than 0.3 s"),  # holds the lock of Python
        ("import os", "while True: os.write(2, bytes(10**6))", "took more than 0.3 s"),
        ("", "self.x = [bytes(2**20) for _ in range(2**12)]", "raised MemoryError|took more than"),
        ("import os", "open('large', 'wb').write(bytes(2**25))", "raised OSError|was ended by signal 25"),
        ("import os", "os.closerange(3, 256)", "closed its pipes|its process|took more than"),
        (
            "import os",
            "[os.write(n, b'9' * 10**6) for n in range(3, 20) if n != 0]",
            "no reply|raised OSError|took more than",
        ),
    ]
    for first, body, expected in cases:
        source = (
            f"{first}\nclass A:\n{PREDICT}        if not observation[0]: return 0\n        {body}\n        return 0\n"
        )
        with playing(source, AgentLimits(seconds=0.3, memory=1024)) as process:
            assert act(process) == 0  # the first decision has more time
            with pytest.raises(AgentError, match=expected):
                act(process, 1)
        assert process._process.returncode is not None
    source = f"import time\nclass A:\n{PREDICT}        time.sleep(0.2)\n        return 0\n"
    with playing(source, AgentLimits(10, 0.5)) as process:
        assert [act(process) for _ in range(3)] == [0, 0, 0]
        with pytest.raises(AgentError, match=r"used up its 0\.5 s"):
            act(process)


@pytest.mark.extended
def test_replies_are_not_trusted(monkeypatch):
    sandbox.cache_clear()
    monkeypatch.setattr("shutil.which", lambda program: None)  # the process itself, so that it can be stopped
    for line in (b"[1]\n", b"{\n", b"[" * 60_000 + b"\n", b"\xff\n", b"9" * 70_000, b'{"action": true}\n'):
        with playing(f"class A:\n{PREDICT}        return 0\n") as process:
            process._buffer = line
            with pytest.raises(AgentError, match="sent something that is no"):
                act(process)
    with playing(f"class A:\n{PREDICT}        return 0\n") as process:
        act(process)
        os.kill(process._process.pid, signal.SIGSTOP)
        with pytest.raises(AgentError, match="took more than"):
            process.act(np.ones((300, 100, 100), np.uint8), False, EVERY_ACTION)
    sandbox.cache_clear()


@pytest.mark.extended
def test_in_bubblewrap_an_agent_reaches_nothing_of_the_teacher(isolation, tmp_path):
    if isolation == "none":
        pytest.skip("nothing keeps it from that")
    written(tmp_path / "seed.txt", "1234")
    with socket.create_server(("127.0.0.1", 0)) as server:
        attempts = [
            f"open({str(tmp_path / 'seed.txt')!r}).read()",
            f"open({str(tmp_path / 'new.txt')!r}, 'w')",
            f"os.kill({os.getpid()}, 0)",
            f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1)",
            f"open('/proc/{os.getpid()}/cmdline').read()",
            "open('/etc/passwd').read()",
            "open('/usr/new', 'w')",
            "open('/tmp/new', 'w')",
        ]
        source = (
            f"import os, socket\nclass A:\n{PREDICT}        return eval({attempts!r}[observation[0]]) is not None\n"
        )
        with playing(source) as process:
            for number, attempt in enumerate(attempts):
                with pytest.raises(AgentError, match="raised"):
                    print(attempt, act(process, number))
    assert [path.name for path in tmp_path.iterdir()] == ["seed.txt"]


@pytest.mark.extended
def test_nothing_stays_of_an_agent_that_wants_to(isolation):
    source = f"""
import atexit, os, signal, threading, time
def loop():
    while True: time.sleep(0.01)
class A:
{PREDICT}        [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 13, 15)]
        threading.Thread(target=loop).start()
        atexit.register(loop)
        return os.fork() * 0
"""
    with playing(source) as process:
        act(process)
        alive = {process._process.pid, *children(process._process.pid)}
    assert len(alive) >= 2
    assert all(map(gone, alive))


@pytest.mark.extended
def test_ctrl_c_keeps_what_is_done(tmp_path, monkeypatch, capsys):
    files = [written(tmp_path / f"{name}.py", f"class A:\n{PREDICT}        return 0\n") for name in ("done", "late")]
    table, calls, own_act = tmp_path / "marks.csv", [], AgentProcess.act

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 35:  # the second episode of the second agent
            os.kill(os.getpid(), signal.SIGINT)
        return own_act(*arguments)

    monkeypatch.setattr(AgentProcess, "act", interrupted)
    code, out, err = run(
        capsys, "grade", "wumpus", *files, "--episodes", 2, "--set", "max_episode_steps=10", "--baseline", "random",
        "--csv", table,
    )  # fmt: skip
    assert (code, err) == (130, "gridpuzzles: stopped: agents graded: 1\n")
    assert "late" not in out
    assert "done" in table.read_text()
