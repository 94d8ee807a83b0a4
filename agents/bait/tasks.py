"""What the tasks for language models need to know about Bait."""

from collections.abc import Mapping
from typing import Any

from ..puzzle_agents import PuzzleTasks, with_steps

_SOURCES: Mapping[str, Mapping[str, Any]] = {
    "easy": {"board": 7, "holes": 1},
    "medium": {"board": 8, "holes": 2},
    "hard": {"board": 10, "holes": 3},
}

_LENGTHS = with_steps(
    _SOURCES,
    easy={"least_length": 4, "most_length": 14},
    medium={"least_length": 12, "most_length": 32},
    hard={"least_length": 24, "most_length": 80},
)

TASKS = PuzzleTasks(
    difficulties={
        "Bait-v0": {
            "plan": _LENGTHS,
            "shortest-plan": _LENGTHS,
            "best-action": _LENGTHS,
            "solvable": with_steps(
                _SOURCES,
                easy={"changes": [1, 3]},
                medium={"changes": [1, 4], "least_expanded": 3},
                hard={"board": 9, "changes": [2, 6], "least_expanded": 10},
            ),
        }
    },
    counted="01k%*g",
    renamed={"holes": "difficulty"},  # a data set has a difficulty of its own
)
"""The record."""
