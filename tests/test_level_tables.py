"""``levels solve`` and ``levels rate``: tables that grow row by row, are continued, and do not depend on processes."""

import csv
import json
import subprocess
import sys
import time

import pytest
from helpers import PUZZLES, run

from gridpuzzles_gym.app.level_rating import rating_names
from gridpuzzles_gym.engine.levels import find_levels

SOLVE, RATE = ["levels", "solve", "first"], ["levels", "rate", "first"]


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
    code, out, _ = run(capsys, *command, "--csv", path, "--resume")
    assert code == 0
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
    assert "its row of 'Around the corner' is damaged: invalid literal for int() with base 10: 'ten'" in err


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
