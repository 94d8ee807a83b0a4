"""A puzzle outside the suite, with agents of its own: everything finds them by the name in its record."""

import dataclasses
import json

import gymnasium as gym
import pytest
from helpers import TOY, puzzle_of, run

from gridpuzzles_gym.agents.puzzle_agents import PuzzleAgents, agents_record
from gridpuzzles_gym.agents.registry import agents_of, make_agent, observation_for
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.agents.search_tables import heuristic_named, heuristics_of, searches_of

PUZZLE = puzzle_of(TOY.id)


def test_the_tables_have_what_its_record_says():
    assert list(searches_of(PUZZLE, guided=True)) == list(SEARCHES), "it steps backwards too, and has none of its own"
    assert list(heuristics_of(PUZZLE)) == ["rows-and-columns", "zero"]
    assert heuristic_named(None, PUZZLE).name == "rows-and-columns"
    assert agents_of(PUZZLE) == ["random", "straight", *searches_of(PUZZLE)], "no network of the suite plays it"
    assert observation_for("straight", PUZZLE) == "planes"


@pytest.mark.parametrize("vector", [False, True])
def test_its_agent_plays(vector):
    level = "S..\n..G\n"
    env = gym.make_vec(TOY.id, num_envs=2, levels=level) if vector else gym.make(TOY.id, levels=level)
    agent = make_agent("straight", env)
    observation, _ = env.reset(seed=0)
    total = 0
    for _ in range(3):
        action, _ = agent.predict(observation)
        observation, reward, ended, _, _ = env.step(action)
        total += reward
    assert ended.all() if vector else ended
    assert (total == 997).all() if vector else total == 997


def test_the_commands_know_them(capsys):
    (entry,) = json.loads(run(capsys, "list", TOY.id, "--json")[1])
    assert entry["agents"]["straight"] == "walks towards the goal"
    assert list(entry["heuristics"]) == ["rows-and-columns", "zero"]
    assert entry["preset"] == "--set max_episode_steps=10 --hyper gamma=0.9 --hyper hidden=16"

    code, out, err = run(capsys, "solve", TOY.id, "--heuristic", "rows-and-columns", "--json")
    assert (code, err) == (0, "")
    assert [row["heuristic"] for row in json.loads(out)] == ["rows-and-columns"]

    command = ("compare", TOY.id, "--agent", "straight", "--agent", "astar", "--episodes", 20, "--json")
    straight, planner = json.loads(run(capsys, *command)[1])["scores"]
    assert planner["success"] == 1 > straight["success"] > 0, "a wall is in the way in one level of two"

    code, _, err = run(capsys, "solve", "sokoban", "--heuristic", "rows-and-columns")
    assert code == 2
    assert "rows-and-columns" in err


def elsewhere(tmp_path, monkeypatch, name, text):
    """The toy as a package of that name, whose module ``agents`` has this text; None: it has none."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    if text is not None:
        (tmp_path / name / "agents.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return dataclasses.replace(PUZZLE, module=name)


def test_a_puzzle_without_a_record_has_what_all_puzzles_have(tmp_path, monkeypatch):
    assert agents_record(elsewhere(tmp_path, monkeypatch, "bare_toy", None)) == PuzzleAgents()


def test_a_module_without_a_record_is_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"'empty_toy\.agents' has no PUZZLE_AGENTS"):
        agents_record(elsewhere(tmp_path, monkeypatch, "empty_toy", ""))
