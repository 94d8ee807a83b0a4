"""Progress as a reward: what the potential is, and that it changes no optimal policy."""

import dataclasses
import json
import random
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from shaping import GAMMAS, LIMIT, PUZZLES, cases, changes
from toy import PUZZLE

from gridpuzzles_gym.agents.search_tables import optimal_searches_of
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.env import PuzzleEnv
from gridpuzzles_gym.engine.puzzle import UNFINISHED
from gridpuzzles_gym.registration import ENVIRONMENTS
from gridpuzzles_gym.text import rewards
from gridpuzzles_gym.text.rewards import Potential, shaped

GOLDEN = Path(__file__).with_name("text_potentials.json")
WALKS = {
    "Sokoban-v0": ({}, 300_000),
    "Sokoban-v0 few nodes": ({}, 200),
    "Bait-v0": ({}, 20_000),
    "EightPuzzle-v0": ({}, 300_000),
    "FifteenPuzzle-v0": ({}, 20_000),
    "FifteenPuzzle-v0 scrambled": ({"scramble": 30}, 300_000),
    "CatMouse-v0": ({}, 1),
    "CatMouse-v0 random": ({"maze": "random", "cats": 2, "size": 7}, 1),
    "CatMouse-v0 blocked": ({"cat_blocked": True}, 1),
    "Wumpus-v0": ({}, 1),
    "Wumpus-v0 textbook": ({"climb": True, "reward": "textbook"}, 1),
}
"""The seeded walks of the golden file: settings, and the limit of nodes."""


def rows(env):
    scene = env.unwrapped.batch.scene(0)
    return scene.level, scene.state


def walk(name):
    """The potentials along three short seeded walks."""
    settings, nodes = WALKS[name]
    env = gym.make(name.split()[0], **settings)
    potential = Potential(config_of(env), nodes)
    found = []
    for seed in range(3):
        rng = random.Random(seed)
        env.reset(seed=seed)
        found.append([potential(*rows(env))])
        for _ in range(8):
            *_, terminated, truncated, _ = env.step(rng.randrange(env.action_space.n))
            found[-1].append(potential(*rows(env)))
            if terminated or truncated:
                break
    return found


@pytest.mark.parametrize("name", WALKS)
def test_potentials_are_those_of_the_golden_file(name):
    assert walk(name) == json.loads(GOLDEN.read_text())[name]


@pytest.mark.parametrize("name", PUZZLES)
def test_shaping_leaves_the_optimal_actions_of_every_state_unchanged(name):
    choices = 0
    for _, problem, potential in cases(name, 4):
        potentials = problem.potentials(potential)
        assert np.ptp(potentials) > 0
        choices += (~problem.optimal(1.0)).any(axis=1).sum()
        for gamma in GAMMAS:
            assert changes(problem, potentials, 1.0, gamma) == 0
            assert changes(problem, potentials, 0.01, gamma) == 0
    assert choices > 100


def test_other_ways_to_reward_progress_would_change_them():
    one_way, at_the_end = 0, 0
    for _, problem, potential in cases("bait", 6):
        potentials = problem.potentials(potential)
        shaping = np.maximum(problem.shaping(potentials, 100.0, 0.99), 0)  # no loss for going back
        one_way += (problem.optimal(0.99) != problem.optimal(0.99, shaping)).any()
        potentials[-1] = -50.0  # not 0 at the end of an episode
        at_the_end += changes(problem, potentials, 100.0, 0.99) > 0
    assert min(one_way, at_the_end) >= 5


@pytest.mark.parametrize("name", ["sokoban", "n_puzzle", "bait", "wumpus"])
def test_the_potential_is_minus_the_length_of_a_shortest_solution(name):
    lost = 0
    for _, problem, potential in cases(name, 6, seed=1):
        expected = -np.minimum(problem.distances(), LIMIT)
        assert problem.potentials(potential)[:-1].tolist() == expected.tolist()
        lost += (expected == -LIMIT).sum()
    assert (lost > 0) == (name in ("sokoban", "bait"))


def test_the_potential_of_cat_and_mouse_is_the_optimal_expected_return():
    for _, problem, potential in cases("cat_mouse", 8, seed=1):
        expected = problem.action_values(1.0).max(axis=1)
        assert abs(problem.potentials(potential)[:-1] - expected).max() < 2e-6


