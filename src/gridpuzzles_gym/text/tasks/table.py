"""The table of tasks."""

from collections.abc import Mapping

from .best_action import BEST_ACTION
from .plans import PLAN, SHORTEST_PLAN
from .safe_squares import SAFE_SQUARES
from .solvable import SOLVABLE
from .task import Task

TASKS: Mapping[str, Task] = {task.name: task for task in (PLAN, SHORTEST_PLAN, SOLVABLE, SAFE_SQUARES, BEST_ACTION)}
"""All tasks by name."""
