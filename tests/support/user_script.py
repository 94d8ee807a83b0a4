"""What a user's own script may look like: `make types` checks it with mypy --strict, and the tests run it."""

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

import gridpuzzles_gym
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.policy import Policy
from gridpuzzles_gym.agents.samplers import Curriculum, GeneratedLevels
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.env import PuzzleEnv
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv


def single() -> float:
    """Play an episode by random legal actions; returns the sum of rewards."""
    env = gym.make("Wumpus-v0", observation="percepts")
    inner = env.unwrapped
    assert isinstance(inner, PuzzleEnv)
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    total, over = 0.0, False
    while not over:
        masks: npt.NDArray[np.bool_] = inner.action_masks()
        action = int(env.action_space.sample(mask=info["action_mask"]))
        assert masks[action]
        _, reward, terminated, truncated, info = env.step(action)
        total, over = total + float(reward), terminated or truncated
    return total


def many() -> npt.NDArray[np.float64]:
    """Step a curriculum of the 8-puzzle; returns the sums of rewards."""
    stages = [GeneratedLevels("EightPuzzle-v0", scramble=moves) for moves in ((1, 5), (6, 12))]
    made = gym.make_vec("EightPuzzle-v0", num_envs=8, levels=Curriculum(stages))
    assert isinstance(made, PuzzleVectorEnv)
    agent: Policy = gridpuzzles_gym.make_agent("astar", made)
    observations, _ = made.reset(seed=0)
    totals = np.zeros(8)
    for _ in range(20):
        actions, _ = agent.predict(observations)
        observations, rewards, _, _, _ = made.step(np.asarray(actions))
        totals += rewards
    made.close()
    return totals


def searched() -> list[int]:
    """Solve a level of Sokoban by A*; returns the actions."""
    env: gym.Env[Any, Any] = gym.make("Sokoban-v0", levels="first")
    env.reset(seed=0, options={"level": 0})
    problem = Problem.of(env)
    search, heuristic = search_named("astar", problem.puzzle), heuristic_named(None, problem.puzzle)
    result = search.solve(problem, heuristic, Limits(nodes=100_000))
    assert problem.reaches_goal(result.actions)
    return list(result.actions)


def compared() -> float:
    """Compare two agents of Cat and Mouse; returns the second's mean return."""
    report = compare("CatMouse-v0", ["random", "value-iteration"], 200, progress=False)
    return report.scores[1].mean_return


if __name__ == "__main__":
    print(single(), many().mean(), len(searched()), compared())
