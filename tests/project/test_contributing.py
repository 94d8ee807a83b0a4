"""The walk-through of CONTRIBUTING.md: its commands and files make a puzzle with a heuristic and an agent."""

import re
import shlex
import shutil

import pytest
from helpers import REPOSITORY, SOURCE, python

GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {
    "__init__.py": '"""Heuristics, agents',
    "heuristics.py": '"""Heuristics for',
    "straight.py": '"""An agent that',
}
"""The files of ``agents/maze``, by how they begin."""

PLAY = """
import sys
import gridpuzzles_gym
from gridpuzzles_gym.registration import Environment, register
register(eval(sys.argv[1]))

import gymnasium as gym
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.config import config_of

env = gym.make("Maze-v0", levels="wwwww\\nwA.gw\\nw.k.w\\nwwwww\\n")
puzzle = config_of(env).puzzle
assert (puzzle.title, gridpuzzles_gym.__file__.startswith(sys.argv[2])) == ("Maze", True)
observation, info = env.reset(seed=0)
agent = gridpuzzles_gym.make_agent("straight", env)
action, _ = agent.predict(observation)
print(config_of(env).action_names[int(action)], "astar" in agents_of(puzzle))
result = search_named("astar", puzzle).solve(Problem.of(env), heuristic_named("goals-left", puzzle))
print(result.status, result.cost, *agents_record(puzzle).presets)
"""


def block(beginning):
    """The Python block that begins so; blocks in a list are indented."""
    (found,) = (code for code in re.findall(r"^ *```python\n(.*?)^ *```", GUIDE, re.M | re.S)
                if code.lstrip().startswith(beginning))  # fmt: skip
    return found


@pytest.fixture
def copied(tmp_path):
    """The package with the copy of the first step, as ``sed`` renames it, and with the files of its agents."""
    package = tmp_path / "gridpuzzles_gym"
    package.mkdir()
    for path in SOURCE.iterdir():
        if path.name not in ("puzzles", "agents", "levels", "__pycache__"):
            (package / path.name).symlink_to(path.resolve())
    homes = {"puzzles": SOURCE / "puzzles", "agents": REPOSITORY / "agents", "levels": REPOSITORY / "levels"}
    for name, home in homes.items():
        (package / name).mkdir()
        for path in home.iterdir():
            if path.name != "__pycache__":
                (package / name / path.name).symlink_to(path.resolve())
    maze = shutil.copytree(SOURCE / "puzzles" / "bait", package / "puzzles" / "maze")
    record = maze / "__init__.py"
    (renaming,) = re.findall(r"sed -i ('.*?')", GUIDE)
    text = record.read_text(encoding="utf-8")
    for command in shlex.split(renaming)[0].split("; "):
        _, old, new, _ = command.split("/")
        assert re.search(old, text), command
        text = re.sub(old, new, text)
    record.write_text(text, encoding="utf-8")
    shutil.copytree(REPOSITORY / "levels" / "bait", package / "levels" / "maze")
    (package / "agents" / "maze").mkdir()
    for name, beginning in FILES.items():
        (package / "agents" / "maze" / name).write_text(block(beginning), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_walk_through_makes_a_puzzle(copied):
    row = block("Environment(").strip().rstrip(",")
    said = python(PLAY, row, copied, PYTHONPATH=str(copied), PYTHONSAFEPATH="1").splitlines()
    assert said == ["right True", "solved 4 Maze-v0"]


def test_every_python_block_is_tried():
    assert GUIDE.count("```python\n") == len(FILES) + 1
