"""``gridpuzzles levels``: what its commands print and write, the puzzle of a file, and tables that are continued."""

import csv
import errno
import importlib.resources
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import gymnasium as gym
import pygame
import pytest
from helpers import BAD, PUZZLES, TINY, not_refused, piped, run, run_on_full_disk
from pages import ROWS, table

from gridpuzzles_gym.agents.level_selection import level_setting, select_levels, selected_levels
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.engine.levels.level_text import LevelWarning
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.play.puzzle_detection import puzzle_for
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

BREADTH = ("--search", "breadth-first")


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.xsb"
    path.write_text(TINY)
    return path


def contents(levels):
    return [(level.name, level.content) for level in find_levels(PUZZLE, levels)]


# -- whose levels they are, and which ------------------------------------------------------------------


def test_the_puzzle_of_a_file_is_detected(capsys, monkeypatch, tmp_path):
    for puzzle in PUZZLES:
        packs = sorted((importlib.resources.files("gridpuzzles_gym.levels") / puzzle).glob("*.txt"))
        for number, pack in enumerate(pack for pack in packs if len(pack.read_text()) < 20_000):
            path = tmp_path / f"{number}.txt"
            path.write_text(pack.read_text())
            assert puzzle_for(str(path), None).name == puzzle_for(f"{path}:1", None).name == puzzle
    spoilt = {
        "wumpus": "; x\nA..W\n.P.?\n..PG\n",
        "n_puzzle": "; x\n1 2 3\n4 x 6\n7 8 0\n",
        "bait": "; x\nwwwwww\nw.A.?w\nw0k1gw\nwwwwww\n",
        "sokoban": "; x\n#####\n#@ .#\n# ?$#\n#####\n",
    }
    for puzzle, text in spoilt.items():
        path = tmp_path / "spoilt.txt"
        path.write_text(text)
        assert run(capsys, "levels", "check", path, "--puzzle", puzzle)[0::2] == (1, "")
        piped(monkeypatch, text)
        assert "invalid  standard input:" in run(capsys, "levels", "check", "-", "--puzzle", puzzle)[1]
    path.write_text("Hello & goodbye!\n")
    code, _, err = run(capsys, "levels", "check", path)
    assert (code, "use --puzzle with one of" in err, err.count("\n")) == (2, True, 1)


def test_what_show_prints_is_read_back(capsys, monkeypatch):
    packs = {"wumpus": "textbook", "cat_mouse": "classic", "n_puzzle": "eight", "bait": "lessons", "sokoban": "first"}
    for name, pack in packs.items():
        code, shown, _ = run(capsys, "levels", "show", pack, "--puzzle", name)
        piped(monkeypatch, shown)
        checked, out, _ = run(capsys, "levels", "check", "-", "--json")
        assert (code, checked, {row["puzzle"] for row in json.loads(out)}) == (0, 0, {name})
        assert [row["name"] for row in json.loads(out)] == [level.name for level in find_levels(PUZZLES[name], pack)]


def test_levels_are_chosen_alike_everywhere(capsys):
    """A number or a title selects one level for a comparison as well, where environments take whole packs."""
    for choice in ("first:2", "Harbour", "first", '["first:2", "Harbour"]'):
        levels = selected_levels(PUZZLE, choice)
        assert len(find_levels(PUZZLE, level_setting(PUZZLE, choice))) == len(levels)
        code, out, err = run(capsys, "levels", "show", choice, "--puzzle", "sokoban")
        assert (code, err, out.count(";")) == (0, "", len(levels))


