"""What the tasks for language models need to know about the Wumpus World."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.arguments import pair
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus.rules import (
    BREEZE,
    CELLS,
    FACING,
    FORWARD,
    GOLD,
    HEIGHT,
    PIT,
    SEEN,
    SQUARE,
    START,
    STENCH,
    TURN_LEFT,
    TURN_RIGHT,
    WALL,
    WIDTH,
    WUMPUS,
    neighbour,
    step,
)
from gridpuzzles_gym.puzzles.wumpus.text import format_level

from ..orientations import first_orientation
from ..puzzle_agents import PuzzleTasks
from ..samplers.mixing import below, mix
from .certainty import certainly_safe, knowledge

_LEGEND = """
. an empty square, W the wumpus, P a pit, G the gold, # rock
^ > v < you, facing up, right, down or left
"""


def explore(level: Row, state: Row, settings: Mapping[str, Any], random_bits: int) -> Row | None:
    """Walk through a cave at random, and survive by luck.

    Args:
        level: The cave.
        state: Where the walk begins.
        settings: ``visited``, the least and the largest number of squares to visit, the start included, or one number.
        random_bits: 64 random bits. They choose the number, and one after another the squares, from those without
            danger that are next to a visited one.

    Returns:
        The state in the end; None if so few squares can be reached.
    """
    least, most = pair(settings["visited"])
    number = least + below(mix(random_bits), most - least + 1)
    state = state.copy()
    for count in range(int(state[SEEN:].sum()), number):
        near = {
            _ahead(level, square, facing) for square in np.flatnonzero(state[SEEN:]).tolist() for facing in range(4)
        }
        free = sorted(square for square in near if square >= 0 and not state[SEEN + square])
        choices = [square for square in free if not level[CELLS + square] & (PIT | WUMPUS)]
        if not choices:
            return None
        _walk_to(level, state, choices[below(mix(random_bits, count), len(choices))])
    return state


def _ahead(level: Row, square: int, facing: int) -> int:
    return int(neighbour(level, square, facing))


def _walk_to(level: Row, state: Row, goal: int) -> None:
    """Walk to a square, in place, through visited squares."""
    ways: dict[int, list[int]] = {int(state[SQUARE]): []}
    waiting = deque(ways)
    while goal not in ways:
        here = waiting.popleft()
        for facing in range(4):
            there = _ahead(level, here, facing)
            if there not in ways and (there == goal or (there >= 0 and state[SEEN + there])):
                ways[there] = [*ways[here], facing]
                waiting.append(there)
    for facing in ways[goal]:
        while state[FACING] != facing:
            step(level, state, TURN_RIGHT if (facing - state[FACING]) % 4 < 3 else TURN_LEFT, None)
        step(level, state, FORWARD, None)


def safe_squares(level: Row, state: Row, pits: int) -> list[int]:
    """Return the unvisited squares that are certainly safe; see :mod:`.certainty`."""
    return certainly_safe(knowledge(level, state, pits))


def key(level: Row, state: Row) -> bytes:
    """Return a key that is equal for caves with the same contents, start and gold, also if turned or mirrored."""
    cells = (level[CELLS:] & (WALL | PIT | WUMPUS)).astype(np.uint8)
    cells[level[START]] |= 1 << 4
    if state[GOLD] >= 0:
        cells[state[GOLD]] |= 1 << 5
    return first_orientation(cells.reshape(level[HEIGHT], level[WIDTH]))


def known_key(level: Row, state: Row) -> bytes:
    """Return a key that is equal for states in which the same has been perceived, also if turned or mirrored."""
    cells, seen = level[CELLS:].astype(np.int64), state[SEEN:].astype(np.int64)
    shown = seen * (1 + 2 * (cells & STENCH != 0) + 4 * (cells & BREEZE != 0)) + 8 * (cells & WALL != 0)
    if state[GOLD] >= 0 and seen[state[GOLD]]:
        shown[state[GOLD]] += 16
    return first_orientation(shown.astype(np.uint8).reshape(level[HEIGHT], level[WIDTH]))


def picture(level: Row, state: Row) -> str:
    """Return the whole cave as text, with a legend."""
    return f"{format_level(level, state)}{_LEGEND}"


_PLANS = {
    "easy": {"board": 4, "pits": 3, "least_length": 4, "most_length": 14},
    "medium": {"board": 5, "pits": 5, "least_length": 12, "most_length": 24},
    "hard": {"board": 7, "pits": 12, "least_length": 20, "most_length": 60},
}

TASKS = PuzzleTasks(
    difficulties={
        "Wumpus-v0": {
            "plan": _PLANS,
            "shortest-plan": _PLANS,
            "safe-squares": {
                "easy": {"board": 4, "pits": 3, "visited": [3, 6]},
                "medium": {"board": 5, "pits": 4, "visited": [5, 10]},
                "hard": {"board": 6, "pits": 6, "visited": [8, 16]},
            },
        }
    },
    key=key,
    known_key=known_key,
    arrange=explore,
    safe_squares=safe_squares,
    picture=picture,
)
"""The record."""
