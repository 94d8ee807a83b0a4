"""The tasks for language models about sliding tiles."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.boards import goal_tiles, make_rows, why_unsolvable
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, TILES, WIDTH

from ..orientations import orientations
from ..puzzle_agents import PuzzleTasks
from ..samplers.base import below, mix


def arrange(level: Row, settings: Mapping[str, Any], random_bits: int) -> Row:
    """Return a random arrangement of the contents of some squares of the solved board, solvable or not.

    Args:
        level: The level.
        settings: ``shuffled``, the number of squares whose contents are shuffled; None: all.
        random_bits: 64 random bits. All arrangements of each set of squares are equally likely, so half of the boards
            can be solved, whatever else is known about them.
    """
    goal = goal_tiles(level)
    number = len(goal) if settings["shuffled"] is None else min(settings["shuffled"], len(goal))
    squares = _shuffled(list(range(len(goal))), mix(random_bits, 0))[:number]
    tiles = list(goal)
    for square, tile in zip(squares, _shuffled([goal[square] for square in squares], mix(random_bits, 1)), strict=True):
        tiles[square] = tile
    return make_rows(tuple(tiles), goal, (int(level[HEIGHT]), int(level[WIDTH])))[1]


def solvable(level: Row, state: Row) -> bool:
    """Whether a board can be solved, by parity."""
    return not why_unsolvable(tuple(state[TILES:].tolist()), goal_tiles(level), int(level[WIDTH]))


def key(level: Row, state: Row) -> bytes:
    """Return a key that is equal for boards that pose the same problem.

    A rotated or mirrored board whose tiles are renumbered by their squares in the goal is the same problem if the
    blank's goal square does not change.
    """
    shape = int(level[HEIGHT]), int(level[WIDTH])
    goal, tiles = np.array(goal_tiles(level)), state[TILES:]
    home = np.argsort(goal)
    same: list[bytes] = []
    for image in orientations(np.arange(len(goal)).reshape(shape)):
        origin = image.ravel()  # the square that each square of the image shows
        place = np.argsort(origin)
        if image.shape == shape and goal[place[home[0]]] == 0:
            same.append(goal[place[home[tiles[origin]]]].astype(np.uint8).tobytes())
    return bytes([*shape, *goal.tolist()]) + min(same)


def _shuffled(items: list[int], random_bits: int) -> list[int]:
    """Return the items in random order (Fisher and Yates)."""
    for last in range(len(items) - 1, 0, -1):
        other = below(mix(random_bits, last), last + 1)
        items[last], items[other] = items[other], items[last]
    return items


def _lengths(**steps: tuple[int, int]) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each difficulty from the numbers of moves of its shortest solutions."""
    return {
        name: {"levels": {"scramble": [least, 2 * most]}, "least_length": least, "most_length": most}
        for name, (least, most) in steps.items()
    }


_SHUFFLED: Mapping[str, Mapping[str, Any]] = {
    "easy": {"levels": {}, "shuffled": 5},
    "medium": {"levels": {}, "shuffled": 7},
    "hard": {"levels": {}, "shuffled": None},
}
_EIGHT = _lengths(easy=(4, 14), medium=(15, 21), hard=(22, 31))
_FIFTEEN = _lengths(easy=(4, 14), medium=(15, 24), hard=(25, 40))

TASKS = PuzzleTasks(
    difficulties={
        "EightPuzzle-v0": {
            "plan": _EIGHT,
            "best-action": _EIGHT,
            "solvable": _SHUFFLED,
        },
        "FifteenPuzzle-v0": {
            "plan": _FIFTEEN,
            "best-action": _FIFTEEN,
            "solvable": _SHUFFLED,
        },
    },
    key=key,
    arrange=arrange,
    solvable=solvable,
)
"""The record."""