def test_invalid_levels_among_valid_ones(capsys, tmp_path):
    mixed = tmp_path / "mixed.xsb"
    mixed.write_text(BAD.replace("; good", "; first\n######\n#@ $.#\n######\n\n; good"))
    code, out, _ = run(capsys, "levels", "check", mixed)
    assert (code, out.split()[:3]) == (1, ["ok", "first", "6×3"])
    assert f"{mixed}:13:3: 1 box but 0 goals" in out
    assert f"{mixed}:18:5: the walls are open here" in out
    assert "4 levels, 2 invalid" in out
    rows = json.loads(run(capsys, "levels", "check", mixed, "--json")[1])
    assert [bool(row["error"]) for row in rows] == [False, False, True, True]
    with pytest.warns(LevelWarning, match=r"mixed.xsb: 2 of 4 levels were left out: .*:13:3: 1 box but 0 goals"):
        assert len(selected_levels(PUZZLE, str(mixed))) == 2
    for number, message in ((3, "1 box but 0 goals"), (5, "has no level 5; it has 4 levels, counted from 1")):
        with pytest.raises(ValueError, match=message):
            select_levels(PUZZLE, f"{mixed}:{number}")
    with pytest.raises(LevelError, match="1 box but 0 goals"):
        gym.make("Sokoban-v0", levels=mixed, strict=True)
    code, _, err = run(capsys, "levels", "solve", mixed, "--strict", "--csv", tmp_path / "answers.csv")
    assert (code, f"{mixed}:13:3: 1 box but 0 goals" in err) == (2, True)
    assert not (tmp_path / "answers.csv").exists()


def test_check_walks_through_folders_and_refuses_a_bomb(capsys, tmp_path):
    for part in ("a", "b/c"):
        (tmp_path / "sokoban" / part).mkdir(parents=True)
        (tmp_path / "sokoban" / part / "000.txt").write_text(TINY)
    (tmp_path / "sokoban" / "README.md").write_text("no levels")
    code, out, _ = run(capsys, "levels", "check", tmp_path / "sokoban")
    assert (code, "4 levels, 0 invalid" in out) == (0, True)
    (tmp_path / "sokoban" / "binary.txt").write_bytes(b"\xff\xfe\x00")
    code, out, _ = run(capsys, "levels", "check", tmp_path / "sokoban")
    assert (code, "not UTF-8" in out) == (1, True)
    bomb = tmp_path / "bomb.slc"
    bomb.write_text('<!DOCTYPE s [<!ENTITY a "#"><!ENTITY b "&a;&a;">]><SokobanLevels>&b;</SokobanLevels>')
    code, out, _ = run(capsys, "levels", "check", bomb)
    assert (code, f"{bomb}:1:13: this document declares entities" in out) == (1, True)


# -- stats, draw, convert, import ----------------------------------------------------------------------


def test_stats_count_what_there_is(capsys, tiny):
    code, out, _ = run(capsys, "levels", "stats", tiny)
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert (code, lines[0]) == (0, ["level", "size", "wall", "floor", "goal", "box", "player"])
    assert lines[2] == ["down", "4×5", "14", "6", "1", "1", "1"]
    assert lines[-1] == ["all", "4×5", "to", "6×5", "32", "18", "3", "3", "2"]
    rows = json.loads(run(capsys, "levels", "stats", tiny, "--json")[1])
    assert rows[0]["squares"] == {"wall": 14, "floor": 6, "goal": 1, "box": 1, "player": 1}
    assert "4×4" in run(capsys, "levels", "stats", "textbook")[1]


def test_draw_makes_pictures_and_pages(capsys, tiny, tmp_path):
    sizes = {}
    for name, more in (("plain", ["--style", "paper"]), ("answers", ["--answers"])):
        out = tmp_path / f"{name}.png"
        assert run(capsys, "levels", "draw", tiny, "--out", out, *more)[:2] == (0, f"wrote {out}\n")
        sizes[name] = pygame.image.load(out).get_size()
    assert sizes["answers"][1] > sizes["plain"][1]
    for choice in ("textbook", "lessons", "eight", "anywhere"):
        out = tmp_path / f"{choice}.pdf"
        assert run(capsys, "levels", "draw", choice, "--out", out)[0] == 0
        assert out.read_bytes().startswith(b"%PDF")
    cases = [
        ([tiny, "--out", tmp_path / "tiny.jpg"], "must end in .png or .pdf"),
        ([tiny, "--out", tmp_path / "a.png", "--style", "papr"], "did you mean 'paper'?"),
        (["textbook", "--out", tmp_path / "a.png", "--answers"], "Wumpus World has no solutions: its games depend on"),
    ]
    assert not_refused(capsys, cases, "levels", "draw") == []


