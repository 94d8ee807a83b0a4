"""``gridpuzzles levels``: what its commands print and write, and what they say of bad input."""

import csv
import importlib.resources
import re

import numpy as np
import pygame
import pytest
from helpers import BAD, TINY, ctrl_c, piped, python, run
from pages import ROWS, table

from gridpuzzles_gym import cli
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.play.puzzle_detection import puzzle_for
from gridpuzzles_gym.puzzles.sokoban import PUZZLE, rules
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd, write_lurd


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.xsb"
    path.write_text(TINY)
    return path


def contents(levels):
    return [(level.name, level.content) for level in find_levels(PUZZLE, levels)]


HELP = """
import contextlib, io, sys
from gridpuzzles_gym import cli
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert cli.run(["levels", command, "--help"]) == 0
    assert "Examples" in text.getvalue(), command
    heavy = {"numba", "pygame", "torch"} & sys.modules.keys()
    assert not heavy, (command, heavy)
"""


def test_every_help_has_examples_and_imports_nothing_heavy():
    python(HELP, "check", "show", "sheet", "stats", "convert", "import", "solve")


def test_a_sheet_of_any_levels(capsys, tiny, tmp_path):
    picture = tmp_path / "tiny.png"
    assert run(capsys, "levels", "sheet", tiny, "--out", picture, "--style", "paper")[0] == 0
    assert pygame.image.load(picture).get_width() > 100
    assert "already exists" in run(capsys, "levels", "sheet", tiny, "--out", picture)[2]
    assert run(capsys, "levels", "sheet", "textbook", "--out", picture, "--force")[0] == 0
    assert "must end in .png" in run(capsys, "levels", "sheet", tiny, "--out", tmp_path / "tiny.jpg")[2]


# -- check and stats -----------------------------------------------------------------------------


def test_check_names_every_bad_level_with_its_place(capsys, tmp_path):
    path = tmp_path / "mixed.xsb"  # whose levels these are, its ending tells
    path.write_text(BAD)
    code, out, _ = run(capsys, "levels", "check", path)
    assert code == 1
    assert out.split()[:3] == ["ok", "good", "5×3"]
    assert f"{path}:8:3: 1 box but 0 goals" in out
    assert f"{path}:13:5: the walls are open here" in out
    assert "3 levels, 2 invalid" in out


def test_check_walks_through_folders(capsys, tmp_path):
    for part in ("a", "b/c"):
        (tmp_path / "sokoban" / part).mkdir(parents=True)
        (tmp_path / "sokoban" / part / "000.txt").write_text(TINY)
    (tmp_path / "sokoban" / "README.md").write_text("no levels")
    code, out, _ = run(capsys, "levels", "check", tmp_path / "sokoban")
    assert code == 0
    assert "4 levels, 0 invalid" in out


def test_check_refuses_a_bomb(capsys, tmp_path):
    path = tmp_path / "bomb.slc"
    path.write_text('<!DOCTYPE s [<!ENTITY a "#"><!ENTITY b "&a;&a;">]><SokobanLevels>&b;</SokobanLevels>')
    code, out, _ = run(capsys, "levels", "check", path)
    assert code == 1
    assert f"{path}:1:13: this document declares entities" in out


def test_stats_count_what_there_is(capsys, tiny):
    code, out, _ = run(capsys, "levels", "stats", tiny)
    assert code == 0
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert lines[0] == ["level", "size", "wall", "floor", "goal", "box", "player"]
    assert lines[2] == ["down", "4×5", "14", "6", "1", "1", "1"]
    assert lines[3] == ["two", "6×5", "18", "12", "2", "2", "1"]
    assert lines[-1] == ["all", "4×5", "to", "6×5", "32", "18", "3", "3", "2"]
    code, out, _ = run(capsys, "levels", "stats", "textbook")
    assert code == 0
    assert "4×4" in out


# -- convert and import --------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["xsb", "rle", "letters", "sok", "slc"])
def test_convert_there_and_back(capsys, tmp_path, tiny, form):
    there, back = tmp_path / f"there-{form}.txt", tmp_path / "back.xsb"
    assert run(capsys, "levels", "convert", tiny, "--to", form, "--out", there)[0] == 0
    assert contents(there) == contents(tiny)
    assert run(capsys, "levels", "convert", there, "--out", back)[0] == 0
    assert back.read_text() == TINY


def test_convert_prints_and_goes_by_the_ending(capsys, tmp_path, tiny):
    code, out, _ = run(capsys, "levels", "convert", tiny, "--to", "rle")
    assert (code, out.splitlines()[1]) == (0, "4#|#@-#|#$-#|#.-#|4#")
    assert run(capsys, "levels", "convert", tiny, "--out", tmp_path / "new" / "x.slc")[0] == 0
    assert (tmp_path / "new" / "x.slc").read_text().startswith("<?xml")
    code, out, _ = run(capsys, "levels", "convert", "first")
    boards = "".join(f"; {n}\n" + "".join(f"{r}\n" for r in c) + "\n" for n, c in contents("first"))[:-1]
    assert (code, re.sub("; Comment: .*\n", "", out)) == (0, boards)


