"""Sokoban's heuristics for the searches common to all puzzles, where an action is a move.

    tables int32[N, k], as bytes: from each of the level's N squares the distance to each of its k goals

Both assign every box a different goal at minimum cost (:mod:`.matching`). The searches in :mod:`.sokoban.searches`
use pushes as actions instead, and are far faster.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban.boards import row_lengths
from gridpuzzles_gym.puzzles.sokoban.rules import (  # fmt: skip
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
)

from ..search.heuristic import DEAD_END, Heuristic, TableKernels, Tables
from .solver.board import FAR, survey, survey_rows
from .solver.matching import MATCH_ROWS, match_all

PENALTY = 1_000
"""The penalty in the original program's estimate if the level can no longer be solved."""


def push_distances(level: Row, progress: bool = False) -> Tables:
    """Return the fewest pushes to each goal without other boxes; FAR if there is no path."""
    squares = len(level) - CELLS
    state = np.zeros(row_lengths((1, squares))[1], np.int16)
    state[PLAYER] = np.flatnonzero(level[CELLS:] & WALL == 0)[0]  # any floor square: the player reaches all of them
    board, _, _ = survey(level, state)
    distances = np.full((squares, len(board.goals)), FAR, np.int32)
    distances[board.place] = board.distance
    return _as_bytes(distances)


@rule
def table_size(level):
    """Return the number of bytes of the tables."""
    return (level.shape[0] - CELLS) * np.int64(level[COUNT]) * 4


@rule
def fill_push_distances(level, tables):
    """Fill ``tables`` with what :func:`push_distances` returns."""
    squares = level.shape[0] - CELLS
    state = np.zeros(BOXES + (squares + 7) // 8, np.int16)
    while level[CELLS + state[PLAYER]] & WALL:
        state[PLAYER] += 1
    board, _, _ = survey_rows(level, state)
    distances = tables.view(np.int32).reshape(squares, np.int64(level[COUNT]))
    distances[:] = FAR
    for place in range(board.place.shape[0]):
        for goal in range(distances.shape[1]):
            distances[board.place[place], goal] = board.distance[place, goal]


def straight_distances(level: Row, progress: bool = False) -> Tables:
    """Return the rows and columns to each goal, ignoring obstacles."""
    rows, columns = np.divmod(np.arange(len(level) - CELLS), int(level[STRIDE]))
    goals = np.flatnonzero(level[CELLS:] & GOAL)
    distances = abs(rows[:, None] - rows[goals]) + abs(columns[:, None] - columns[goals])
    return _as_bytes(distances.astype(np.int32))


def _as_bytes(distances: npt.NDArray[np.int32]) -> Tables:
    return distances.view(np.uint8).reshape(-1)


@rule
def cheapest(level, state, tables):
    """Return the cost of a cheapest matching of boxes and goals."""
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
def nearest_off_goal(level, state):
    """Return the rows and columns from the player to the nearest box off the goals; 0 if there is none."""
    stride, nearest = level[STRIDE], level.shape[0]
    row, column = state[PLAYER] // stride, state[PLAYER] % stride
    for square in range(level.shape[0] - CELLS):
        if box_on(state, square) and not level[CELLS + square] & GOAL:
            nearest = min(nearest, abs(square // stride - row) + abs(square % stride - column))
    return nearest if state[ASTRAY] else 0


@rule
def matching(level, state, tables):
    """Return the fewest pushes, ignoring other boxes; DEAD_END if a simple deadlock is found."""
    if stuck(level, state):
        return np.int64(DEAD_END)
    pushes = cheapest(level, state, tables)
    return np.int64(DEAD_END if pushes >= FAR else pushes)


@rule
def original(level, state, tables):
    """Return the original program's estimate: straight-line distances, the distance to a box, a penalty."""
    return np.int64(
        cheapest(level, state, tables) + nearest_off_goal(level, state) + PENALTY * (stuck(level, state) != 0)
    )


HEURISTICS: dict[str, Heuristic] = {
    row.name: row
    for row in (
        # Not consistent: from a side of a box that the player cannot reach, a goal may be much nearer.
        Heuristic(
            "matching",
            "pushes of all boxes to different goals, ignoring other boxes; detects frozen boxes",
            matching,
            push_distances,
            TableKernels(table_size, fill_push_distances),
            consistent=False,
        ),
        Heuristic(
            "original",
            "rows and columns from boxes to different goals, and from the player to a box; plus 1,000 for stuck boxes",
            original,
            straight_distances,
            admissible=False,
            consistent=False,
        ),
    )
}
"""Heuristics by name; the first is the default."""