def test_convert_there_and_back(capsys, monkeypatch, tmp_path, tiny):
    for form in ("xsb", "rle", "letters", "sok", "slc"):
        there, back = tmp_path / f"there-{form}.txt", tmp_path / f"{form}.xsb"
        assert run(capsys, "levels", "convert", tiny, "--to", form, "--out", there)[0] == 0
        assert contents(there) == contents(tiny)
        assert run(capsys, "levels", "convert", there, "--out", back)[0] == 0
        assert back.read_text() == TINY
    code, out, _ = run(capsys, "levels", "convert", tiny, "--to", "rle")
    assert (code, out.splitlines()[1]) == (0, "4#|#@-#|#$-#|#.-#|4#")
    assert run(capsys, "levels", "convert", tiny, "--out", tmp_path / "new" / "x.slc")[0] == 0
    assert (tmp_path / "new" / "x.slc").read_text().startswith("<?xml")
    whole, second = run(capsys, "levels", "convert", "first")[1], run(capsys, "levels", "convert", "first:2")[1]
    assert second.strip()
    assert second in whole
    piped(monkeypatch, TINY)
    assert run(capsys, "levels", "convert", "-")[:2] == (0, TINY)


def test_import_a_page_and_what_was_copied(capsys, monkeypatch, tmp_path):
    page, out = tmp_path / "level.html", tmp_path / "mine.xsb"
    page.write_text(table())
    assert run(capsys, "levels", "import", page, "--out", out)[0] == 0
    assert contents(out)[0][1] == ROWS
    page.write_text(table().replace("/wall.gif", "/7.gif"))
    code, _, err = run(capsys, "levels", "import", page)
    assert (code, "unknown pictures '7'" in err, err.count("\n")) == (2, True, 1)
    assert run(capsys, "levels", "import", page, "--tile", "7=wall")[1].splitlines() == list(ROWS)
    piped(monkeypatch, "\n\n   #####\r\n   #@$.#\r\n   #####\n\n")
    assert run(capsys, "levels", "import", "-")[:2] == (0, "#####\n#@$.#\n#####\n")
    piped(monkeypatch, "5#|#@$.#|5#")
    assert run(capsys, "levels", "import", "-", "--to", "letters")[:2] == (0, "wwwww\nwPBGw\nwwwww\n")
    piped(monkeypatch, "#####\n#@* #\n#####\n")
    code, _, err = run(capsys, "levels", "import", "-")
    assert (code, "standard input:2:2: this level is solved already" in err) == (2, True)


def test_bad_usage_is_one_line(capsys, tmp_path):
    (tmp_path / "empty.txt").write_text("; nothing\n")
    cases = [
        (["convert", "nothing.xsb"], "no levels 'nothing.xsb'"),
        (["convert", "first:99"], "first has no level 99; it has 30 levels, counted from 1"),
        (["import", "nothing.html"], "nothing.html cannot be read"),
        (["import", "x.html", "--tile", "wall"], "must have the form NAME=WHAT"),
        (["convert", "first", "--to", "xbs"], "did you mean 'xsb'?"),
        (["show", tmp_path / "empty.txt", "--puzzle", "sokoban"], "no level in"),
        (["solve", "first", "--search", "a-star"], "'a-star' is not known for Sokoban"),
        (["solve", "textbook"], "searches need deterministic transitions, but agents play it"),
        (["solve", "first", "--search", "astar", "--param", "wait=2"], "'wait'"),
        (["solve", "first", "--seconds", "0"], "limit seconds=0"),
        (["solve", "first", "--heuristic", "manhatten"], "'manhatten' is not known"),
        (["solve", "first", "--resume"], "--resume continues a table: it needs --csv FILE"),
        (["rate", "first", "--resume", "--force", "--csv", "x.csv"], "--resume and --force cannot be combined"),
    ]
    assert not_refused(capsys, cases, "levels") == []


# -- solve and rate --------------------------------------------------------------------------------------


