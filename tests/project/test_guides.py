"""The guides: the files that they show are complete and do what the guide says, and no search is missing.

Whole files stand in blocks of ``py``, ``toml`` and ``text`` after their names; ``python`` is doctests (test_readme.py).
"""

import json
import re
import runpy
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from helpers import run

pytestmark = [pytest.mark.compiled, pytest.mark.extended]

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
NAME = r"`([\w/]+\.(?:py|toml|txt))`"
FILE = re.compile(rf"{NAME}(?:(?!{NAME}|^```).)*^```(?:py|toml|text)\n(.*?)^```", re.S | re.M)


def files(guide):
    """The files that a guide shows, by name."""
    return {found[1]: found[3] for found in FILE.finditer((GUIDES / guide).read_text())}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes the files of a guide into the current folder, from which packages can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(guide):
        for name, text in files(guide).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)

    return write


def test_the_sixth_puzzle_is_complete(written, capsys, recwarn):
    written("a-sixth-puzzle.md")
    runpy.run_path("try_it.py")
    printed = re.search(r"It prints,.*?```text\n(.*?)```", (GUIDES / "a-sixth-puzzle.md").read_text(), re.S)[1]
    assert capsys.readouterr().out == printed
    assert not recwarn.list

    import lights_out

    puzzle = lights_out.PUZZLE
    env = gym.make("LightsOut-v0", levels=Path("cross.txt").read_text(), render_mode="rgb_array")
    check_env(env.unwrapped)
    observation, _ = env.reset()
    for action in (4, 3, 4, 1, 4):  # onto the hole in the middle, where the cursor cannot go
        observation, *_ = env.step(action)
    level, state = puzzle.decode("planes", observation, (3, 3), env.unwrapped.options)
    scene = env.unwrapped.batch.scene(0)
    assert np.array_equal(level, scene.level)
    assert np.array_equal(state, scene.state)
    again = puzzle.encode(puzzle.parse(puzzle.format(level, state), "again")[0], (3, 3), None)
    assert all(map(np.array_equal, again, (level, state)))
    assert len(np.unique(env.render().reshape(-1, 3), axis=0)) > 3
    with pytest.raises(ValueError, match=r"level\[1\] is 0|state\[1\] is"):
        puzzle.check_rows(level, state + np.array([0, 1] + [0] * 9, np.int16), None)
    with pytest.raises(ValueError, match="cross:2:3: unknown symbol 'x'"):
        puzzle.parse("#o#\nO#x\n", "cross")


def test_the_commands_know_the_sixth_puzzle(written, capsys):
    written("a-sixth-puzzle.md")
    assert "cannot be solved" in run(capsys, "solve", "lights_out:LightsOut-v0", "--levels", "cross.txt")[1]
    compared = "compare", "lights_out:LightsOut-v0", "--agent", "random", "--agent", "astar"
    random, astar = json.loads(run(capsys, *compared, "--episodes", 20, "--json")[1])["scores"]
    assert random["success"] < astar["success"] == 1
    assert run(capsys, "generate", "lights_out:LightsOut-v0", "--count", 2)[0] == 0


def test_the_first_hour(written, capsys):
    written("first-hour.md")
    assert run(capsys, "levels", "check", "yard.txt")[1].startswith("ok  The yard  8×6")
    _, out, _ = run(capsys, "solve", "sokoban", "--levels", "yard.txt")
    text = (GUIDES / "first-hour.md").read_text()
    assert out.splitlines()[:2] == ["The yard: solved: 14 moves, proven shortest", "uluRRlldldRRRR"]
    assert "\n".join(out.splitlines()[:2]) in text
    compared = "compare", "cat-mouse", "--agent", "cautious.py", "--episodes", 100
    (cautious,) = json.loads(run(capsys, *compared, "--json")[1])["scores"]
    assert 0.85 < cautious["success"] < 1
