"""Grading a class: each agent gets its mark, whatever the others do, and no process or file remains."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import ROWS, TINY, TOY, run
from printed import film_in
from processes import children, gone
from submissions import BROKEN, CLASS, GOOD, HAPPENED

from gridpuzzles_gym.commands.compare import Files
from gridpuzzles_gym.commands.grading import agent_process, contest
from gridpuzzles_gym.commands.grading.agent_process import AgentError, AgentLimits, AgentProcess, read_agent
from gridpuzzles_gym.commands.grading.contest import EpisodeResult, Performance
from gridpuzzles_gym.commands.grading.grades import grade_all
from gridpuzzles_gym.commands.grading.grading import GradeOptions, find_files, grade, grade_to_files, isolation_here
from gridpuzzles_gym.commands.grading.isolation import NONE
from gridpuzzles_gym.commands.grading.template import template
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED

QUICK = {"max_episode_steps": 12}
LIMITS = AgentLimits(seconds=1, memory=1024)


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """The only folder with temporary files; nothing may be left there."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{folder}")  # a sign: agents' processes get it too
    yield folder
    assert not list(folder.iterdir())


def strangers(folder):
    """The processes of agents, which have this folder in their path."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"grading.hosting" in (process / "cmdline").read_bytes():
                found += [int(process.name)] * (bytes(folder) in (process / "environ").read_bytes())
        except OSError:
            continue
    return found


def started(file):
    """The process of an agent in a file, in the isolation of this system."""
    return AgentProcess(file.name, read_agent(file), LIMITS, isolation_here())


def written(path, text):
    path.write_text(text)
    return path


def graded(files, id, env_kwargs=None, **more):
    """Grade without baselines and progress bars; one episode, unless told how many."""
    return grade(files, GradeOptions(id, env_kwargs or {}, **{"episodes": 1, "baselines": [], **more}), progress=False)


# -- a class ---------------------------------------------------------------------------------------


def test_a_class_with_mischief_in_it(tmp_path, scratch, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "of the teacher")
    target = written(tmp_path / "target.txt", "precious")
    file = written(tmp_path / "agents.py", f"{CLASS}\nTARGET = {str(target)!r}\n")
    before = children()
    report, table = tmp_path / "class.html", tmp_path / "class.csv"
    grades, paths = grade_to_files(
        [file],
        GradeOptions("Wumpus-v0", QUICK, episodes=3, limits=LIMITS, baselines=["bayesian"]),
        Files(table, report=report),
        progress=False,
    )
    rows = {row.agent: row for row in grades.rows}
    assert {"random", "bayesian", *HAPPENED} == rows.keys()
    for name, words in HAPPENED.items():
        if name == "Writing" and not grades.isolation.sandbox:
            continue  # nothing keeps it from writing
        assert re.fullmatch(words, "; ".join(rows[name].happened)), rows[name]
        assert rows[name].finished == (3 if name in GOOD else 0), rows[name]
        assert rows[name].mark is not None
    assert rows["Counter"].score.mean_return == -12
    assert target.read_text() == "precious" or not grades.isolation.sandbox
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".txt"] == ["target.txt"]
    assert strangers(scratch) == []
    assert children() == before
    assert paths == [table, report]
    with table.open() as lines:
        assert {line["agent"]: line["happened"] for line in csv.DictReader(lines)}["Beyond"].startswith("returned 17")
    page = report.read_text()
    assert '<td class="words">returned 17: actions are 0 to 5, in 3 of 3 episodes</td>' in page
    assert {player["player"] for each in film_in(page)["rounds"] for player in each["episodes"]} >= {*GOOD, "random"}


def test_files_that_hold_no_agents(tmp_path, scratch, monkeypatch):
    monkeypatch.setattr(agent_process, "LOADING", 5.0)
    folder = tmp_path / "class"
    folder.mkdir()
    for name, text in BROKEN.items():
        written(folder / name, text)
    written(folder / "good.py", "class Good:\n    def predict(self, observation):\n        return 0\n")
    grades, _ = graded([folder], "Wumpus-v0", QUICK, episodes=2, limits=LIMITS)
    happened = {row.agent: row.happened for row in grades.graded}
    assert happened == {
        "endless": ("took more than 5 s for loading",),
        "empty": ("has no class with a method predict",),
        "missing": ("raised ModuleNotFoundError: No module named 'no_such_package' (line 1)",),
        "syntax": ("raised SyntaxError: expected ':' (syntax.py, line 1) (line 1)",),
        "good.Good": (),
    }
    assert strangers(scratch) == []


def test_a_constructor_and_an_observation_that_fail(tmp_path, scratch):
    file = written(
        tmp_path / "agents.py",
        "class First:\n    def __init__(self):\n        self.x = 1 / 0\n    def predict(self, observation): return 0\n"
        "class Second:\n    observation = 'everything'\n    def predict(self, observation): return 0\n"
        "class Third:\n    def predict(self, observation, state): return 0\n"
        "class _Hidden(First): pass\n",
    )
    grades, _ = graded([file], "Wumpus-v0", QUICK, limits=LIMITS)
    happened = {row.agent: row.happened for row in grades.graded}
    assert happened["First"] == ("raised ZeroDivisionError: division by zero (line 3)",)
    assert happened["Second"] == ("wants the observation 'everything': there are egocentric, planes, percepts",)
    assert happened["Third"][0].startswith("returned int: with a parameter state, it must be (action, state)")
    assert len(happened) == 3


@pytest.mark.parametrize("id", [row.id for row in ROWS if row is not TOY])
def test_the_template_is_graded_as_it_is(id, tmp_path, scratch):
    file = written(tmp_path / "mine.py", template(id))
    grades, _ = graded([file], id, {"max_episode_steps": 6}, episodes=2)
    [row] = grades.graded
    assert (row.agent, row.finished, row.happened) == ("MyAgent", 2, ())


def test_every_level_is_played_once(tmp_path, scratch, capsys):
    levels = written(tmp_path / "tiny.xsb", TINY)
    file = written(
        tmp_path / "agent.py",
        "class Down:\n    def predict(self, observation, action_masks):\n        return 1 if action_masks[1] else 0\n",
    )
    code, out, _ = run(
        capsys, "grade", "sokoban", file, "--levels", levels, "--pass", 40, "--mark-by", "success", "--json"
    )
    assert code == 0
    found = json.loads(out)
    rows = {row["agent"]: row for row in found["agents"]}
    assert (found["episodes"], found["every_level"]) == (2, True)
    assert (rows["Down"]["success"], rows["Down"]["rank"]) == (0.5, 1)
    assert rows["sokoban"]["success"] == 1
    assert rows["Down"]["passed"] == (rows["Down"]["mark"] >= 40)


# -- marks -------------------------------------------------------------------------------------------


def performances(**scores):
    """Performances with these scores; None is an unfinished episode. The first two are baselines."""
    found = []
    for number, (name, numbers) in enumerate(scores.items()):
        results = [
            None if score is None else EpisodeResult(score, SOLVED if score > 0 else DIED, 5) for score in numbers
        ]
        found.append(Performance(name, number < 2, results))
    return found


def contest_of(episodes):
    return contest.Contest("Wumpus-v0", None, {}, episodes, 7, False)


def test_marks():
    played = performances(
        random=[-100, -300], best=[600, 800], half=[300, 200], same=[600, 800], better=[900, 900], worse=[-900, -900],
        first_only=[600, None], nothing=[None, None],
    )  # fmt: skip
    grades = grade_all(contest_of(2), NONE, played, "return", 50, False)
    marks = {row.agent: row.mark for row in grades.rows}
    assert marks == {
        "random": None, "best": None, "half": 50, "same": 100, "better": 100, "worse": 0,
        "first_only": pytest.approx(100 * (150 - -200) / 900), "nothing": 0,
    }  # fmt: skip
    assert [row.agent for row in grades.rows if row.passed] == ["better", "same", "half"]
    assert [row.agent for row in grades.rows][:3] == ["better", "best", "same"]
    ranks = {row["agent"]: row["rank"] for row in grades.as_json()["agents"]}
    assert (ranks["better"], ranks["same"], ranks["half"], ranks["random"]) == (1, 1, 3, None)
    by_success = grade_all(contest_of(2), NONE, played, "success", None, False)
    assert {row.agent: row.mark for row in by_success.rows}["first_only"] == 50
    level = grade_all(
        contest_of(1), NONE, performances(random=[-1], best=[-1], good=[0], bad=[-2]), "return", None, False
    )
    assert {row.agent: row.mark for row in level.graded} == {"good": 100, "bad": 0}


# -- ends --------------------------------------------------------------------------------------------


def test_ctrl_c_keeps_what_is_done(tmp_path, scratch, monkeypatch, capsys):
    file = written(
        tmp_path / "agents.py",
        "class {}:\n    def predict(self, observation): return 0\n".format("Done")
        + "class {}:\n    def predict(self, observation): return 1\n".format("Stopped")
        + "class {}:\n    def predict(self, observation): return 1\n".format("Missing"),
    )
    act, calls = AgentProcess.act, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 35:
            os.kill(os.getpid(), signal.SIGINT)
        return act(*arguments)

    monkeypatch.setattr(AgentProcess, "act", interrupted)
    code, out, error = run(
        capsys, "grade", "wumpus", file, "--episodes", 2, "--set", "max_episode_steps=10",
        "--baseline", "bayesian", "--csv", tmp_path / "marks.csv",
    )  # fmt: skip
    assert code == 130
    assert error == "gridpuzzles: stopped: 1 agent graded\n"
    assert "Stopped: stopped by Ctrl-C; finished 1 of 2" in out
    assert "Done" in out
    assert "Missing" not in out
    assert "Done" in (tmp_path / "marks.csv").read_text()
    assert strangers(scratch) == []


def test_nothing_outlives_a_command_that_is_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path}")
    file = written(
        tmp_path / "agent.py", "class Loop:\n    def predict(self, observation):\n        while True: pass\n"
    )
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", "grade", "wumpus", file, "--seconds", "100"]
    command += ["--episodes", "1", "--baseline", "random"]
    grading = subprocess.Popen(
        [*map(str, command), "--total", "100"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert b"andbox" in grading.stdout.readline()  # the isolation has been chosen
    found = []
    until = time.monotonic() + 60
    while not found and time.monotonic() < until:
        time.sleep(0.05)
        found = strangers(tmp_path)
    grading.kill()
    grading.communicate()
    assert found
    assert all(gone(pid) for pid in found)
    assert not list(tmp_path.glob("gridpuzzles-grade-*"))


def test_too_much_time(tmp_path, scratch):
    text = "import time\nclass A:\n    def predict(self, observation):\n        time.sleep(0.2)\n        return 0\n"
    file, limits = written(tmp_path / "agents.py", text), AgentLimits(10, 0.5)
    grades, _ = graded([file], "Wumpus-v0", QUICK, limits=limits)
    assert grades.graded[0].happened == ("used up its 0.5 s, in episode 1",)
    assert strangers(scratch) == []


def test_a_process_that_does_not_read(tmp_path, scratch):
    file = written(
        tmp_path / "agent.py", "class A:\n    def predict(self, observation): return int(observation.sum())\n"
    )
    large = np.ones((200, 100, 100), np.uint8)
    with started(file) as process:
        assert [each.name for each in process.classes()] == ["A"]
        process.construct("A", {"actions": [], "channels": []})
        assert process.act(large, True, np.ones(4, np.bool_)) == large.sum()
        for pid in [process._process.pid, *children(process._process.pid)]:
            os.kill(pid, signal.SIGSTOP)
        with pytest.raises(AgentError, match="did not read what it was sent"):
            process.act(large, False, np.ones(4, np.bool_))
        for pid in [process._process.pid, *children(process._process.pid)]:
            os.kill(pid, signal.SIGCONT)
    assert strangers(scratch) == []


def test_replies_are_not_trusted(tmp_path, scratch):
    file = written(tmp_path / "agent.py", "class A:\n    def predict(self, observation): return 0\n")
    with started(file) as process:
        process.classes()
        for line in (b"[1]\n", b"{\n", b"[" * 60_000 + b"\n", b"\xff\n", b"9" * 70_000):
            process._buffer = line
            with pytest.raises(AgentError, match="sent something that is no reply"):
                process.classes()
        process._buffer = b'{"classes": [3, {}, {"name": "x\\u001b[2J", "observation": ["y"]}]}\n'
        assert process.classes() == [("None", None), ("x [2J", None)]
        process._buffer = json.dumps({"classes": [{"name": "A"}] * 500}).encode() + b"\n"
        assert len(process.classes()) == 50
        process._buffer = b'{"action": true}\n'
        with pytest.raises(AgentError, match="sent something that is no action"):
            process.act(np.zeros(3, np.uint8), True, np.ones(2, np.bool_))
    assert process.notes == []


# -- arguments ---------------------------------------------------------------------------------------


def test_names_of_files(tmp_path):
    for name in ("a/one.py", "a/two.py", "b/one.py", "b/_no.py", "b/read.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [*find_files([tmp_path / "a", tmp_path / "b"]).values()] == ["a/one", "two", "b/one"]
    for name in ("anna", "ben"):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "agent.py").write_text("")
    folders = [tmp_path / "anna" / "src", tmp_path / "ben" / "src"]
    assert [*find_files(folders).values()] == ["anna/src/agent", "ben/src/agent"]
    assert [*find_files([tmp_path / "a" / "one.py"]).values()] == [""]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "ID is missing, e.g. gridpuzzles grade wumpus --template > my_agent.py; gridpuzzles list shows all"),
        (["wumpus"], "grade needs Python files; --template prints one to begin with"),
        (["wumpus", "nowhere.py"], "nowhere.py: must be a Python file or a folder of them"),
        (["wumpuss", "agent.py"], "did you mean"),
        (["wumpus", "agent.py", "--pass", "200"], "must be a mark from 0 to 100"),
        (["wumpus", "agent.py", "--mark-by", "beauty"], "allowed are return, success"),
        (["wumpus", "agent.py", "--seconds", "0"], "must be a positive number"),
        (["wumpus", "agent.py", "--baseline", "nobody"], "nobody"),
        (["wumpus", "agent.py", "--levels", "nothing"], "nothing"),
        (["wumpus", "agent.py", "--report", "page.txt"], "must end in .html"),
        (["wumpus", "agent.py", "--csv", "agent.py"], "already exists"),
        (["chess", "--template"], "unknown environment"),
    ],
)
def test_what_cannot_be_graded(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "agent.py", "class A:\n    def predict(self, observation): return 0\n")
    code, _, error = run(capsys, "grade", *arguments)
    assert code in (1, 2)
    assert message in error
    assert error.count("\n") == 1


def test_an_agent_gets_the_shape_of_its_observation(tmp_path, scratch):
    text = "class A:\n    def __init__(self, task):\n        self.shape = tuple(task.shape)\n\n"
    text += "    def predict(self, observation):\n        assert observation.shape == self.shape == (81,)\n"
    text += "        return 0\n"
    file = written(tmp_path / "agents.py", text)
    settings = {**QUICK, "flat": True, "dtype": "float32"}
    grades, _ = graded([file, file], "EightPuzzle-v0", settings)
    assert [(row.agent, row.happened) for row in grades.graded] == [("A", ())]