def read(path):
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_solve_prints_and_writes_plans_that_solve(capsys, monkeypatch, tmp_path, tiny):
    answers = tmp_path / "answers.csv"
    code, out, _ = run(capsys, "levels", "solve", tiny, *BREADTH, "--csv", answers)
    assert (code, "solved 2 of 2 levels, mean " in out, f"wrote {answers}" in out) == (0, True, True)
    rows = read(answers)
    assert list(rows[0]) == ["level", "pushes", "moves", "nodes", "seconds", "status", "proven", "solution"]
    assert [(row["level"], row["pushes"], row["moves"]) for row in rows] == [("down", "1", "1"), ("two", "3", "5")]
    assert all((row["status"], row["proven"]) == ("solved", "shortest") for row in rows)
    code, out, _ = run(capsys, "levels", "solve", f"{tiny}:2", *BREADTH)
    assert out.startswith("two: solved, 3 pushes, 5 moves, proven shortest, ")
    row = json.loads(run(capsys, "levels", "solve", tiny, *BREADTH, "--json")[1])[0]
    assert (row["level"], row["solved"], row["solution"]) == ("down", True, "D")
    code, out, _ = run(capsys, "levels", "solve", "first:1", *BREADTH, "--nodes", "5")
    assert (code, "limit: nodes, 5 nodes" in out, "solved 0 of " in out) == (0, True, True)
    code, out, _ = run(capsys, "levels", "solve", "classic", "--puzzle", "n_puzzle", "--search", "astar", "--json")
    assert [len(row["solution"]) for row in json.loads(out)] == [5, 9, 12]
    monkeypatch.setattr(Problem, "reaches_goal", lambda problem, plan: False)
    code, _, err = run(capsys, "levels", "solve", tiny, *BREADTH)
    assert (code, "down: the actions found by breadth-first do not solve it" in err) == (1, True)


def test_rate_says_what_is_proven(capsys, tmp_path):
    for choice, names in (("eight", ("fewest moves",)), ("lessons", ("highest score", "fewest moves"))):
        code, out, _ = run(capsys, "levels", "rate", f"{choice}:1", "--json")
        (found,) = json.loads(out)
        assert (code, set(found), found["solvable"]) == (0, {"level", "solvable", *names}, True)
    stuck = tmp_path / "stuck.xsb"
    stuck.write_text("; stuck\n#######\n#@$.$.#\n#######\n")
    code, out, _ = run(capsys, "levels", "rate", stuck)
    assert (code, "stuck: cannot be solved" in out, "0 of 1 level can be solved" in out) == (0, True, True)


@pytest.mark.compiled
@pytest.mark.extended
def test_every_rating(capsys):
    for choice, names in (
        ("textbook", ("success", "deaths", "steps")),
        ("first", ("fewest pushes", "fewest moves", "box changes", "deadlock density")),
    ):
        (found,) = json.loads(run(capsys, "levels", "rate", f"{choice}:1", "--json")[1])
        assert set(found) == {"level", "solvable", *names}


def timeless(path):
    return [{name: row[name] for name in row if name != "seconds"} for row in read(path)]


