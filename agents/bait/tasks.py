"""What the tasks for language models need to know about Bait."""

from ..puzzle_agents import PuzzleTasks

_PLANS = {
    "easy": {"levels": {"size": 7, "difficulty": 1}, "least_length": 4, "most_length": 14},
    "medium": {"levels": {"size": 8, "difficulty": 2}, "least_length": 12, "most_length": 32},
    "hard": {"levels": {"size": 10, "difficulty": 3}, "least_length": 24, "most_length": 80},
}
_SOLVABLE = {
    "easy": {"levels": {"size": 7, "difficulty": 1}, "changes": (1, 3)},
    "medium": {"levels": {"size": 8, "difficulty": 2}, "changes": (1, 4), "least_expanded": 3},
    "hard": {"levels": {"size": 9, "difficulty": 3}, "changes": (2, 6), "least_expanded": 10},
}

TASKS = PuzzleTasks(
    {"Bait-v0": {"plan": _PLANS, "best-action": _PLANS, "solvable": _SOLVABLE}},
    counted="01k%*g",
)
"""The record."""
