"""What the tests of text environments and of adapters share: the suite's agents, and how they do on their own."""

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.registry import load_agent

CERTAIN = {"EightPuzzle-v0": "astar", "FifteenPuzzle-v0": "weighted-astar", "Sokoban-v0": "sokoban", "Bait-v0": "astar"}
"""Agents that solve every level of a puzzle."""
BY_CHANCE = {"Wumpus-v0": "online-search", "CatMouse-v0": "shortest-path"}
"""Agents of puzzles in which luck decides."""
AGENTS = CERTAIN | BY_CHANCE
SETTINGS = {
    "Bait-v0": {"levels": ["wwwwwww\nwA1.k.w\nw...g.w\nwwwwwww\n"]},
    "FifteenPuzzle-v0": {"scramble": 8},
    "Sokoban-v0": {"levels": "starter"},
}
"""Environments with levels that are quick to solve."""


def own_results(env_id, seeds, **settings):
    """(score, steps, success) of the agent on the environment itself, an episode a seed."""
    env = gym.make_vec(env_id, num_envs=1, autoreset_mode="Disabled", **settings)
    agent, results = load_agent(AGENTS[env_id], env, 0), []
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        state, score, steps, over = None, 0.0, 0, False
        while not over:
            action, state = agent.predict(observation, state, np.array([steps == 0]))
            observation, rewards, terminated, truncated, infos = env.step(action)
            score, steps, over = score + float(rewards[0]), steps + 1, bool(terminated[0] or truncated[0])
        results.append((score, steps, bool(infos["is_success"][0])))
    return results