def test_a_table_is_continued(capsys, monkeypatch, tmp_path):
    whole, some = tmp_path / "whole.csv", tmp_path / "some.csv"
    solve = ["levels", "solve", "classic", "--puzzle", "n_puzzle", "--search", "astar", "--csv"]
    assert run(capsys, *solve, whole)[0] == 0
    lines = whole.read_bytes().splitlines(keepends=True)
    some.write_bytes(b"".join(lines[:2]) + lines[2][:-9])  # killed in the middle of a line
    first = read(some)[0]
    assert "already exists; use --force" in run(capsys, *solve, some)[2]
    code, out, _ = run(capsys, *solve, some, "--resume")
    assert (code, "solved 3 of 3 levels" in out) == (0, True)
    assert read(some)[0] == first  # not done again
    assert timeless(some) == timeless(whole)
    before = some.read_bytes()
    assert run(capsys, *solve, some, "--resume")[0] == 0
    assert some.read_bytes() == before
    some.unlink()
    at_start, calls = Problem.at_start, []

    def struck(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return at_start(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Problem, "at_start", struck)
        code, out, _ = run(capsys, *solve, some)
    assert (code, "solved 1 of 1 level" in out, len(read(some))) == (130, True, 1)
    spoilt = tmp_path / "spoilt.csv"
    for old, new, message in (
        (b"level,pushes", b"level,pulls", "cannot be resumed: its columns are level, pulls"),
        (b"easy", b"other", "line 2: cannot be resumed: it has level 'other, 5 moves'"),
        (b",shortest,", b",shortest,,", "line 2: must have 8 values, has 9"),
        (b",shortest,", b",\xff,", "line 2: is damaged: it is not a text in UTF-8"),
    ):
        spoilt.write_bytes(whole.read_bytes().replace(old, new, 1))
        assert not_refused(capsys, [([*solve, spoilt, "--resume"], message)]) == []
    for arguments in ([*solve, os.devnull], [*solve, tmp_path]):
        code, _, err = run(capsys, *arguments)
        assert (code, err) in ((0, ""), (1, f"gridpuzzles: {tmp_path}: {os.strerror(errno.EISDIR)}\n"))


@pytest.mark.extended
def test_processes_kills_and_full_disks_do_not_matter(capsys, tmp_path):
    one, two, full = (tmp_path / f"{name}.csv" for name in ("one", "two", "full"))
    solve = ["levels", "solve", "fifteen", "--search", "tile-ida-star", "--heuristic", "manhattan", "--nodes", "2000"]
    assert run(capsys, *solve, "--workers", 1, "--csv", one)[0] == 0
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *solve, "--csv", str(two), "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (two.exists() and two.read_bytes().count(b"\n") > 2):
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert run(capsys, *solve, "--workers", 2, "--csv", two, "--resume")[0] == 0
    assert timeless(two) == timeless(one)
    said = run_on_full_disk(400, *solve, "--workers", "1", "--csv", full)
    assert said == f"gridpuzzles: {full}: {os.strerror(errno.EFBIG)}\n"
    assert full.read_bytes().endswith(b"\n")
    assert run(capsys, *solve, "--csv", full, "--resume")[0] == 0
    assert timeless(full) == timeless(one)
    if Path("/dev/full").exists():
        code, _, err = run(capsys, *solve, "--csv", "/dev/full")
        assert (code, err) == (1, f"gridpuzzles: /dev/full: {os.strerror(errno.ENOSPC)}\n")


def test_levels_are_read_with_the_settings_they_are_played_with(capsys, tmp_path):
    """Both boards can be solved to the goal that is set, and not to the default one."""
    file = tmp_path / "blank_first.txt"
    file.write_text("1 2 3 7\n4 5 6 0\n8 9 10 11\n12 13 14 15\n\n1 0 2 3\n4 5 6 7\n8 9 10 11\n12 13 14 15\n")
    goal, spiral = ("--set", "goal=blank-first"), ("--set", "goal=spiral")
    for words, found in (
        (("solve", "15-puzzle", "--levels", file, *goal), "solved"),
        (("solve", "15-puzzle", "--levels", f"{file}:2", *goal), "1 move, proven shortest"),
        (("solve", "8-puzzle", "--levels", "1 2 3 / 8 4 0 / 7 6 5", *spiral), "1 move, proven shortest"),
        (("ask", "15-puzzle", "--scripted", "astar", "--levels", file, *goal, "--episodes", "2"), "100.0%"),
        (("compare", "15-puzzle", "--levels", f"{file}:2", *goal, "--episodes", "2", "--agent", "astar"), "100.0%"),
        (("levels", "check", file, *goal), "2 levels, 0 invalid"),
        (("levels", "solve", file, *goal, "--workers", "1"), "solved 2 of 2 levels"),
        (("levels", "rate", f"{file}:1", *goal, "--workers", "1"), "fewest moves 4"),
        (("levels", "stats", file, *goal), "4×4"),
        (("levels", "show", f"{file}:2", *goal), "12 13 14 15"),
    ):
        if words[0] == "levels":
            words = (*words, "--puzzle", "tiles")
        code, out, err = run(capsys, *words)
        assert (code, found in out) == (0, True), (words, out, err)
