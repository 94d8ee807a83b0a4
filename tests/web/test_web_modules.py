"""The built modules of the web play as Python does, bit for bit, and are as new as the rules."""

import json
import os

import gymnasium as gym
import pytest
from web_replay import assert_same, module_files, random_actions, recorded, run_jobs, watched

import gridpuzzles_gym
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web import building, searches

pytestmark = [pytest.mark.extended, pytest.mark.compiled]

STEPS = int(os.environ.get("GRIDPUZZLES_WEB_STEPS", "400"))
"""Steps of random play for each environment and observation; 100,000 for the figures of docs/web.md."""
ROWS = {row.id: row for row in gridpuzzles_gym.ENVIRONMENTS}


PLAYERS = [(row.id, agent) for row in ROWS.values() for agent in agents_record(load_puzzle(row.puzzle)).kernels()]


def test_modules_are_as_new_as_the_rules():
    assert building.outdated(building.all_modules()) == [], "`make web` builds them again"


@pytest.mark.parametrize("id", ROWS)
def test_random_play_is_the_same(id, tmp_path):
    """Rewards, ends, masks, metrics, rows and every observation; undo changes nothing."""
    puzzle = load_puzzle(ROWS[id].puzzle)
    actions = random_actions(id, STEPS, seed=3)
    files = module_files(building.MODULES, puzzle.name, id)
    jobs = [
        {"run": "replay", "files": files, "id": id, "seed": seed, "actions": actions, "observation": name}
        for seed, name in enumerate(puzzle.observations, start=2**40)
    ]
    for job, found in zip(jobs, run_jobs(jobs, tmp_path), strict=True):
        assert_same(recorded(id, job["observation"], job["seed"], actions), found)


@pytest.mark.parametrize(("id", "agent"), PLAYERS)
def test_agents_choose_the_same(id, agent, tmp_path):
    puzzle = load_puzzle(ROWS[id].puzzle)
    files = module_files(building.MODULES, puzzle.name, id)
    name = next(module.name for module in building.agent_modules([ROWS[id]]) if agent in module.description["agents"])
    files |= {"agent_wasm": building.MODULES / f"{name}.wasm", "agent_json": building.MODULES / f"{name}.json"}
    steps = STEPS // 2
    job = {"run": "watch", "files": files, "id": id, "agent": agent, "seed": 5, "steps": steps}
    observation = agents_record(puzzle).kernels()[agent].observation
    (found,) = run_jobs([job], tmp_path)
    assert found == watched(id, observation, agent, 5, steps)


SEARCHED = [
    (id, heuristic)
    for id, row in ROWS.items()
    if load_puzzle(row.puzzle).deterministic
    for heuristic in searches.heuristics(load_puzzle(row.puzzle))
]
MOST = 10_000
"""States that a search may expand: enough for arrays to grow."""


@pytest.mark.parametrize(("id", "heuristic"), SEARCHED)
def test_searches_find_the_same(id, heuristic, tmp_path):
    """Status, plan and the number of states expanded."""
    puzzle = load_puzzle(ROWS[id].puzzle)
    files = {kind: building.MODULES / f"{puzzle.name}.search.{kind}" for kind in ("wasm", "json")}
    jobs, expected = [], []
    env = gym.make(id)
    for seed, search in enumerate(searches.ORDERS):
        env.reset(seed=seed)
        problem = Problem.of(env)
        rows = {"level": problem.level.tolist(), "state": problem.state.tolist(), "actions": len(problem.costs)}
        names = {"search": search, "heuristic": heuristic}
        jobs.append({"run": "solve", "files": files, "id": id, "most": MOST, **names, **rows})
        chosen = search_named(search, puzzle), heuristic_named(heuristic, puzzle)
        result = chosen[0].solve(problem, chosen[1], Limits(nodes=MOST))
        status = {"limit": "paused"}.get(result.status, result.status)
        expected.append({"status": status, "plan": list(result.actions), "expanded": result.expanded})
    assert [json.loads(found) for found in run_jobs(jobs, tmp_path)] == expected


SOLVED = [(id, search) for id, row in ROWS.items() for search in agents_record(load_puzzle(row.puzzle)).solvers()]


@pytest.mark.parametrize(("id", "search"), SOLVED)
def test_searches_of_a_puzzles_own_find_the_same(id, search, tmp_path):
    """Of levels that the first of several searches in turns solves."""
    puzzle = load_puzzle(ROWS[id].puzzle)
    files = {kind: building.MODULES / f"{puzzle.name}.search.{kind}" for kind in ("wasm", "json")}
    jobs, expected = [], []
    env = gym.make(id)
    for seed in range(6):
        env.reset(seed=seed)
        problem = Problem.of(env)
        rows = {"level": problem.level.tolist(), "state": problem.state.tolist()}
        jobs.append({"run": "solveAtOnce", "files": files, "search": search, "most": 3000, **rows})
        result = search_named(search, puzzle).solve(problem, heuristic_named(None, puzzle), Limits(nodes=3000))
        expected.append({"status": result.status, "plan": list(result.actions), "expanded": result.expanded})
    assert [json.loads(found) for found in run_jobs(jobs, tmp_path)] == expected
    assert any(result["status"] == "solved" for result in expected)
