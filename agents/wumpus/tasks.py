"""What the tasks for language models need to know about the Wumpus World, and the answer on a worksheet."""

from collections import deque
from collections.abc import Iterator

import numpy as np

from gridpuzzles_gym.engine.puzzle import DIED, LEFT, SOLVED
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus import rules
from gridpuzzles_gym.puzzles.wumpus.rules import CELLS, GOLD, HEIGHT, PIT, START, WALL, WIDTH, WUMPUS
from gridpuzzles_gym.puzzles.wumpus.text import format_level

from ..orientations import first_orientation
from ..puzzle_agents import PuzzleTasks

ACTIONS = (rules.TURN_LEFT, rules.TURN_RIGHT, rules.FORWARD, rules.GRAB, rules.SHOOT)
"""What a shortest plan consists of, before climbing out."""


def shortest_plan(level: Row, state: Row) -> tuple[int, ...] | None:
    """Return the fewest actions that bring the gold home without danger; None if there are none.

    Args:
        level: The level row.
        state: The state to begin with.
    """
    actions = (*ACTIONS, rules.CLIMB_OUT) if level[rules.CLIMB] else ACTIONS
    known = {_key(state)}
    waiting: deque[tuple[Row, tuple[int, ...]]] = deque([(state, ())])
    while waiting:
        here, plan = waiting.popleft()
        for action, there in _successors(level, here, actions):
            outcome = rules.outcome(level, there)
            if outcome == SOLVED:
                return (*plan, action)
            if outcome not in (DIED, LEFT) and (key := _key(there)) not in known:
                known.add(key)
                waiting.append((there, (*plan, action)))
    return None


def _successors(level: Row, state: Row, actions: tuple[int, ...]) -> Iterator[tuple[int, Row]]:
    for action in actions:
        there = state.copy()
        rules.step(level, there, action, np.ones(1, np.uint64))
        yield action, there


def _key(state: Row) -> bytes:
    """Return the part of a state that matters when everything is visible: not the squares visited."""
    return state[: rules.BUMP].tobytes()


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
