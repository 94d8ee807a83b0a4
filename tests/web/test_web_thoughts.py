"""What the pages tell of an agent's thoughts is what Python tells."""

import json

import gymnasium as gym
import numpy as np
import pytest
from web_replay import module_files, run_jobs

import gridpuzzles_gym
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.thoughts import thoughts_of
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web import building

pytestmark = [pytest.mark.extended, pytest.mark.compiled]

STEPS, SEEDS = 30, (3, 8)
AGENTS = [
    (row.id, agent)
    for row in gridpuzzles_gym.ENVIRONMENTS
    for agent in agents_record(load_puzzle(row.puzzle)).kernels()
]
MISSING = {"value-iteration": {"path", "figures"}, "wall-follower": {"path"}, "wall-follower-left": {"path"}}
"""The thoughts that pages do not show, since they need more than the agent's memory."""


def episode_of(id, agent, seed):
    """Return the actions and thoughts of an episode in Python."""
    puzzle = gym.make(id).unwrapped.puzzle
    env = gym.make(id, observation=agents_record(puzzle).kernels()[agent].observation)
    policy = make_agent(agent, env, seed)
    view, _ = env.reset(seed=seed)
    state, start, over, found = None, np.ones(1, bool), False, []
    while not over and len(found) < STEPS:
        action, state = policy.predict(view, state, start)
        thoughts = thoughts_of(policy, view, state)
        found.append((int(np.asarray(action).item()), thoughts))
        view, _, terminated, truncated, _ = env.step(found[-1][0])
        over, start = terminated or truncated, np.zeros(1, bool)
    return found


def keyed(mapping):
    return {f"{row},{column}": each for (row, column), each in mapping.items()}


@pytest.mark.parametrize(("id", "agent"), AGENTS)
def test_thoughts_on_pages_equal_those_in_python(id, agent, site, tmp_path):
    row = next(row for row in gridpuzzles_gym.ENVIRONMENTS if row.id == id)
    puzzle = load_puzzle(row.puzzle)
    name = next(module.name for module in building.agent_modules([row]) if agent in module.description["agents"])
    files = module_files(building.MODULES, puzzle.name, id)
    files |= {"agent_wasm": building.MODULES / f"{name}.wasm", "agent_json": building.MODULES / f"{name}.json"}
    job = {"run": "thoughts", "files": files, "site": site.as_uri(), "puzzle": puzzle.name, "id": id, "agent": agent}
    jobs = [{**job, "seed": seed, "steps": STEPS} for seed in SEEDS]
    for one, result in zip(jobs, run_jobs(jobs, tmp_path), strict=True):
        found, expected = json.loads(result), episode_of(id, agent, one["seed"])
        assert [each["action"] for each in found] == [action for action, _ in expected]
        for each, (_, thoughts) in zip(found, expected, strict=True):
            missing = MISSING.get(agent, set())
            assert each.get("notes", {}) == keyed(thoughts.notes)
            assert each.get("values", {}) == pytest.approx(keyed(thoughts.values), abs=1e-12)
            assert each.get("valuesName", "") == thoughts.values_name
            assert each.get("probabilities", []) == pytest.approx(list(thoughts.probabilities))
            if "figures" not in missing:
                assert each.get("figures", {}) == dict(thoughts.figures)
            if "path" not in missing:
                assert each.get("path", []) == [list(square) for square in thoughts.path]
                assert each.get("legend", {}) == dict(thoughts.legend)
            else:
                assert each.get("legend", {}).items() <= dict(thoughts.legend).items()
