"""What the tasks for language models need to know about Cat and Mouse."""

import functools

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row

from ..puzzle_agents import PuzzleTasks
from .optimal import Solution, chain_of, solve
from .optimal import action_values as values_of


def action_values(level: Row, state: Row) -> npt.NDArray[np.float64]:
    """Return the optimal expected return of each action, float64[4]; empty if the episode has ended.

    Raises:
        ValueError: The maze has too many states, or no policy is certain to end an episode.
    """
    return values_of(_solution(level.tobytes()), level, state)


@functools.lru_cache(4)
def _solution(level: bytes) -> Solution:
    return solve(chain_of(np.frombuffer(level, np.int16)))


TASKS = PuzzleTasks(
    difficulties={
        "CatMouse-v0": {
            "best-action": {
                "easy": {"levels": {"size": 7, "loops": 1, "cats": 1}, "changes": (0, 12)},
                "medium": {"levels": {"size": 9, "loops": 2, "cats": 1}, "changes": (0, 24)},
                "hard": {"levels": {"size": [9, 7], "loops": 2, "cats": 2}, "changes": (0, 24)},
            }
        }
    },
    action_values=action_values,
)
"""The record."""
