"""The toy maze's agents, optional: a heuristic for the searches, an agent of its own, and settings for training.

Commands, comparisons and training find the record ``PUZZLE_AGENTS`` by the puzzle's module.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.agents.policy import as_batch
from gridpuzzles_gym.agents.puzzle_agents import AgentEntry, Preset, PuzzleAgents
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.config import config_of

from .rules import GOAL, WIDTH

__all__ = ["PUZZLE_AGENTS", "Straight"]


@rule
def rows_and_columns(level, state, tables):
    """Return the distance to the goal without walls: a heuristic is a rule, too. It needs no tables."""
    here, goal, width = state[0], level[GOAL], level[WIDTH]
    return abs(here // width - goal // width) + abs(here % width - goal % width)


class Straight:
    """Walks to the goal's row, then along it, ignoring walls."""

    def __init__(self, env):
        """Accepts a single or a vector environment of the suite, whose observation is the planes."""
        self.shape = config_of(env).space.shape or ()

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        """Choose an action for one observation, or for a batch: Stable-Baselines3's interface."""
        boards, single = as_batch(observation, self.shape)
        actions = np.array([self.direction(*np.argwhere(board[1])[0], *np.argwhere(board[2])[0]) for board in boards])
        return (actions[0] if single else actions), state

    @staticmethod
    def direction(goal_row, goal_column, row, column):
        """Return the action."""
        if row != goal_row:
            return 1 if row < goal_row else 0
        return 3 if column < goal_column else 2


def heuristics():
    """Return the heuristics by name; the first is the default."""
    return {"rows-and-columns": Heuristic("rows-and-columns", "rows and columns to the goal", rows_and_columns)}


PUZZLE_AGENTS = PuzzleAgents(
    agents=(AgentEntry("straight", "walks towards the goal", lambda env, seed: Straight(env), "planes"),),
    heuristics=heuristics,
    presets={"Toy-v0": Preset({"gamma": 0.9, "hidden": 16}, {"max_episode_steps": 10})},
    symmetric=True,
)
