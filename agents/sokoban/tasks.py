"""The tasks for language models about Sokoban."""

from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban.boards import grid

from ..puzzle_agents import PuzzleTasks, TaskSet, with_steps
from .corridors import LONGEST, corridors
from .generation.symmetry import canonical_key


def key(level: Row, state: Row) -> bytes:
    """Return the key of a position; see :func:`~.generation.symmetry.canonical_key`."""
    return canonical_key(grid(level, state))


_SOURCES: Mapping[str, Mapping[str, Any]] = {
    "easy": {"board": 7, "boxes": 1, "simulations": 30},
    "medium": {"board": 7, "boxes": 2, "simulations": 50},
    "hard": {"board": 8, "boxes": 3, "simulations": 100},
}

_LENGTHS = with_steps(
    _SOURCES,
    easy={"least_length": 4, "most_length": 14},
    medium={"least_length": 8, "most_length": 24},
    hard={"least_length": 20, "most_length": 60},
)

TASKS = PuzzleTasks(
    difficulties={
        "Sokoban-v0": {
            "plan": _LENGTHS,
            "shortest-plan": _LENGTHS,
            "best-action": _LENGTHS,
            "solvable": with_steps(
                _SOURCES,
                easy={"changes": [1, 2]},
                medium={"boxes": 3, "changes": [2, 5], "least_expanded": 3},
                hard={"boxes": 4, "changes": [3, 8], "least_expanded": 10},
            ),
        }
    },
    sets={"corridor": TaskSet(corridors, ("plan", "shortest-plan"), {"most_length": LONGEST})},
    key=key,
    counted=".$*",
)
"""The record."""