def test_nothing_is_overwritten_without_permission(capsys, tmp_path, tiny):
    path = tmp_path / "there.xsb"
    path.write_text("mine")
    code, out, err = run(capsys, "levels", "convert", tiny, "--out", path)
    assert (code, out, err) == (1, "", f"gridpuzzles: {path}: already exists; use --force to overwrite it\n")
    assert path.read_text() == "mine"
    assert run(capsys, "levels", "convert", tiny, "--out", path, "--force")[0] == 0
    assert contents(path) == contents(tiny)
    code, _, err = run(capsys, "levels", "convert", path, "--out", path)
    assert code == 1


def test_import_a_page(capsys, tmp_path):
    page, out = tmp_path / "level.html", tmp_path / "mine.xsb"
    page.write_text(table())
    assert run(capsys, "levels", "import", page)[1].splitlines() == list(ROWS)
    assert run(capsys, "levels", "import", page, "--out", out)[0] == 0
    assert contents(out)[0][1] == ROWS
    page.write_text(table().replace("/wall.gif", "/7.gif"))
    code, _, err = run(capsys, "levels", "import", page)
    assert code == 2
    assert "unknown pictures '7'" in err
    assert err.count("\n") == 1
    assert run(capsys, "levels", "import", page, "--tile", "7=wall")[1].splitlines() == list(ROWS)


def test_import_what_was_copied(capsys, monkeypatch):
    piped(monkeypatch, "\n\n   #####\r\n   #@$.#\r\n   #####\n\n")
    assert run(capsys, "levels", "import", "-")[:2] == (0, "#####\n#@$.#\n#####\n")
    piped(monkeypatch, "5#|#@$.#|5#")
    assert run(capsys, "levels", "import", "-", "--to", "letters")[:2] == (0, "wwwww\nwPBGw\nwwwww\n")
    piped(monkeypatch, table())
    assert run(capsys, "levels", "import", "-")[1].splitlines() == list(ROWS)
    piped(monkeypatch, "#####\n#@* #\n#####\n")
    code, _, err = run(capsys, "levels", "import", "-")
    assert (code, "standard input:2:2: this level is solved already" in err) == (2, True)
    piped(monkeypatch, TINY)
    assert run(capsys, "levels", "convert", "-")[:2] == (0, TINY)


BAD_USAGE = {
    "no such file": (["convert", "nothing.xsb"], "no levels 'nothing.xsb'"),
    "no such page": (["import", "nothing.html"], "nothing.html cannot be read"),
    "no such format": (["convert", "first", "--to", "xbs"], "did you mean 'xsb'?"),
    "no such levels to count": (["stats", "nowhere"], "no levels 'nowhere': not a file, folder, bundled pack"),
    "no such levels to show": (["show", "hrad:3"], "did you mean 'hard'?"),
    "no such levels to solve": (["solve", "nothing.txt"], "no levels 'nothing.txt': not a file, folder, bundled pack"),
    "levels of some puzzle": (["show", "..|.."], "--puzzle"),
    "no such search": (["solve", "first", "--search", "a-star"], "'a-star' is not known for Sokoban"),
    "no search applies": (["solve", "textbook"], "not deterministic"),
    "no such parameter": (["solve", "first", "--search", "astar", "--param", "wait=2"], "'wait'"),
    "no time": (["solve", "first", "--seconds", "0"], "limit seconds=0"),
    "no such heuristic": (["solve", "first", "--heuristic", "manhatten"], "'manhatten' is not known"),
    "a tile without a meaning": (["import", "x.html", "--tile", "wall"], "must have the form NAME=WHAT"),
}


@pytest.mark.parametrize("puzzle", ["wumpus", "cat_mouse", "n_puzzle", "bait", "sokoban"])
def test_whose_levels_a_file_holds_is_seen(tmp_path, puzzle):
    """All levels that come along, under names that tell nothing, can be read as one puzzle's alone."""
    packs = sorted((importlib.resources.files("gridpuzzles_gym.levels") / puzzle).glob("*.txt"))
    assert packs
    for number, pack in enumerate(packs):
        path = tmp_path / f"{number}.txt"
        path.write_text(pack.read_text())
        assert puzzle_for(str(path), None).name == puzzle_for(f"{path}:1", None).name == puzzle


@pytest.mark.parametrize("puzzle", ["wumpus", "cat_mouse", "n_puzzle", "bait", "sokoban"])
def test_what_generate_made_is_understood(capsys, tmp_path, puzzle):
    path = tmp_path / "mine.txt"
    assert run(capsys, "generate", puzzle, "--count", 2, "--out", path)[0] == 0
    for command in ("check", "show", "stats"):
        assert run(capsys, "levels", command, path)[::2] == (0, "")


