"""Levels at the command line: the puzzle of a file, invalid levels among valid ones, text read back, and JSON."""

import json

import gymnasium as gym
import pytest
from helpers import BAD, PUZZLES, TINY, piped, run

from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.left_out import LevelWarning
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.play.session import Session

SPOILT = {
    "wumpus": "; x\nA..W\n.P.?\n..PG\n",
    "cat_mouse": "; x\n######\n#M..?#\n#.CE.#\n######\n",
    "n_puzzle": "; x\n1 2 3\n4 x 6\n7 8 0\n",
    "bait": "; x\nwwwwww\nw.A.?w\nw0k1gw\nwwwwww\n",
    "sokoban": "; x\n#####\n#@ .#\n# ?$#\n#####\n",
}


@pytest.fixture
def mixed(tmp_path):
    path = tmp_path / "mixed.xsb"
    path.write_text(BAD.replace("; good", "; first\n######\n#@ $.#\n######\n\n; good"))
    return path


@pytest.mark.parametrize("puzzle", SPOILT)
def test_the_puzzle_of_a_bad_file_is_guessed(capsys, monkeypatch, tmp_path, puzzle):
    path = tmp_path / "spoilt.txt"
    path.write_text(SPOILT[puzzle])
    code, out, err = run(capsys, "levels", "check", path)
    assert (code, err) == (1, "")
    assert f"detected {PUZZLES[puzzle].title} levels by their symbols; use --puzzle to override" in out
    assert "1 level, 1 invalid" in out
    piped(monkeypatch, SPOILT[puzzle])
    assert "invalid  standard input:" in run(capsys, "levels", "check", "-")[1]


def test_what_looks_like_no_puzzle_is_not_guessed(capsys, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("Hello & goodbye!\n")
    code, _, err = run(capsys, "levels", "check", path)
    assert (code, "use --puzzle with one of" in err, err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_what_show_prints_is_read_back(capsys, monkeypatch, puzzle):
    for pack in [name for name in bundled(PUZZLES[puzzle]) if "-test" not in name][:3]:
        choice = [pack, "--puzzle", puzzle] if pack not in ("medium", "hard", "easy") else [f"{pack}:1"]
        code, shown, _ = run(capsys, "levels", "show", *choice)
        assert code == 0
        piped(monkeypatch, shown)
        code, out, _ = run(capsys, "levels", "check", "-", "--json")
        assert (code, {row["puzzle"] for row in json.loads(out)}) == (0, {puzzle})
        again = PUZZLES[puzzle].parse(shown, "t")
        assert [row["name"] for row in json.loads(out)] == [level.name for level in again]


def test_packs_can_be_checked(capsys):
    assert run(capsys, "levels", "check", "lessons")[0] == 0
    code, out, _ = run(capsys, "levels", "check", "first:2")
    assert (code, out.split()[-4:]) == (0, ["1", "level,", "0", "invalid"])
    code, _, err = run(capsys, "levels", "check", "frist")
    assert (code, "did you mean 'first'" in err) == (2, True)


def test_bad_levels_are_left_out_of_play(capsys, mixed):
    with pytest.warns(LevelWarning, match=r"mixed.xsb: 2 of 4 levels were left out: .*:13:3: 1 box but 0 goals"):
        session = Session("Sokoban-v0", str(mixed), seed=0)
    assert session.level_count == 2
    session.begin()
    assert session.scene().title == "first"
    assert Session("Sokoban-v0", f"{mixed}:2", seed=0).level_count == 1
    for number, message in ((3, "1 box but 0 goals"), (5, "has no level 5; it has 4 levels, counted from 1")):
        with pytest.raises(ValueError, match=message):
            Session("Sokoban-v0", f"{mixed}:{number}")
    with pytest.raises(LevelError, match="1 box but 0 goals"):
        gym.make("Sokoban-v0", levels=mixed, strict=True)


def test_convert_picks_a_level(capsys, mixed):
    whole, second = run(capsys, "levels", "convert", "first")[1], run(capsys, "levels", "convert", "first:2")[1]
    assert second.strip()
    assert second in whole
    assert run(capsys, "levels", "convert", f"{mixed}:1")[1] == "; first\n######\n#@ $.#\n######\n"
    err = run(capsys, "levels", "convert", f"{mixed}:9")[2]
    assert f"{mixed} has no level 9; it has 4 levels, counted from 1" in err


def test_json(capsys, tmp_path, mixed):
    rows = json.loads(run(capsys, "levels", "check", mixed, "--json")[1])
    assert [(row["name"], bool(row["error"])) for row in rows] == [
        ("first", False), ("good", False), ("bad", True), ("open", True),
    ]  # fmt: skip
    tiny = tmp_path / "tiny.xsb"
    tiny.write_text(TINY)
    rows = json.loads(run(capsys, "levels", "stats", tiny, "--json")[1])
    assert rows[0] == {
        "name": "down", "height": 5, "width": 4,
        "squares": {"wall": 14, "floor": 6, "goal": 1, "box": 1, "player": 1},
    }  # fmt: skip
    row = json.loads(run(capsys, "levels", "solve", tiny, "--search", "breadth-first", "--json")[1])[0]
    assert (row["level"], row["solved"], row["solution"]) == ("down", True, "D")


def test_plans_of_sokoban_are_lurd_in_solve(capsys, tmp_path):
    tiny = tmp_path / "tiny.xsb"
    tiny.write_text(TINY)
    arguments = ["solve", "Sokoban-v0", "--levels", f"{tiny}:1", "--search", "breadth-first"]
    out = run(capsys, *arguments)[1].splitlines()
    assert out[:2] == ["down: solved: 1 move, proven shortest", "D"]
    assert json.loads(run(capsys, *arguments, "--json")[1])[0]["solution"] == "D"
