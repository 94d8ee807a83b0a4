"""Invalid levels among valid ones: the valid ones play, and one line says what was left out."""

import json
import re

import gymnasium as gym
import numpy as np
import pytest
from helpers import IDS, PUZZLES, run

from gridpuzzles_gym.agents.level_selection import select_levels
from gridpuzzles_gym.engine.levels.level_text import LevelWarning
from gridpuzzles_gym.engine.puzzle import LevelError

GOOD = {
    "wumpus": "A..W\n.P..\n..PG\n",
    "cat_mouse": "######\n#M..C#\n#...E#\n######\n",
    "bait": "wwwwww\nw.A..w\nw0k1gw\nwwwwww\n",
    "n_puzzle": "1 2 3\n4 5 6\n7 0 8\n",
    "sokoban": "######\n#@ $.#\n######\n",
}
TYPO = {
    "wumpus": "A..W\n.P.?\n..PG\n",
    "cat_mouse": "######\n#M..?#\n#...E#\n######\n",
    "bait": "wwwwww\nw.A.?w\nw0k1gw\nwwwwww\n",
    "n_puzzle": "1 2 3\n4 5 6\n7 7 8\n",
    "sokoban": "######\n#@ ?.#\n######\n",
}


def text_of(*boards):
    return "\n".join(boards)


@pytest.fixture(params=["sokoban", "wumpus"])
def spoilt(request, tmp_path):
    """A file of three levels, of which the second is invalid: the puzzle's name and the path."""
    name = request.param
    path = tmp_path / "spoilt.txt"
    path.write_text(text_of(GOOD[name], TYPO[name], "; last\n" + GOOD[name]))
    return name, path


def left_out(path, what, where):
    return rf"^{re.escape(str(path))}: {what} left out: {re.escape(str(path))}:{where}.*`gridpuzzles levels check "


def test_good_levels_play(spoilt):
    name, path = spoilt
    expected = left_out(path, "1 of 3 levels was", "[567]:")
    with pytest.warns(LevelWarning, match=expected):
        env = gym.make(IDS[name], levels=path)
    levels = env.unwrapped.config.levels
    assert [level.name for level in levels] == [f"{path}:1", "last"]
    for choice in (0, 1, "last"):
        env.reset(seed=0, options={"level": choice})
        env.step(0)
    with pytest.raises(ValueError, match="this environment has 2 levels"):
        env.reset(options={"level": 2})
    with pytest.warns(LevelWarning, match=expected):
        vector = gym.make_vec(IDS[name], num_envs=3, levels=path)
    vector.reset(seed=0)
    vector.step(np.zeros(3, int))
    assert [level.name for level in vector.unwrapped.config.levels] == [level.name for level in levels]


def test_strict_keeps_the_error(spoilt):
    name, path = spoilt
    for make in (gym.make, gym.make_vec):
        with pytest.raises(LevelError, match=re.escape(str(path))):
            make(IDS[name], levels=path, strict=True)
    with pytest.raises(ValueError, match="strict='yes'"):
        gym.make(IDS[name], levels=path, strict="yes")
    path.write_text(GOOD[name])
    env = gym.make(IDS[name], levels=path, strict=True)
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    assert spec.kwargs["strict"] is True
    path.write_text(text_of(GOOD[name], TYPO[name]))
    with pytest.raises(LevelError):
        gym.make(spec)


def test_numbers_count_every_board_of_a_file(spoilt):
    name, path = spoilt
    puzzle = PUZZLES[name]
    assert select_levels(puzzle, f"{path}:3").levels[0].name == "last"
    for number, message in ((2, re.escape(str(path))), (4, "has no level 4; it has 3 levels")):
        with pytest.raises(ValueError, match=message):
            select_levels(puzzle, f"{path}:{number}")


def test_commands_go_on_and_say_so_in_one_line(spoilt, capsys):
    name, path = spoilt
    said = rf"^gridpuzzles: {left_out(path, '1 of 3 levels was', '')[1:]}"
    for command in ("show", "stats"):
        code, out, err = run(capsys, "levels", command, path, "--puzzle", name)
        assert code == 0
        assert "last" in out
        assert re.match(said, err)
        assert err.count("\n") == 1
        code, _, err = run(capsys, "levels", command, path, "--puzzle", name, "--strict")
        assert (code, err.count("\n")) == (2, 1)
    assert run(capsys, "levels", "show", f"{path}:1", "--puzzle", name)[::2] == (0, "")
    assert run(capsys, "levels", "show", f"{path}:2", "--puzzle", name)[0] == 2
    code, out, err = run(capsys, "levels", "check", path, "--puzzle", name)
    assert (code, err) == (1, "")
    assert "3 levels, 1 invalid" in out


# -- a folder of collections as people publish them ---------------------------------------------

PUSH = "#####\n#@$.#\n#####\n"
OPEN, SOLVED, WIDE = (
    "####\n#@$.\n####\n",
    "####\n#@*#\n####\n",
    "#" * 300 + "\n#@$." + " " * 295 + "#\n" + "#" * 300 + "\n",
)
FILES = {
    "one/classic.xsb": text_of("; 1\n" + PUSH, "; 2\n" + SOLVED, "; 3\n" + PUSH, "; 4\n" + WIDE, "; 5\n" + OPEN),
    "one/set.sok": f"Title: The set\n\nfirst\n{PUSH}\nsecond\n{PUSH.replace('@', '?')}\nthird\n{PUSH}",
    "two/pack.lvl": text_of(PUSH, PUSH.replace(".", " ")),
    "two/runs.rle": "5#|#@$.#|5#\n",
    "two/page.txt": "<html><body>no levels here</body></html>\n",
    "readme.md": "# Levels\n\nby somebody\n",
    "picture.png": "\x89PNG\x00\x01",
    "grades.csv": "level,moves\n1,2\n",
}
PLAYABLE = 6


@pytest.fixture
def published(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "published" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="latin-1")
    (tmp_path / "published" / "two" / "bytes.txt").write_bytes(b"\xff\xfe\x00#\x00")
    return tmp_path / "published"


def test_a_folder_of_collections_opens_and_plays(published, capsys):
    said = r"published: 5 of 11 levels and 2 files were left out: .*classic.xsb:8:2: this level is solved"
    with pytest.warns(LevelWarning, match=said):
        env = gym.make("Sokoban-v0", levels=published)
    levels = env.unwrapped.config.levels
    assert len(levels) == PLAYABLE
    assert [level.name for level in levels][:4] == ["1", "3", "first", "third"]
    for index in range(PLAYABLE):
        env.reset(seed=0, options={"level": index})
        assert env.step(3)[2]
    code, out, err = run(capsys, "levels", "solve", published, "--puzzle", "sokoban")
    assert (code, f"solved {PLAYABLE} of {PLAYABLE} levels" in out, err.count("\n")) == (0, True, 1)
    code, out, _ = run(capsys, "levels", "check", published, "--puzzle", "sokoban", "--json")
    rows = json.loads(out)
    assert (code, sum(bool(row["error"]) for row in rows)) == (1, 7)
    assert sum(not row["error"] for row in rows) == PLAYABLE
    converted = run(capsys, "levels", "convert", published)
    assert converted[1].count("@") > PLAYABLE  # converting needs no playable levels
    with pytest.raises(LevelError):
        gym.make("Sokoban-v0", levels=published, strict=True)
