"""An agent in a file of the user's own: named by its file, it plays wherever an agent is named."""

import json

import gymnasium as gym
import numpy as np
import pytest
from helpers import run

from gridpuzzles_gym.agents.registry import load_agent, observation_for
from gridpuzzles_gym.engine.puzzle import load_puzzle

PUZZLE = load_puzzle("gridpuzzles_gym.puzzles.cat_mouse")
DOWN = """
import numpy as np

class Down:
    observation = "symbols"

    def __init__(self, env):
        self.shape = env.unwrapped.config.space.shape

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        actions = np.full(observation.shape[: observation.ndim - len(self.shape)], 1)
        return actions, state
"""
SIMPLE = """
class Counting:
    observation = "symbols"

    def __init__(self, task):
        self.actions, self.steps = task.actions, 0

    def reset(self):
        self.steps = 0

    def predict(self, observation, action_masks):
        return 1
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes a file into the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="agent.py"):
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.mark.compiled
@pytest.mark.extended
def test_it_plays_in_the_commands(written, capsys):
    file = written(DOWN)
    code, out, err = run(capsys, "compare", "cat-mouse", "--agent", file, "--episodes", 40, "--json")
    assert (code, err) == (0, "")
    (score,) = json.loads(out)["scores"]
    assert (score["agent"], score["episodes"], score["success"]) == (file, 40, 0)
    code, out, _ = run(capsys, "watch", "cat-mouse", "--agent", f"{file}:Down", "--record", "film.gif", "--seed", 1)
    assert code == 0
    assert "wrote film.gif" in out


def test_a_simple_agent_plays_one_environment_with_each_of_its_objects(written, capsys):
    rule = "self.steps += 1\n        return self.steps % 4"
    file = written(SIMPLE.replace("return 1", rule))
    envs = gym.make_vec("CatMouse-v0", num_envs=3, observation="symbols")
    agent, seen = load_agent(file, envs), envs.reset(seed=0)[0]
    actions, memory = agent.predict(seen)
    assert actions.tolist() == [1, 1, 1]
    actions, memory = agent.predict(seen, memory, np.array([False, True, False]))
    assert actions.tolist() == [2, 1, 2]
    single = gym.make("CatMouse-v0", observation="symbols")
    action, _ = load_agent(file, single).predict(single.reset(seed=0)[0])
    assert action == 1
    code, out, err = run(capsys, "compare", "cat-mouse", "--agent", file, "--episodes", 9, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["scores"][0]["episodes"] == 9


@pytest.mark.parametrize("count", [None, 3])
def test_it_is_made_with_the_observation_it_names(written, count):
    file = written(DOWN)
    needed = observation_for(file, PUZZLE)
    assert needed == "symbols"
    env = gym.make("CatMouse-v0", observation=needed)
    if count is not None:
        env = gym.make_vec("CatMouse-v0", num_envs=count, observation=needed)
    agent = load_agent(file, env)
    action, memory = agent.predict(env.reset(seed=0)[0], None)
    assert memory is None
    assert np.array_equal(action, 1 if count is None else [1, 1, 1])


@pytest.mark.parametrize(
    ("text", "agent", "message"),
    [
        ("x = 1", "agent.py", "agent.py: no class with a method `predict`"),
        (DOWN, "agent.py:Up", "agent.py: no class 'Up' with a method `predict`; it has Down"),
        (DOWN + "\nclass Two(Down): pass", "agent.py", "agent.py has several agents: agent.py:Down, agent.py:Two"),
        (DOWN, "other.py", "other.py: no such file"),
        (DOWN.replace("class Down:", "class Down"), "agent.py", "agent.py:4: SyntaxError: expected ':'"),
        ("import numpy\n1 / 0", "agent.py", "agent.py:2: ZeroDivisionError: division by zero"),
        (
            DOWN.replace("symbols", "planets"),
            "agent.py",
            "observation = 'planets'; allowed for Cat and Mouse are planes",
        ),
        (DOWN.replace("(self, env)", "(self, maze)"), "agent.py", "agent.py: TypeError: Down.__init__() missing 1"),
        (SIMPLE.replace("return 1", "raise SystemExit(3)"), "agent.py", "agent.py:12: SystemExit: 3"),
        ("import sys\nsys.exit(3)", "agent.py", "agent.py:2: SystemExit: 3"),
        (SIMPLE.replace("return 1", "return 1.5"), "agent.py", "predict returned float: an action is one integer"),
        (SIMPLE.replace("return 1", "return 1 / 0"), "agent.py", "agent.py:12: ZeroDivisionError"),
        (SIMPLE.replace("(self, task)", "(self, task=3 / 0)"), "agent.py", "agent.py:5: ZeroDivisionError"),
        (DOWN.replace("self.shape =", "self.shape = env.shade #"), "agent.py", "agent.py:8: AttributeError: "),
        (DOWN.replace("np.full", "np.fill"), "agent.py", "agent.py:11: AttributeError: "),
        (
            DOWN.replace("return actions, state", "return actions"),
            "agent.py",
            "predict must return two values, (actions",
        ),
        (DOWN.replace("return actions", "return actions[:3]"), "agent.py", "shape (40,), not int64, shape (3,)"),
        (
            DOWN.replace("return actions", "return actions / 2"),
            "agent.py",
            "integer actions of shape (40,), not float64",
        ),
        (DOWN.replace(", 1)", ", 4)"), "agent.py", "is out of range; allowed are 0 up, 1 down"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(written, capsys, text, agent, message):
    written(text)
    code, _, err = run(capsys, "compare", "cat-mouse", "--agent", agent, "--episodes", 40)
    assert code == 2
    assert message in err
    assert "bug" not in err
