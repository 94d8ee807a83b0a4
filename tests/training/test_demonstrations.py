"""Datasets of demonstrations: Minari reads them, and they are the same however they came about."""

import runpy
import sys

import gymnasium as gym
import minari
import numpy as np
import pytest
from helpers import CORRIDOR, REPOSITORY, ROWS, puzzle_of
from tiny_models import write_tiny_model

from gridpuzzles_gym.agents.demonstrations import CHUNK, Play, demonstrate
from gridpuzzles_gym.agents.evaluation import AGENT_SEED
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.parallel import local
from gridpuzzles_gym.agents.registry import load_agent, observation_for

SMALL = {"size": 3, "pits": 1, "max_episode_steps": 9}


def play_episodes(env_id, agent, seeds, **settings):
    return Play(Game.of(env_id, **settings), agent, False, False)(seeds)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def episodes_of(dataset):
    return list(dataset), list(dataset.storage.get_episode_metadata(range(len(dataset))))


def same_episodes(one, other):
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        for name in ("observations", "actions", "rewards", "terminations", "truncations"):
            assert np.array_equal(getattr(left, name), getattr(right, name)), name
    return True


def check_recovered(id, observation):
    settings = {"observation": observation, "max_episode_steps": 12}
    dataset = demonstrate("any/small-v0", id, "random", 3, 7, **settings)
    episodes, more = episodes_of(dataset)
    env = dataset.recover_environment()
    assert (env.spec.id, env.spec.max_episode_steps) == (id, 12)
    assert (env.observation_space, env.action_space) == (dataset.observation_space, dataset.action_space)
    assert [each["seed"] for each in more] == [7, 8, 9]
    for episode, about in zip(episodes, more, strict=True):
        seen, info = env.reset(seed=int(about["seed"]))
        states, infos, steps = [seen], [info], []
        for action in episode.actions:
            seen, *step, info = env.step(action)
            states.append(seen)
            infos.append(info)
            steps.append(step)
        assert np.array_equal(episode.observations, states)
        assert episode.observations.dtype == seen.dtype
        rewards, terminations, truncations = zip(*steps, strict=True)
        assert np.array_equal(episode.rewards, rewards)
        assert np.array_equal(episode.terminations, terminations)
        assert np.array_equal(episode.truncations, truncations)
        assert episode.infos.keys() == info.keys()
        for name, values in episode.infos.items():
            told = [each[name] for each in infos]
            assert np.array_equal(values, told), name
    minari.delete_dataset("any/small-v0")


def test_the_recovered_environment_plays_the_same_episodes():
    check_recovered("Wumpus-v0", "percepts")
    check_recovered("Toy-v0", "planes")


@pytest.mark.extended
@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_every_recovered_environment_plays_the_same_episodes(id):
    for observation in puzzle_of(id).observations:
        check_recovered(id, observation)


def test_a_second_call_plays_what_is_missing_and_no_other():
    whole = demonstrate("whole/small-v0", "Wumpus-v0", "random", CHUNK + 5, **SMALL)
    demonstrate("parts/small-v0", "Wumpus-v0", "random", 7, **SMALL)
    parts = demonstrate("parts/small-v0", "Wumpus-v0", "random", CHUNK + 5, **SMALL)
    assert same_episodes(list(whole), list(parts))
    assert len(demonstrate("parts/small-v0", "Wumpus-v0", "random", 3, **SMALL)) == CHUNK + 5
    with pytest.raises(ValueError, match=r"dataset 'parts/small-v0' exists and was made with .*random"):
        demonstrate("parts/small-v0", "Wumpus-v0", "random", 50, **SMALL | {"size": 4})
    for settings, message in (
        ({"agent": "nobody", "episodes": 1}, "nobody"),
        ({"agent": "random", "episodes": 0}, "episodes=0: must be an integer from 1 to"),
        ({"agent": "random", "episodes": 1, "pits": 99}, "pits=99"),
    ):
        with pytest.raises(ValueError, match=message):
            demonstrate("new/small-v0", "Wumpus-v0", **settings)
    assert "new/small-v0" not in minari.list_local_datasets()


