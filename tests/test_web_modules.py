"""The built modules of the web play as Python does, bit for bit, and are as new as the rules."""

import os

import pytest
from web_replay import assert_same, module_files, random_actions, recorded, run_jobs

import gridpuzzles_gym
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web import building

STEPS = int(os.environ.get("GRIDPUZZLES_WEB_STEPS", "400"))
"""Steps of random play for each environment and observation: the issue's figure is 100,000."""
ROWS = {row.id: row for row in gridpuzzles_gym.ENVIRONMENTS}


def test_modules_are_as_new_as_the_rules():
    assert building.outdated(building.puzzle_modules()) == [], "`make web` builds them again"


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
