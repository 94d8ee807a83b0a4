"""The walk-through of CONTRIBUTING.md: its commands make a puzzle with a heuristic and an agent."""

import re
import shutil
import subprocess

import pytest
from helpers import REPOSITORY, SOURCE, python

GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")

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

env = gym.make("Maze-v0", levels="S..\\n#..\\n..G\\n")
puzzle = config_of(env).puzzle
assert (puzzle.title, gridpuzzles_gym.__file__.startswith(sys.argv[2])) == ("Maze", True)
observation, info = env.reset(seed=0)
agent = gridpuzzles_gym.make_agent("straight", env)
action, _ = agent.predict(observation)
print(config_of(env).action_names[int(action)], "astar" in agents_of(puzzle))
result = search_named("astar", puzzle).solve(Problem.of(env), heuristic_named("rows-and-columns", puzzle))
print(result.status, result.cost, *agents_record(puzzle).presets)
"""


def block(language, beginning):
    """The code block that begins so, without its indentation in a list."""
    (found,) = (code for code in re.findall(rf"^ *```{language}\n(.*?)^ *```", GUIDE, re.M | re.S)
                if code.lstrip().startswith(beginning))  # fmt: skip
    return found


@pytest.fixture
def copied(tmp_path):
    """A checkout of links to this one, in which the commands of the first step have run."""
    package, agents = tmp_path / "src" / "gridpuzzles_gym", tmp_path / "agents"
    for folder, home in ((package, SOURCE), (package / "puzzles", SOURCE / "puzzles"), (agents, REPOSITORY / "agents")):
        folder.mkdir(parents=True)
        for path in home.iterdir():
            if path.name not in ("puzzles", "__pycache__") or home != SOURCE:
                (folder / path.name).symlink_to(path.resolve())
    (package / "agents").symlink_to(agents)
    (package / "levels").symlink_to(REPOSITORY / "levels")
    shutil.copytree(REPOSITORY / "examples" / "toy", tmp_path / "examples" / "toy")
    subprocess.run(["bash", "-e", "-c", block("bash", "cp ")], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.extended
def test_the_walk_through_makes_a_puzzle(copied):
    record = (copied / "src/gridpuzzles_gym/puzzles/maze/__init__.py").read_text(encoding="utf-8")
    assert 'name="maze"' in record
    row = block("python", "Environment(").strip().rstrip(",")
    source = copied / "src"
    said = python(PLAY, row, source, PYTHONPATH=str(source), PYTHONSAFEPATH="1").splitlines()
    assert said == ["down True", "solved 4 Maze-v0"]
