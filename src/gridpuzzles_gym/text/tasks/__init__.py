"""Single-turn tasks with exact verifiers, and data sets of them, generated from a seed.

``TaskDataset("shortest-plan", "Sokoban-v0", size=1000, seed=7, difficulty="medium")`` has a thousand items: a prompt,
a correct answer, measured difficulty, and a score from 0 to 1 for any reply. ``TASKS`` lists the tasks,
:func:`tasks_for` those of an environment, ``DIFFICULTIES`` the difficulties.
"""

from .dataset import TaskDataset, score
from .settings import DIFFICULTIES, tasks_for
from .table import TASKS
from .task import Item, Task

__all__ = ["DIFFICULTIES", "TASKS", "Item", "Task", "TaskDataset", "score", "tasks_for"]
