"""Sokoban's estimates for the searches that serve every puzzle: moves are actions there, and a state is a node.

    tables int32[N, k], as bytes: from each of the level's N squares the distance to each of its k goals

Both give every box a goal of its own, as cheaply as can be (:mod:`.matching`). The searches in :mod:`.searches`
step by pushes instead, and are far faster.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import rule
from gridpuzzles_gym.engine.puzzle import Row
from gridpuzzles_gym.puzzles.sokoban.boards import sizes
from gridpuzzles_gym.puzzles.sokoban.rules import (
    ASTRAY,
    BOXES,
    CELLS,
    COUNT,
    GOAL,
    PLAYER,
    STRIDE,
    WALL,
    box_on,
    stuck,
)  # fmt: skip

from ..search.heuristic import DEAD_END, Heuristic, Tables
from .board import FAR, survey
from .matching import match_all

PENALTY = 1_000
"""What the original program's estimate adds where the level can no longer be solved."""
MATCH_ROWS = 5


def push_distances(level: Row, progress: bool = False) -> Tables:
    """The fewest pushes to each goal, were there one box; FAR where there is no way."""
    squares = len(level) - CELLS
    state = np.zeros(sizes((1, squares))[1], np.int16)
    state[PLAYER] = np.flatnonzero(level[CELLS:] & WALL == 0)[0]  # the player reaches all floor there is
    board, _, _ = survey(level, state)
    distances = np.full((squares, len(board.goals)), FAR, np.int32)
    distances[board.place] = board.distance
    return _as_bytes(distances)


def straight_distances(level: Row, progress: bool = False) -> Tables:
    """Rows and columns to each goal, whatever is between."""
    rows, columns = np.divmod(np.arange(len(level) - CELLS), int(level[STRIDE]))
    goals = np.flatnonzero(level[CELLS:] & GOAL)
    distances = abs(rows[:, None] - rows[goals]) + abs(columns[:, None] - columns[goals])
    return _as_bytes(distances.astype(np.int32))


def _as_bytes(distances: npt.NDArray[np.int32]) -> Tables:
    return distances.view(np.uint8).reshape(-1)


@rule
def cheapest(level, state, tables):
    """What the cheapest matching of boxes and goals costs."""
    count = np.int64(level[COUNT])
    boxes, match = np.empty(count, np.int16), np.empty((MATCH_ROWS, count), np.int32)
    found = 0
    for byte in range(state.shape[0] - BOXES):
        if state[BOXES + byte]:
            for square in range(8 * byte, 8 * byte + 8):
                if box_on(state, square):
                    boxes[found] = square
                    found += 1
    return match_all(tables.view(np.int32).reshape(level.shape[0] - CELLS, count), boxes, match)


@rule
def nearest_astray(level, state):
    """Rows and columns from the player to the nearest box off the goals; 0 where there is none."""
    stride, nearest = level[STRIDE], level.shape[0]
    row, column = state[PLAYER] // stride, state[PLAYER] % stride
    for square in range(level.shape[0] - CELLS):
        if box_on(state, square) and not level[CELLS + square] & GOAL:
            nearest = min(nearest, abs(square // stride - row) + abs(square % stride - column))
    return nearest if state[ASTRAY] else 0


@rule
def matching(level, state, tables):
    """The fewest pushes, were boxes never in each other's way; DEAD_END where it is plain that there is no way."""
    if stuck(level, state):
        return np.int64(DEAD_END)
    pushes = cheapest(level, state, tables)
    return np.int64(DEAD_END if pushes >= FAR else pushes)


@rule
def original(level, state, tables):
    """The estimate of the program that this one grew from: straight lines, the way to a box, a penalty."""
    return np.int64(
        cheapest(level, state, tables) + nearest_astray(level, state) + PENALTY * (stuck(level, state) != 0)
    )


HEURISTICS: dict[str, Heuristic] = {
    row.name: row
    for row in (
        # Not consistent: from the nearest side of a box that the player cannot walk to, a goal may be much nearer.
        Heuristic(
            "matching",
            "pushes to goals of their own, were boxes never in each other's way; stuck boxes have no way out",
            matching,
            push_distances,
            consistent=False,
        ),
        Heuristic(
            "original",
            "rows and columns from boxes to goals of their own, and from the player to a box; 1,000 where boxes stick",
            original,
            straight_distances,
            admissible=False,
            consistent=False,
        ),
    )
}
"""Heuristics by name; the first is the default."""