@pytest.mark.parametrize(
    ("env_id", "settings", "actions", "outcome"),
    [
        ("Sokoban-v0", {"levels": ["#####\n#@$.#\n#####"]}, [3], "solved"),
        ("Bait-v0", {"levels": ["wwww\nwA0w\nwkgw\nwwww"]}, [3], "died"),
        ("CatMouse-v0", {"levels": ["####\n#ME#\n####"]}, [3], "solved"),
        ("Wumpus-v0", {"levels": ["AP\n.G"]}, [2], "died"),
        ("Wumpus-v0", {"levels": ["A.\n.G"], "climb": True}, [6], "left"),
    ],
)
def test_it_is_zero_at_every_end(env_id, settings, actions, outcome):
    env = gym.make(env_id, **settings)
    potential = Potential(config_of(env))
    env.reset(seed=0)
    assert potential(*rows(env)) != 0
    for action in actions:
        *_, info = env.step(action)
    assert info["outcome"] == outcome
    assert potential(*rows(env)) == 0


def test_without_a_solution_it_is_minus_the_step_limit():
    boards = ["#######\n#     #\n#.@$  #\n#     #\n#######"]
    for settings, lost in (({"max_episode_steps": 70}, -70), ({}, -120), ({"max_episode_steps": -1}, -1000)):
        env = gym.make("Sokoban-v0", levels=boards, **settings)
        env.reset(seed=0)
        potential = Potential(config_of(env))
        assert potential(*rows(env)) == -6
        for action in (3, 3):
            env.step(action)
        assert potential(*rows(env)) == lost


def test_a_solution_longer_than_an_episode_is_worth_no_less():
    env = gym.make("Sokoban-v0", levels=["##########\n#@     $.#\n##########"], max_episode_steps=4)
    env.reset(seed=0)
    assert Potential(config_of(env))(*rows(env)) == -4


def test_a_search_that_reaches_its_limit_is_replaced_by_the_estimate():
    env = gym.make("FifteenPuzzle-v0")
    env.reset(seed=1)
    few, many = Potential(config_of(env), 1)(*rows(env)), Potential(config_of(env), 1000)(*rows(env))
    assert few == many
    assert -60 < few < -20


def test_mazes_with_too_many_states_are_valued_as_if_without_cats():
    env = gym.make("CatMouse-v0", maze="random", cats=7, size=15)
    env.reset(seed=0)
    value = Potential(config_of(env))(*rows(env))
    assert 900 < value < 1000
    assert value == int(value)


def test_the_searches_prove_their_solutions():
    for row in ENVIRONMENTS:
        puzzle = gym.make(row.id).unwrapped.puzzle
        assert bool(optimal_searches_of(puzzle)) == puzzle.deterministic


def without_agents(puzzle):
    """The puzzle as one from elsewhere, which has no record of agents."""
    return dataclasses.replace(puzzle, module="elsewhere")


def test_puzzles_that_nothing_solves_are_refused():
    config = config_of(gym.make("Wumpus-v0"))
    config = dataclasses.replace(config, puzzle=without_agents(config.puzzle))
    with pytest.raises(ValueError, match="has no potential: its transitions are not deterministic"):
        Potential(config)


def test_a_puzzle_without_a_record_is_searched():
    env = PuzzleEnv(without_agents(PUZZLE))
    env.reset(seed=0)
    level, state = rows(env)
    assert env.puzzle.rules.outcome(level, state) == UNFINISHED
    found = Potential(config_of(env))(level, state)
    assert -10 < found < 0
    assert Potential(config_of(env), 1)(level, state) == -1000  # nothing is known


def test_invalid_limits_are_refused():
    config = config_of(gym.make("Bait-v0"))
    with pytest.raises(ValueError, match="nodes=0: must be an integer"):
        Potential(config, 0)


def test_old_states_are_forgotten(monkeypatch):
    monkeypatch.setattr(rewards, "_CACHE_SIZE", 3)
    env = gym.make("EightPuzzle-v0")
    potential = Potential(config_of(env))
    for seed in range(6):
        env.reset(seed=seed)
        potential(*rows(env))
    assert len(potential._known) == 3


def test_the_shaped_reward():
    assert shaped(-1.0, -10.0, -9.0) == 0.0
    assert shaped(-1.0, -10.0, -9.0, weight=0.5, gamma=0.9) == -1 + 0.5 * (-8.1 + 10)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({name: walk(name) for name in WALKS}, indent=1) + "\n")