@pytest.mark.parametrize("arguments", [("check",), ("show",), ("stats",), ("solve",)])
def test_a_file_without_levels_is_named(capsys, tmp_path, arguments):
    path = tmp_path / "words.txt"
    path.write_text("Nothing but words here.\n")
    code, out, err = run(capsys, "levels", *arguments, path, "--puzzle", "sokoban")
    assert f"no level in '{path}'" in (out if code == 1 else err)


@pytest.mark.parametrize("case", BAD_USAGE)
def test_bad_usage_is_one_line(capsys, case):
    arguments, hint = BAD_USAGE[case]
    code, out, err = run(capsys, "levels", *arguments)
    assert code == 2
    assert hint in err
    assert err.startswith("gridpuzzles: ")
    assert err.count("\n") == 1
    assert out.strip() == ""


# -- solve ---------------------------------------------------------------------------------------


def test_solve_writes_a_table_of_plans_that_solve(capsys, tmp_path, tiny):
    table_file = tmp_path / "answers.csv"
    code, out, _ = run(capsys, "levels", "solve", tiny, "--search", "breadth-first", "--csv", table_file)
    assert code == 0
    assert "solved 2 of 2 levels, mean " in out
    assert f"wrote {table_file}" in out
    with table_file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["level", "pushes", "moves", "nodes", "seconds", "status", "proven", "solution"]
    assert [(row["level"], row["pushes"], row["moves"], row["solution"]) for row in rows] == [
        ("down", "1", "1", "D"), ("two", "3", "5", rows[1]["solution"]),
    ]  # fmt: skip
    assert all((row["status"], row["proven"]) == ("solved", "shortest") for row in rows)
    for row, level in zip(rows, find_levels(PUZZLE, tiny), strict=True):
        start = PUZZLE.encode(level, level.extent, PUZZLE.read_options())
        actions = read_lurd(row["solution"])
        assert write_lurd(*start, actions) == row["solution"]
        for action in actions:
            rules.step(*start, action, np.ones(1, np.uint64))
        assert rules.solved(*start)


def test_solve_prints_a_line_a_level(capsys, tiny):
    code, out, _ = run(capsys, "levels", "solve", f"{tiny}:2", "--search", "breadth-first", "--nodes", "1000")
    assert code == 0
    assert out.startswith("two: solved, 3 pushes, 5 moves, proven shortest, ")
    assert "solved 1 of 1 level" in out
    code, out, _ = run(capsys, "levels", "solve", "first", "--search", "breadth-first", "--nodes", "10")
    assert code == 0
    assert "limit: nodes, 10 nodes" in out
    assert "solved 0 of " in out


def test_solve_takes_any_puzzle(capsys, tmp_path):
    table_file = tmp_path / "tiles.csv"
    choice = ["classic", "--puzzle", "n_puzzle"]  # other puzzles have a pack of that name too
    assert run(capsys, "levels", "solve", *choice, "--search", "astar", "--csv", table_file)[0] == 0
    with table_file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["pushes"], row["moves"]) for row in rows] == [("", "5"), ("", "9"), ("", "12")]
    assert [len(row["solution"]) for row in rows] == [5, 9, 12]
    assert set("".join(row["solution"] for row in rows)) <= set("udlr")


def test_a_wrong_plan_is_found_out(capsys, monkeypatch, tiny):
    from gridpuzzles_gym.agents.search.problem import Problem

    monkeypatch.setattr(Problem, "reaches_goal", lambda problem, plan: False)
    code, _, err = run(capsys, "levels", "solve", tiny, "--search", "breadth-first")
    assert code == 1
    assert "down: the actions found by breadth-first do not solve it" in err


def test_ctrl_c_keeps_the_rows_that_are_done(capsys, tmp_path):
    hall = "; hall\n" + "#" * 20 + "\n" + ("#" + " " * 18 + "#\n") * 4 + "#  @ $ $ $  . . .  #\n"
    hall += ("#" + " " * 18 + "#\n") * 4 + "#" * 20 + "\n"
    path, table_file = tmp_path / "long.xsb", tmp_path / "answers.csv"
    path.write_text(TINY + "\n" + hall)
    run(capsys, "levels", "solve", path, "--search", "breadth-first", "--nodes", "10")  # compiles
    arguments = ["levels", "solve", str(path), "--search", "breadth-first", "--seconds", "30", "--workers", "1"]
    with ctrl_c(1):
        code = cli.run([*arguments, "--csv", str(table_file)])
    assert code == 130
    with table_file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["status"] for row in rows] == ["solved", "solved"]


def test_a_bad_level_is_reported_before_any_search(capsys, tmp_path):
    path, table_file = tmp_path / "bad.xsb", tmp_path / "answers.csv"
    path.write_text(BAD)
    code, _, err = run(capsys, "levels", "solve", path, "--strict", "--csv", table_file)
    assert (code, not table_file.exists()) == (2, True)
    assert f"{path}:8:3: 1 box but 0 goals" in err
    with pytest.raises(LevelError):
        find_levels(PUZZLE, path, strict=True)
