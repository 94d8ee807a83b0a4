"""``gridpuzzles tasks``: lists the tasks, and writes items that can be resumed, avoided and scored."""

import json
import signal
import subprocess
import sys
import time

import pytest
from helpers import fresh, run

from gridpuzzles_gym.text.tasks import TaskDataset, score

PLAN = ("tasks", "8-puzzle", "--task", "plan")


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_without_a_task_they_are_listed(capsys):
    code, out, err = run(capsys, "tasks", "wumpus")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")] == [
        "plan",
        "shortest-plan",
        "safe-squares",
    ]
    assert "  hard: visited=[8,16] board=6 pits=6" in lines
    assert max(map(len, lines)) <= 80


def test_items_are_printed_as_the_data_set_has_them(capsys):
    code, out, err = run(capsys, *PLAN, "--count", 3, "--seed", 5, "--difficulty", "medium", "--view", "facts")
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == TaskDataset("plan", "EightPuzzle-v0", 3, 5, "medium", view="facts").rows()
    assert [score(row, row["answer"]) for row in rows] == [1, 1, 1]


def test_a_set_is_listed_and_its_name_alone_chooses_it(capsys):
    assert "  --set corridor: " in run(capsys, "tasks", "sokoban")[1]
    code, out, err = run(capsys, "tasks", "sokoban", "--task", "plan", "--set", "corridor", "--count", 3, "--seed", 5)
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == TaskDataset("plan", "Sokoban-v0", 3, 5, corridor=True).rows()


def test_files_are_kept_resumed_and_replaced(capsys, tmp_path):
    path = tmp_path / "new" / "items.jsonl"
    code, out, _ = run(capsys, *PLAN, "--count", 4, "--out", path)
    assert (code, out) == (0, f"wrote 4 items to {path}\n")
    first = path.read_text(encoding="utf-8")
    code, _, err = run(capsys, *PLAN, "--count", 4, "--out", path)
    assert code == 1
    assert err == f"gridpuzzles: {path}: already exists; use --resume to go on, --force to overwrite it\n"
    path.write_text(first + first[:50], encoding="utf-8")  # as a kill leaves it
    assert run(capsys, *PLAN, "--count", 6, "--out", path, "--resume")[0] == 0
    assert rows_of(path) == TaskDataset("plan", "EightPuzzle-v0", 6).rows()
    assert path.read_text(encoding="utf-8").startswith(first)
    code, _, err = run(capsys, *PLAN, "--count", 6, "--seed", 1, "--out", path, "--resume")
    assert code == 2
    assert "line 1: cannot be resumed: it is not item 0 of this data set" in err
    code, _, err = run(capsys, *PLAN, "--count", 5, "--out", path, "--resume")
    assert code == 2
    assert "it has 6 items, more than --count 5" in err
    assert run(capsys, *PLAN, "--count", 1, "--out", path, "--force")[:2] == (0, f"wrote 1 item to {path}\n")
    assert path.read_text(encoding="utf-8") == first.splitlines(keepends=True)[0]


def test_items_of_other_files_are_avoided(capsys, tmp_path):
    train, rest = tmp_path / "train.jsonl", tmp_path / "rest.jsonl"
    small = ("--set", "width=3", "--set", "height=2", "--set", "scramble=null", "--set", "least_length=1")
    few = (*PLAN, *small, "--set", "most_length=5")
    assert run(capsys, *few, "--count", 10, "--out", train)[0] == 0
    assert run(capsys, *few, "--count", 4, "--seed", 1, "--avoid", train, "--out", rest)[0] == 0
    assert not {row["key"] for row in rows_of(train)} & {row["key"] for row in rows_of(rest)}
    code, _, err = run(capsys, *few, "--count", 400, "--avoid", train, "--out", tmp_path / "all.jsonl")
    assert code == 2
    assert err.startswith("gridpuzzles: there seem to be only ")
    train.write_text("{}\n", encoding="utf-8")
    code, _, err = run(capsys, *few, "--avoid", train)
    assert code == 2
    assert f"{train}, line 1: not an item of a task: it has no 'index'" in err
    train.write_text("hello\n", encoding="utf-8")
    code, _, err = run(capsys, *few, "--avoid", train)
    assert code == 2
    assert err.startswith(f"gridpuzzles: {train}, line 1: it is not valid JSON (")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("tasks", "8-puzzle", "--task", "plans"),
            2,
            "task='plans' is not known; did you mean 'plan'? allowed are 'plan', ",
        ),
        (("tasks", "catmouse", "--task", "plan"), 2, "CatMouse-v0 has no task 'plan'; allowed are best-action"),
        (("tasks", "8-puzzle", "--task", "plan", "--resume"), 2, "--resume continues a file: it needs --out FILE"),
        (("tasks", "8-puzzle", "--task", "plan", "--out", "x", "--resume", "--force"), 2, "cannot be combined"),
        (("tasks", "8-puzzle", "--task", "plan", "--set", "x y"), 2, "--set 'x y': must have the form name=value"),
        (("tasks", "8-puzzle", "--task", "plan", "--set", "corridor"), 2, "EightPuzzle-v0 has no setting 'corridor'"),
        (("tasks", "sokoban", "--task", "solvable", "--set", "corridor"), 2, "has no setting 'corridor'"),
        (("tasks", "sokoban", "--task", "plan", "--set", "corridor=[9,4]"), 2, "corridor=[9, 4]: must be true"),
        (("tasks", "8-puzzle", "--task", "plan", "--set", "boxes=2"), 2, "has no setting 'boxes'"),
        (("tasks", "8-puzzle", "--task", "plan", "--difficulty", "x"), 2, "allowed are easy, medium, hard"),
        (("tasks", "8-puzzle", "--task", "plan", "--avoid", "none.jsonl"), 1, "none.jsonl: No such file or directory"),
        (("tasks", "8-puzzle", "--out", "x"), 2, "--out needs --task: without it, the tasks are only listed"),
        (("tasks", "chess"), 2, "unknown environment 'chess'"),
    ],
)
def test_errors_are_one_line(capsys, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1


def test_ctrl_c_keeps_the_items_written(tmp_path):
    path = tmp_path / "items.jsonl"
    command = ["tasks", "sokoban", "--task", "plan", "--count", "100000", "--out", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "gridpuzzles_gym", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size > 20_000) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    rows = rows_of(path)
    assert out.splitlines() == [f"wrote {len(rows):,} items to {path}", "--resume goes on"]
    assert rows == TaskDataset("plan", "Sokoban-v0", len(rows)).rows()


def test_help_is_fast_and_has_examples():
    done = fresh("tasks", "--help", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "gridpuzzles tasks sokoban --task plan" in " ".join(done.stdout.split())
    assert "numba" not in done.stderr
