"""Corridors one square wide with a player, a box and a goal: the task set ``corridor``.

They are like the levels of SokoBench (Monti et al. 2026, arXiv 2601.20856), which has 80: of 5, 10, …, 100 squares,
each in four rotations. Only the length of the solution makes one harder than another. Here the box is next to the
player; wherever it is between player and goal, the solution has two actions fewer than the corridor has squares.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.arguments import is_integer
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Level
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

from ..samplers.mixing import below, mix

SHORTEST, LONGEST = 3, 100
"""The smallest and the largest number of squares."""
SOKOBENCH = range(5, LONGEST + 1, 5)
"""The numbers of squares in SokoBench."""
_ROTATIONS = 4


def corridors(lengths: Any) -> Callable[[int], Level]:
    """Return a function that makes a corridor from 64 random bits.

    Args:
        lengths: The numbers of squares: True for those of SokoBench, one number, or the first and the last of all.

    Raises:
        ValueError: It is none of these.
    """
    return functools.partial(_sample, SOKOBENCH if lengths is True else _range(lengths))


def _range(lengths: Any) -> range:
    pair: Sequence[Any] = lengths if isinstance(lengths, list | tuple) and len(lengths) == 2 else (lengths, lengths)
    first, last = pair
    if not all(is_integer(each, SHORTEST, LONGEST) for each in (first, last)) or first > last:
        raise ValueError(
            f"corridor={quote(lengths)}: must be true (5, 10, …, 100 squares), an integer from {SHORTEST} to "
            f"{LONGEST}, or a pair of these, the smaller one first"
        )
    return range(first, last + 1)


def _sample(lengths: Sequence[int], random_bits: int) -> Level:
    return corridor(lengths[below(mix(random_bits), len(lengths))], below(mix(random_bits, 1), _ROTATIONS))


def corridor(length: int, rotations: int) -> Level:
    """Return a corridor, which is solved by pushing the box ``length - 2`` times.

    Args:
        length: The number of squares, from the player's to the goal.
        rotations: The number of quarter turns, counterclockwise; without any, the goal is on the right.
    """
    squares = f"@${'-' * (length - SHORTEST)}."
    cells = np.pad(np.array([[*squares]]), 1, constant_values="#")
    rows = tuple("".join(row) for row in np.rot90(cells, rotations))
    (level,) = PUZZLE.parse("\n".join(rows) + "\n", f"corridor of {length}")
    return level
