"""The agents of the table keep the contract of ``predict()``."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import check_predict, puzzle_of

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.models.trained_agent import PRETRAINED
from gridpuzzles_gym.agents.policy import RandomAgent, as_batch
from gridpuzzles_gym.agents.registry import agents_of, make_agent
from gridpuzzles_gym.agents.wumpus.online_search import OnlineSearch

OBSERVATIONS = ("percepts", "planes", "egocentric")


@pytest.mark.extended
@pytest.mark.parametrize("name", [name for name in agents_of(puzzle_of("Wumpus-v0")) if name != PRETRAINED])
@pytest.mark.parametrize("kind", OBSERVATIONS)
def test_predict_keeps_the_contract(name, kind):
    small = {"size": 3, "pits": 1} if name == "optimal" else {}  # solved in a second
    env = gym.make_vec("Wumpus-v0", num_envs=3, observation=kind, **small)
    check_predict(lambda env: make_agent(name, env, seed=1), env)


def test_floating_point_numbers_are_cast_only_if_none_changes():
    for numbers, kind in (([0.0, 255.0], np.uint8), ([0.5, 1.0], float), ([-1.0, 1.0], float), ([np.nan, 1.0], float)):
        batch, single = as_batch(np.array(numbers), (2,))
        assert (batch.dtype, single) == (kind, True)
        assert np.array_equal(batch[0], numbers, equal_nan=True)


def test_unknown_agents_are_refused():
    env = gym.make("Wumpus-v0")
    with pytest.raises(ValueError, match=r"'nobody' is not known; allowed for wumpus are random, .*online-search"):
        make_agent("nobody", env)
    with pytest.raises(ValueError, match="'certain' is not known; allowed are 'original', 'sound'"):
        OnlineSearch.for_env(env.unwrapped, marks="certain")


def test_random_agent_is_uniform_and_reproducible():
    agent = RandomAgent(6, (5,), seed=4)
    observation, state, counts = np.zeros((1000, 5), np.int8), None, np.zeros(6)
    for _ in range(60):
        actions, state = agent.predict(observation, state)
        counts += np.bincount(actions, minlength=6)
    assert abs(counts / 60_000 - 1 / 6).max() < 0.006
    single, alone = RandomAgent(6, (5,), seed=4 + 7), None
    lane, together = RandomAgent(6, (5,), seed=4), None
    for _ in range(20):
        action, alone = single.predict(observation[0], alone)
        actions, together = lane.predict(observation[:10], together)
        assert action == actions[7]
