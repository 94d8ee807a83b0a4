"""The models that come with the suite: the agent ``pretrained``, wherever an agent is named."""

import gymnasium as gym
import pytest
from helpers import PUZZLES, puzzle_of, run
from tiny_models import write_tiny_model

from gridpuzzles_gym import ENVIRONMENTS
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models import trained_agent as pretrained
from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.registry import (
    agent_entries,
    agents_of,
    compared_agents,
    load_agent,
    make_agent,
    observation_for,
)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A function that adds a model of an id to those that come along; at first there are none."""
    monkeypatch.setattr(pretrained, "_FOLDER", tmp_path / "pretrained")
    (tmp_path / "pretrained").mkdir()
    return lambda env_id, *args, **kwargs: write_tiny_model(
        tmp_path / "pretrained" / f"{env_id}.safetensors", env_id, *args, **kwargs
    )


def test_there_is_no_such_agent_without_a_file(shipped):
    for puzzle in PUZZLES.values():
        assert "pretrained" not in agent_entries(puzzle)
    with pytest.raises(ValueError, match="agent 'pretrained' is not known"):
        make_agent("pretrained", gym.make("EightPuzzle-v0"))
    shipped("Wumpus-v0")
    with pytest.raises(ValueError, match="agent 'pretrained' plays wumpus, not n_puzzle"):
        make_agent("pretrained", gym.make("EightPuzzle-v0"))


def test_it_is_an_agent_of_its_puzzle_and_plays_its_observation(shipped):
    shipped("Wumpus-v0", observation="percepts")
    puzzle = PUZZLES["wumpus"]
    assert agents_of(puzzle, featured=True)[:2] == ["random", "pretrained"]
    assert observation_for("pretrained", puzzle) == observation_for("pretrained", puzzle, "Wumpus-v0") == "percepts"
    assert pretrained.model_to_start("pretrained", "some.module:Wumpus-v0").name == "Wumpus-v0.safetensors"
    env = gym.make("Wumpus-v0", observation="percepts")
    observation, _ = env.reset(seed=3)
    for agent in (make_agent("pretrained", env, 4), load_agent("pretrained", env, 4)):
        assert agent.predict(observation)[0] in range(6)
    with pytest.raises(ValueError, match="that of Wumpus-v0 plays with observation='percepts'"):
        make_agent("pretrained", gym.make("Wumpus-v0"))


def test_each_environment_of_a_puzzle_gets_the_model_that_fits(shipped):
    shipped("EightPuzzle-v0")
    fifteen = gym.make("FifteenPuzzle-v0")
    with pytest.raises(
        ValueError, match=r"no pretrained model plays this .*: that of EightPuzzle-v0 plays observations"
    ):
        make_agent("pretrained", fifteen)
    assert "pretrained" not in compared_agents(Game.of("FifteenPuzzle-v0"))
    assert "pretrained" in compared_agents(Game.of("EightPuzzle-v0"))
    assert "pretrained" not in compared_agents(Game.of("EightPuzzle-v0", width=2))
    shipped("FifteenPuzzle-v0", observation="symbols")
    puzzle = puzzle_of("EightPuzzle-v0")
    assert observation_for("pretrained", puzzle, "EightPuzzle-v0") == "planes"
    assert observation_for("pretrained", puzzle, "FifteenPuzzle-v0") == "symbols"
    for env_id, seen in (("EightPuzzle-v0", "planes"), ("FifteenPuzzle-v0", "symbols")):
        env = gym.make(env_id, observation=seen)
        assert make_agent("pretrained", env).network.shape == env.observation_space.shape
    larger = gym.make("EightPuzzle-v0", width=4, height=4, observation="symbols")
    assert make_agent("pretrained", larger).network.shape == (1, 4, 4)


def test_the_models_that_come_along_are_small_and_say_all_about_themselves():
    ids = {row.id for row in ENVIRONMENTS}
    files = sorted(pretrained._FOLDER.glob("*"))
    assert {file.stem for file in files} == ids
    for file in files:
        assert file.suffix == ".safetensors"
        description = read_model(file).description
        assert description.env_id == file.stem
        assert load_agent("pretrained", gym.make(file.stem, observation=description.observation))
        assert description.command.startswith(("gridpuzzles train ", "python -m benchmarks.learning."))
        assert description.steps
        assert description.scores
        assert description.versions
        assert file.stat().st_size <= 10**6
    assert sum(file.stat().st_size for file in files) <= 6 * 10**6


def test_a_damaged_file_is_one_line(shipped, capsys):
    path = shipped("EightPuzzle-v0")
    path.write_bytes(path.read_bytes()[:-1])
    code, _, err = run(capsys, "compare", "tiles", "--agent", "pretrained", "--episodes", 2)
    assert (code, err.count("\n")) == (2, 1)
    assert "is damaged" in err
