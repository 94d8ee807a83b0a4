"""Comparisons of agents: the same episodes for all, as a table, as CSV, as a chart."""

import csv
import dataclasses

import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.game import Game

pytest.importorskip("matplotlib")

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.registry import make_agent

QUIETLY = {"every_level": True, "progress": False}


def played_alone(env, agent, resets):
    """The return and the outcome of an episode after each of some resets, played one by one."""
    for arguments in resets:
        observation, info = env.reset(**arguments)
        memory, total, over = None, 0.0, False
        while not over:
            action, memory = agent.predict(observation, memory)
            observation, reward, terminated, truncated, info = env.step(action)
            total, over = total + float(reward), terminated or truncated
        yield total, info["outcome"]


@pytest.mark.extended
def test_everyone_plays_the_same_episodes():
    """The batch must not matter, and the scores are those of episodes played one by one."""
    few = compare("Wumpus-v0", ["online-search"], episodes=60, num_envs=7, seed=500, progress=False).scores[0]
    many = compare("Wumpus-v0", ["online-search-careful"], episodes=60, num_envs=64, seed=500, progress=False).scores[0]
    assert few.episodes == many.episodes == 60
    env = gym.make("Wumpus-v0")
    agent = make_agent("online-search-careful", env)
    resets = [{"seed": seed} for seed in range(500, 560)]
    returns, outcomes = zip(*played_alone(env, agent, resets), strict=True)
    assert many.mean_return == pytest.approx(np.mean(returns))
    assert many.success == outcomes.count(Outcome.SOLVED) / 60
    assert many.deaths == outcomes.count(Outcome.DIED) / 60
    assert many.timeouts == outcomes.count(Outcome.UNFINISHED) / 60
    assert many.interval == pytest.approx(1.96 * np.std(returns, ddof=1) / 60**0.5)


@pytest.mark.compiled
@pytest.mark.extended
def test_every_level_is_played_once():
    """The scores are those of the levels played one by one, whatever the size of the batch; all are played."""
    few, many = (
        compare(Game.of("Sokoban-v0", levels="first"), ["sokoban"], num_envs=num_envs, **QUIETLY)
        for num_envs in (7, 1024)
    )
    env = gym.make("Sokoban-v0", levels="first")
    agent = make_agent("sokoban", env)
    resets = [{"options": {"level": level}} for level in range(30)]
    returns = [total for total, _ in played_alone(env, agent, resets)]
    for comparison in few, many:
        assert comparison.scores[0].episodes == 30
        assert comparison.scores[0].mean_return == pytest.approx(np.mean(returns))
    assert "30 levels, each once" in few.table().title
    with pytest.raises(ValueError, match="Wumpus-v0 generates its levels"):
        compare("Wumpus-v0", ["random"], **QUIETLY)


def test_the_interval_of_success_is_wilsons():
    score = compare("CatMouse-v0", ["random"], episodes=20, progress=False).scores[0]
    for success, wanted in (1.0, 0.0806), (0.5, 0.2007), (0.0, 0.0806):  # R: prop.test(20, 20, correct=FALSE) …
        assert dataclasses.replace(score, success=success).success_interval == pytest.approx(wanted, abs=1e-3)


def test_the_comparison_as_table_csv_and_chart(tmp_path):
    comparison = compare("Wumpus-v0", ["random", "online-search"], episodes=30, progress=False)
    assert len(comparison.table().rows) == 2
    comparison.write_csv(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == ["random", "online-search"]
    assert float(rows[1]["mean_return"]) == comparison.scores[1].mean_return
    comparison.write_chart(tmp_path / "scores.png")
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")
