"""The tasks for language models about Sokoban."""

from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban.boards import grid

from ..puzzle_agents import PuzzleTasks
from .generation.candidates import canonical_key


def key(level: Row, state: Row) -> bytes:
    """Return the key of a position; see :func:`~.generation.candidates.canonical_key`."""
    return canonical_key(grid(level, state))


def _levels(size: int, boxes: int, simulations: int) -> Mapping[str, Any]:
    return {"size": size, "boxes": boxes, "simulations": simulations}


_PLANS = {
    "easy": {"levels": _levels(7, 1, 30), "least_length": 4, "most_length": 14},
    "medium": {"levels": _levels(7, 2, 50), "least_length": 8, "most_length": 24},
    "hard": {"levels": _levels(8, 3, 100), "least_length": 20, "most_length": 60},
}
_SOLVABLE = {
    "easy": {"levels": _levels(7, 1, 30), "changes": (1, 2)},
    "medium": {"levels": _levels(7, 3, 50), "changes": (2, 5), "least_expanded": 3},
    "hard": {"levels": _levels(8, 4, 100), "changes": (3, 8), "least_expanded": 10},
}

TASKS = PuzzleTasks(
    {"Sokoban-v0": {"plan": _PLANS, "best-action": _PLANS, "solvable": _SOLVABLE}},
    key=key,
    counted=".$*",
)
"""The record."""