@pytest.mark.extended
def test_the_number_of_processes_does_not_matter():
    one = demonstrate("one/small-v0", "Wumpus-v0", "random", 3 * CHUNK + 5, **SMALL)
    with local(2) as executor:
        two = demonstrate("two/small-v0", "Wumpus-v0", "random", 3 * CHUNK + 5, executor=executor, **SMALL)
    assert same_episodes(list(one), list(two))


def test_only_successes():
    corridor = {"levels": CORRIDOR, "max_episode_steps": 3}
    every = play_episodes("Sokoban-v0", "random", range(20), **corridor)
    solved = [episode.seed for episode in every if episode.solved]
    assert 0 < len(solved) < 20
    dataset = demonstrate("corridor/some-v0", "Sokoban-v0", "random", 20, only_successes=True, **corridor)
    assert [each["seed"] for each in episodes_of(dataset)[1]] == solved
    with pytest.raises(ValueError, match="none of the 5 episodes was solved"):
        demonstrate("corridor/none-v0", "Wumpus-v0", "random", 5, only_successes=True, max_episode_steps=1)


def test_the_agent_may_see_more_than_the_dataset_shows():
    (episode,) = play_episodes("Wumpus-v0", "online-search", range(1), observation="percepts", **SMALL)
    assert episode.observations.shape[1:] == (5,)


@pytest.mark.extended
def test_the_example_clones(monkeypatch, capsys, tmp_path):
    demonstrate("clone/small-v0", "Wumpus-v0", "random", 40, **SMALL)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "clone" / "small-v0" / "data"), "2", "20"])
    runpy.run_path(str(REPOSITORY / "examples" / "clone_demonstrations.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert "epoch 2: loss" in out
    assert "return " in out


@pytest.mark.extended
def test_the_example_writes_onnx(monkeypatch, tmp_path):
    pytest.importorskip("stable_baselines3")
    onnx = pytest.importorskip("onnx")
    monkeypatch.setattr(sys, "argv", ["", "--steps", "2048", "--out", str(tmp_path / "a.onnx")])
    runpy.run_path(str(REPOSITORY / "examples" / "export_onnx.py"), run_name="__main__")
    assert [output.name for output in onnx.load(str(tmp_path / "a.onnx")).graph.output] == ["logits", "value"]


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("id", "agent", "settings"),
    [
        ("Wumpus-v0", "random", {}),
        ("Wumpus-v0", "online-search", {"observation": "percepts"}),
        ("CatMouse-v0", "uct", {"max_episode_steps": 12}),
        ("EightPuzzle-v0", "mcts", {"scramble": 3}),
        ("Wumpus-v0", {"observation": "percepts"}, {}),
        ("EightPuzzle-v0", {"masks": True, "scramble": [1, 4]}, {"observation": "symbols", "scramble": [1, 4]}),
    ],
    ids=str,
)
def test_agents_play_as_they_do_alone(id, agent, settings, tmp_path):
    """Their randomness, memory and action masks are those of the episode, whatever else is played at the same time."""
    if isinstance(agent, dict):
        agent = str(write_tiny_model(tmp_path / "model.safetensors", id, **agent))
    for episode in play_episodes(id, agent, range(3, 7), **settings):
        needed = observation_for(agent, puzzle_of(id), id)
        env = gym.make(id, **settings | ({"observation": needed} if needed else {}))
        policy, memory, starts = load_agent(agent, env, AGENT_SEED + episode.seed), None, np.ones(1, bool)
        seen, _ = env.reset(seed=episode.seed)
        for action in episode.actions:
            own, memory = policy.predict(seen[None], memory, starts, False)
            assert own[0] == action
            seen, starts = env.step(action)[0], np.zeros(1, bool)
