"""What the agents that follow a plan tell of it: against what they do next, and against other agents."""

import itertools

import gymnasium as gym
import numpy as np
import pytest

from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.thoughts import LINE, Thoughts, thoughts_of

MAZES = ({}, {"maze": "random", "size": 9, "cats": 0}, {"maze": "random", "size": 7, "cats": 2})


def played(env, agent, seed, most=60):
    """Yield (thoughts, action, square before, square after) of an episode."""
    place = env.unwrapped.puzzle.gestures.actor
    observation, _ = env.reset(seed=seed)
    assert thoughts_of(agent, observation, None) == Thoughts()
    state, start, over = None, np.ones(1, bool), False
    while not over and most:
        action, state = agent.predict(observation, state, start)
        thoughts, before = thoughts_of(agent, observation, state), env.unwrapped.scene()
        observation, _, terminated, truncated, _ = env.step(action)
        after = env.unwrapped.scene()
        yield thoughts, int(action), place(before.level, before.state), place(after.level, after.state)
        start, over, most = np.zeros(1, bool), terminated or truncated, most - 1


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("settings", MAZES)
@pytest.mark.parametrize("name", ["shortest-path"])
def test_a_path_begins_with_the_step_that_is_taken(name, settings):
    env = gym.make("CatMouse-v0", **settings)
    agent, moved = make_agent(name, env), 0
    for seed in range(4):
        for thoughts, _, here, there in played(env, agent, seed):
            assert thoughts.path[0] == here
            assert LINE in thoughts.legend
            if there != here:
                assert thoughts.path[1] == there
                moved += 1
            else:
                assert len(thoughts.path) == 1
            assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in itertools.pairwise(thoughts.path))
    assert moved > 10


@pytest.mark.extended
def test_the_optimal_agent_and_the_bayesian_one_compute_the_same_odds():
    env = gym.make("Wumpus-v0", size=3, pits=1)
    optimal, bayesian = make_agent("optimal", env), make_agent("bayesian", env)
    compared = 0
    for seed in range(40):
        percepts, _ = env.reset(seed=seed)
        ours = others = None
        start, over = np.ones(1, bool), False
        while not over:
            action, ours = optimal.predict(percepts, ours, start)
            _, others = bayesian.predict(percepts, others, start)
            others, start = bayesian.acted(others, np.array([action])), np.zeros(1, bool)
            told, reference = optimal.thoughts(percepts, ours), bayesian.thoughts(percepts, others)
            for square, danger in told.values.items():
                assert danger == pytest.approx(reference.values[square], abs=1e-9)
                assert told.notes[square] == reference.notes[square]
                compared += 1
            percepts, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
    assert compared > 300
