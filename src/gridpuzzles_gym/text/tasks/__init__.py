"""Single-turn tasks with exact verifiers, and data sets of them, generated from a seed.

``TaskDataset("plan", "Sokoban-v0", size=1000, seed=7, difficulty="medium")`` has a thousand items: a prompt, a correct
answer, measured difficulty, and a score from 0 to 1 for any reply. ``TASKS`` lists the tasks, :func:`tasks_for` those
of an environment, ``DIFFICULTIES`` the difficulties; :func:`read_items` reads the file that
:meth:`TaskDataset.write` has written.
"""

from .dataset import DIFFICULTIES, Item, TaskDataset, read_items, score, tasks_for
from .kinds import TASKS

__all__ = ["DIFFICULTIES", "TASKS", "Item", "TaskDataset", "read_items", "score", "tasks_for"]
