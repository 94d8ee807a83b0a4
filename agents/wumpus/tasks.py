"""What the tasks for language models need to know about the Wumpus World."""

import numpy as np

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus.rules import CELLS, GOLD, HEIGHT, PIT, START, WALL, WIDTH, WUMPUS
from gridpuzzles_gym.puzzles.wumpus.text import format_level

from ..orientations import first_orientation
from ..puzzle_agents import PuzzleTasks

_LEGEND = """
. an empty square, W the wumpus, P a pit, G the gold, # rock
^ > v < you, facing up, right, down or left
"""


def key(level: Row, state: Row) -> bytes:
    """Return a key that is equal for caves with the same contents, start and gold, also if turned or mirrored."""
    cells = (level[CELLS:] & (WALL | PIT | WUMPUS)).astype(np.uint8)
    cells[level[START]] |= 1 << 4
    if state[GOLD] >= 0:
        cells[state[GOLD]] |= 1 << 5
    return first_orientation(cells.reshape(level[HEIGHT], level[WIDTH]))


def picture(level: Row, state: Row) -> str:
    """Return the whole cave as text, with a legend."""
    return f"{format_level(level, state)}{_LEGEND}"


_PLANS = {
    "easy": {"levels": {"size": 4, "pits": 3}, "least_length": 4, "most_length": 14},
    "medium": {"levels": {"size": 5, "pits": 5}, "least_length": 12, "most_length": 24},
    "hard": {"levels": {"size": 7, "pits": 12}, "least_length": 20, "most_length": 60},
}

TASKS = PuzzleTasks({"Wumpus-v0": {"plan": _PLANS}}, key=key, picture=picture)
"""The record."""
