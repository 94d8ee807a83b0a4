"""Levels in another orientation: rotated and mirrored."""

import dataclasses

import numpy as np

from gridpuzzles_gym.agents.identity import board_of
from gridpuzzles_gym.agents.orientations import reorient
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ..engine.puzzle import Level, Puzzle

CLOCKWISE, MIRRORED = 5, 2
"""The numbers of two orientations, as in :mod:`~gridpuzzles_gym.agents.orientations`."""


def can_turn(puzzle: Puzzle) -> bool:
    """Whether the rules are the same in all orientations, and moves have the same effect in each."""
    return agents_record(puzzle).symmetric and puzzle.deterministic


def turned_level(puzzle: Puzzle, level: Level, way: int) -> Level:
    """Return a level in the orientation of that number."""
    rows = board_of(puzzle, level).splitlines()
    width = max(map(len, rows))
    cells = reorient(np.array([list(row.ljust(width)) for row in rows]), way)
    (turned,) = puzzle.parse("".join(f"{''.join(row)}\n" for row in cells), level.name)
    return dataclasses.replace(turned, name=level.name)


def turned_further(way: int, by: int) -> int:
    """Return the number of the orientation that ``by`` makes of another one."""
    cells = np.arange(6).reshape(2, 3)
    wanted = reorient(reorient(cells, way), by)
    return next(number for number in range(8) if np.array_equal(reorient(cells, number), wanted))
