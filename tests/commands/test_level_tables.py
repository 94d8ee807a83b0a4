"""``levels solve`` and ``levels rate``: tables that grow row by row, are continued, and do not depend on processes."""

import contextlib
import csv
import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import PUZZLES, run, run_on_full_disk

from gridpuzzles_gym.commands.levels.rating import rating_names
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play.resume_record import Unfinished

SOLVE, RATE = ["levels", "solve", "first"], ["levels", "rate", "first"]
RECORDS = {
    "solve": {
        "puzzle": "sokoban",
        "search": "sokoban",
        "heuristic": "matching",
        "seconds": 60,
        "memory": 4096,
    },
    "rate": {"puzzle": "sokoban", "seconds": 60, "memory": 1024},
}
"""What is kept next to a table with missing rows, by command."""


def record_of(path):
    return path.with_name(path.name + ".unfinished")


def rows(path, timeless=True):
    with path.open(newline="") as file:
        return [{name: row[name] for name in row if name != "seconds" or not timeless} for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The tables of all levels."""
    folder = tmp_path_factory.mktemp("whole")
    from gridpuzzles_gym import cli

    for command in (SOLVE, RATE):
        assert cli.run([*command, "--workers", "1", "--csv", str(folder / f"{command[1]}.csv")]) == 0
    return folder


def test_processes_do_not_matter(whole, capsys, tmp_path):
    path = tmp_path / "some.csv"
    code, out, _ = run(capsys, *SOLVE, "--workers", 2, "--csv", path)
    assert code == 0
    assert rows(path) == rows(whole / "solve.csv")
    assert "30 of 30 levels" in out


@pytest.mark.parametrize("command", [SOLVE, RATE], ids=["solve", "rate"])
def test_a_table_is_continued(whole, command, capsys, tmp_path):
    complete = whole / f"{command[1]}.csv"
    lines = complete.read_bytes().splitlines(keepends=True)
    path = tmp_path / "some.csv"
    path.write_bytes(b"".join(lines[:8]) + lines[8][:-9])  # killed in the middle of a line
    kept = rows(path, timeless=False)[:7]
    assert "already exists; use --force" in run(capsys, *command, "--csv", path)[2]
    code, _, err = run(capsys, *command, "--csv", path, "--resume")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be resumed: some.csv.unfinished is missing, which has the options of its rows" in err
    record = record_of(path)
    record.write_text(json.dumps(RECORDS[command[1]]) + "\n")
    assert "an unfinished table is there; use --resume to go on" in run(capsys, *command, "--csv", path)[2]
    code, out, _ = run(capsys, *command, "--csv", path, "--resume")
    assert code == 0
    assert not record.exists()
    assert "30 of 30 levels" in out
    assert rows(path, timeless=False)[:7] == kept  # not done again
    assert rows(path) == rows(complete)
    before = path.read_bytes()
    assert run(capsys, *command, "--csv", path, "--resume")[0] == 0
    assert path.read_bytes() == before


def test_a_kill_loses_no_row(tmp_path, capsys):
    path = tmp_path / "some.csv"
    arguments = ["levels", "solve", "medium-test", "--search", "sokoban-moves", "--csv", path, "--workers", 2]
    process = subprocess.Popen([sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, arguments)])
    for _ in range(1200):
        if path.exists() and path.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.05)
    code, _, err = run(capsys, *arguments, "--resume")
    assert (code, err) == (1, f"gridpuzzles: {path}: is being written by another process\n")
    process.kill()
    process.wait()
    found = rows(path)
    assert len(found) >= 2
    code, _, _ = run(capsys, *arguments[:-1], 1, "--resume")
    assert code == 0
    names = [level.name for level in find_levels(PUZZLES["sokoban"], "medium-test")]
    assert [row["level"] for row in rows(path)] == names
    assert all(row["status"] == "solved" for row in rows(path))


def test_what_cannot_be_continued(whole, capsys, tmp_path):
    other = tmp_path / "other.csv"
    for arguments, said in (
        ([*SOLVE, "--resume"], "--resume continues a table: it needs --csv FILE"),
        ([*SOLVE, "--resume", "--force", "--csv", other], "--resume and --force cannot be combined"),
        ([*SOLVE, "--resume", "--csv", whole / "rate.csv"], "cannot be resumed: its columns are level, solvable"),
        (
            ["levels", "solve", "easy", "--resume", "--csv", whole / "solve.csv"],
            "line 2: cannot be resumed: it has level",
        ),
        (["levels", "solve", "first:1", "--resume", "--csv", whole / "solve.csv"], "nothing is expected"),
    ):
        code, _, err = run(capsys, *arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert said in err
    other.write_text((whole / "solve.csv").read_text().replace(",no,", ",no,,", 1))
    code, _, err = run(capsys, *SOLVE, "--resume", "--csv", other)
    assert code == 2
    assert f"{other}, line 2: must have 8 values, has 9" in err
    other.write_text((whole / "solve.csv").read_text().replace(",10,", ",ten,", 1))
    code, _, err = run(capsys, *SOLVE, "--resume", "--csv", other)
    assert code == 2
    assert f"{other}, line 2, column 'pushes': 'ten' is invalid" in err
    other.write_text((whole / "rate.csv").read_text().replace(",yes,", ",yes,1O", 1))
    code, _, err = run(capsys, *RATE, "--resume", "--csv", other)
    assert code == 2
    assert f"{other}, line 2, column 'fewest pushes': '1O" in err
    other.write_bytes((whole / "rate.csv").read_bytes().replace(b",yes,", b",\xff,", 1))
    code, _, err = run(capsys, *RATE, "--resume", "--csv", other)
    assert code == 2
    assert f"{other}, line 2: is damaged: it is not a text in UTF-8" in err


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        (SOLVE, ["--seconds", 5], "seconds was 60, now it is 5"),
        (SOLVE, ["--nodes", 9], "nodes was null, now it is 9"),
        (SOLVE, ["--memory", 100], "memory was 4096, now it is 100"),
        (SOLVE, ["--search", "sokoban-moves"], 'search was "sokoban", now it is "sokoban-moves"'),
        (SOLVE, ["--heuristic", "zero"], 'heuristic was "matching", now it is "zero"'),
        (SOLVE, ["--param", "improve=moves"], '--param improve was null, now it is "moves"'),
        (RATE, ["--seconds", 5], "seconds was 60, now it is 5"),
    ],
)
def test_other_options_are_refused(whole, capsys, tmp_path, command, more, said):
    path = tmp_path / "some.csv"
    lines = (whole / f"{command[1]}.csv").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:8]))
    record_of(path).write_text(json.dumps(RECORDS[command[1]]) + "\n")
    code, _, err = run(capsys, *command, *more, "--csv", path, "--resume")
    assert (code, err.count("\n")) == (2, 1)
    assert f"{record_of(path)}: cannot be resumed with other options: {said}" in err
    assert path.read_bytes() == b"".join(lines[:8])
    assert sorted(os.listdir(tmp_path)) == ["some.csv", "some.csv.unfinished"]


def test_one_process_at_a_time(capsys, tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "some.csv"
    with contextlib.closing(Unfinished(path, {})):
        for more in ([], ["--resume"], ["--force"]):
            code, _, err = run(capsys, *SOLVE, "--csv", path, *more)
            assert (code, err) == (1, f"gridpuzzles: {path}: is being written by another process\n")
        assert os.listdir(tmp_path) == ["some.csv.lock"]
    assert os.listdir(tmp_path) == []
    assert run(capsys, "levels", "solve", "first:1", "--csv", path)[0] == 0
    assert os.listdir(tmp_path) == ["some.csv"]


def test_pipes_and_folders(capsys, tmp_path):
    assert run(capsys, "levels", "solve", "first:1", "--csv", os.devnull)[0] == 0
    assert not record_of(Path(os.devnull)).exists()
    reading, writing = os.pipe()
    try:
        assert run(capsys, "levels", "solve", "first:1", "--csv", f"/dev/fd/{writing}")[0] == 0
        assert os.read(reading, 99).startswith(b"level,pushes,")
    finally:
        os.close(reading)
        os.close(writing)
    code, _, err = run(capsys, *SOLVE, "--csv", tmp_path)
    assert (code, err) == (1, f"gridpuzzles: {tmp_path}: {os.strerror(errno.EISDIR)}\n")


def test_a_link_is_the_file_it_leads_to(capsys, tmp_path):
    pytest.importorskip("fcntl")
    path, link = tmp_path / "some.csv", tmp_path / "link.csv"
    link.symlink_to(path)
    with contextlib.closing(Unfinished(path, {})):
        assert "is being written by another process" in run(capsys, *SOLVE, "--csv", link)[2]


def test_a_disk_that_is_full_from_the_beginning(capsys):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    code, _, err = run(capsys, "levels", "solve", "first:1", "--csv", "/dev/full")
    assert (code, err) == (1, f"gridpuzzles: /dev/full: {os.strerror(errno.ENOSPC)}\n")


def test_a_full_disk_loses_no_row(whole, capsys, tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "some.csv"
    arguments = [*SOLVE, "--workers", "1", "--csv", str(path)]
    assert run_on_full_disk(900, *arguments) == f"gridpuzzles: {path}: {os.strerror(errno.EFBIG)}\n"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 5
    assert all(line.endswith(b"\n") for line in lines)
    code, _, _ = run(capsys, *arguments, "--resume")
    assert code == 0
    assert path.read_bytes().splitlines(keepends=True)[: len(lines)] == lines
    assert rows(path) == rows(whole / "solve.csv")
    assert os.listdir(tmp_path) == ["some.csv"]


def test_ratings_say_what_is_proven(whole):
    solved, rated = rows(whole / "solve.csv"), rows(whole / "rate.csv")
    names = rating_names(PUZZLES["sokoban"])
    assert list(rated[0]) == ["level", "solvable", *names]
    assert names == ("fewest pushes", "fewest moves", "box changes", "deadlock density")
    for one, other in zip(solved, rated, strict=True):
        assert other["solvable"] == "yes"
        assert int(other["fewest pushes"]) <= int(one["pushes"])
        assert int(other["fewest moves"]) <= int(one["moves"])


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("textbook", ("success", "deaths", "steps")),
        ("eight", ("fewest moves",)),
        ("lessons", ("highest score", "fewest moves")),
    ],
)
def test_every_puzzle_is_rated(capsys, choice, names):
    code, out, _ = run(capsys, "levels", "rate", f"{choice}:1", "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert set(found) == {"level", "solvable", *names}
    assert found["solvable"]


def test_what_cannot_be_solved_is_no_error(capsys, tmp_path):
    path = tmp_path / "stuck.xsb"
    path.write_text("; stuck\n#######\n#@$.$.#\n#######\n")
    code, out, _ = run(capsys, "levels", "rate", path)
    assert code == 0
    assert "stuck: cannot be solved" in out
    assert "0 of 1 level can be solved" in out
