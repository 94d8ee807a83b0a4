"""Recorded episodes are still episodes: the rules end them where the recording ends."""

import json

import gymnasium as gym
import pytest

import gridpuzzles_gym
from gridpuzzles_gym.agents.search_tables import searches_of
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web import assembly, recorded

EACH = 1
"""How many episodes of each agent and source are played again."""
IDS = {load_puzzle(row.puzzle).name: row.id for row in reversed(gridpuzzles_gym.ENVIRONMENTS)}
FILES = {name: assembly.SITE / "recorded" / f"{name}.json" for name in IDS}
RECORDED = [
    (name, agent, source)
    for name, file in FILES.items()
    if file.is_file()
    for agent, sources in json.loads(file.read_text(encoding="utf-8")).items()
    for source in sources
]


@pytest.mark.parametrize(("name", "agent", "source"), RECORDED)
def test_what_is_recorded_is_an_episode(name, agent, source):
    puzzle = load_puzzle(gym.spec(IDS[name]).kwargs["puzzle"])
    episodes = json.loads(FILES[name].read_text(encoding="utf-8"))[agent][source]
    levels = None if source in gym.registry else find_levels(puzzle, source)
    assert len(episodes) == (recorded.SEEDS if levels is None else len(levels))
    known = [number for number, episode in enumerate(episodes) if episode is not None]
    for number in known[:EACH]:
        own = {} if levels is None else {"levels": [levels[number]]}
        env = gym.make(IDS[name], disable_env_checker=True, **own)
        env.reset(seed=number if levels is None else 0)
        ends = [env.step(int(action))[2:] for action in episodes[number]]
        assert not any(terminated or truncated for terminated, truncated, _ in ends[:-1])
        terminated, truncated, info = ends[-1]
        assert terminated or truncated
        if agent in searches_of(puzzle):
            assert info["outcome"] == "solved"


def test_every_agent_runs_or_is_recorded():
    for name, id in IDS.items():
        puzzle = load_puzzle(gym.spec(id).kwargs["puzzle"])
        assert assembly._recorded_of(puzzle).keys() <= set(recorded.missing_agents(puzzle)), name
    assert assembly._recorded_of(load_puzzle(gym.spec("Wumpus-v0").kwargs["puzzle"])) == {"optimal": ["Wumpus-v0"]}


def test_a_small_recording(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "missing_agents", lambda puzzle: ["breadth-first", "original-depth-first"])
    (path,) = recorded.write(["Bait-v0"], tmp_path)
    found = json.loads(path.read_text())
    stored = json.loads(FILES["bait"].read_text())
    assert found == {agent: stored[agent] for agent in found}
    assert set(found) == {"breadth-first", "original-depth-first"}
