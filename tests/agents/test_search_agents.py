"""Searches as agents: they see what any agent sees, and play their plans."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import ROWS, check_predict, puzzle_of

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.models.trained_agent import pretrained_models
from gridpuzzles_gym.agents.registry import agent_entries, agents_of, make_agent
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_agent import SearchAgent
from gridpuzzles_gym.agents.search_tables import heuristic_named, heuristics_of, search_named, searches_of

PLANNERS = [name for name, entry in agent_entries(puzzle_of("EightPuzzle-v0")).items() if entry.search is not None]
FAST = {"max_episode_steps": 200, "scramble": 12}


def play(agent, env, seed, steps=200):
    """One episode: (actions, how it ended)."""
    observation, _ = env.reset(seed=seed)
    actions, memory, start = [], None, np.ones(1, bool)
    for _ in range(steps):
        action, memory = agent.predict(observation, memory, start)
        start = np.zeros(1, bool)
        actions.append(int(action))
        observation, _, terminated, truncated, info = env.step(int(action))
        if terminated or truncated:
            return actions, info["outcome"]
    return actions, Outcome.UNFINISHED


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("observation", ["planes", "symbols"])
def test_astar_plays_the_shortest_plan_from_what_it_sees(observation):
    env = gym.make("EightPuzzle-v0", observation=observation)
    agent = make_agent("astar", env)
    for seed in range(5):
        env.reset(seed=seed)
        problem = Problem.of(env)
        shortest = search_named("breadth-first", problem.puzzle).solve(problem, ZERO)
        actions, outcome = play(agent, env, seed)
        assert outcome == Outcome.SOLVED
        assert len(actions) == shortest.cost


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", PLANNERS)
def test_every_search_is_an_agent(name):
    env = gym.make_vec("EightPuzzle-v0", num_envs=3, **FAST)
    _, actions = check_predict(lambda env: make_agent(name, env, seed=1), env)
    env.reset(seed=1)
    masks = env.action_masks()
    assert masks[np.arange(3), actions].all()


def test_a_batch_plays_as_its_environments_alone():
    vector = gym.make_vec("EightPuzzle-v0", num_envs=4, autoreset_mode="Disabled", **FAST)
    agent = make_agent("greedy", vector)
    observation, _ = vector.reset(seed=3)
    memory, played = None, [[] for _ in range(4)]
    alive = np.ones(4, bool)
    while alive.any():
        actions, memory = agent.predict(observation, memory, ~alive)
        for i in np.flatnonzero(alive):
            played[i].append(int(actions[i]))
        observation, _, terminated, truncated, _ = vector.step(actions)
        alive &= ~(terminated | truncated)
        observation, _ = (
            vector.reset(options={"reset_mask": terminated | truncated})
            if (terminated | truncated).any()
            else (observation, None)
        )
    single = gym.make("EightPuzzle-v0", **FAST)
    for i in range(4):
        assert play(make_agent("greedy", single), single, 3 + i) == (played[i], Outcome.SOLVED)


def test_it_plans_again_where_a_plan_ends_early():
    """Two states expanded show two moves ahead at most."""
    env = gym.make("EightPuzzle-v0", scramble=4)
    agent = SearchAgent.for_env(env, "astar", limits=Limits(nodes=2))
    outcomes = [play(agent, env, seed)[1] for seed in range(10)]
    assert outcomes.count(Outcome.SOLVED) >= 8


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_searches_are_agents_where_nothing_is_left_to_chance(id):
    puzzle = puzzle_of(id)
    planners = [name for name, entry in agent_entries(puzzle).items() if entry.search is not None]
    assert sorted(planners) == sorted(searches_of(puzzle, guided=bool(pretrained_models(puzzle))))
    assert set(agents_of(puzzle, featured=True)) <= set(agents_of(puzzle))
    assert list(heuristics_of(puzzle))[-1] == "zero"


def test_what_does_not_apply_is_refused():
    wumpus, eight = gym.make("Wumpus-v0"), gym.make("EightPuzzle-v0")
    with pytest.raises(
        ValueError,
        match=r"'astar' plays n_puzzle and bait and .*, not wumpus; allowed for wumpus are random, .*online-search",
    ):
        make_agent("astar", wumpus)
    with pytest.raises(ValueError, match="'tile-ida-star' plays n_puzzle, not wumpus"):
        make_agent("tile-ida-star", wumpus)
    with pytest.raises(ValueError, match="Wumpus World is not deterministic"):
        search_named("astar", puzzle_of("Wumpus-v0"))
    with pytest.raises(ValueError, match="'star' is not known for Sliding tiles; did you mean 'astar'"):
        search_named("star", puzzle_of("EightPuzzle-v0"))
    with pytest.raises(ValueError, match=r"'manhatan' is not known .* linear-conflict"):
        heuristic_named("manhatan", puzzle_of("EightPuzzle-v0"))
    with pytest.raises(ValueError, match="every=0"):
        SearchAgent.for_env(eight, "astar", every=0)
    with pytest.raises(ValueError, match="does not show the full state"):
        SearchAgent.for_env(gym.make("Toy-v0", observation="place"), "astar")
    agent = make_agent("astar", eight)
    observation, _ = eight.reset(seed=0)
    with pytest.raises(ValueError, match="shape"):
        agent.predict(observation[:, :2])
    with pytest.raises(ValueError, match="board"):
        agent.predict(np.zeros_like(observation))
    _, memory = agent.predict(observation)
    with pytest.raises(ValueError, match="the state has 1 environments, the observation 2"):
        agent.predict(np.stack([observation, observation]), memory)
