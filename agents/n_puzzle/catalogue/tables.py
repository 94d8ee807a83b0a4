"""The tables of a catalogue of pattern databases: a description in numbers, then the databases.

The tables begin with uint32[…] numbers; the first of them, the header, are counts and the indices of the others::

    DISTANCES [N, N]  moves between two squares
    MEMBERS   [N, N]  by the blank's square and another square: the pattern of the blank's partition that contains it
    LOOKUPS   [N, PATTERNS, LOOKUP]  by the blank's square and pattern: the page of its database, the indices of its
              places and of its tiles' weights, and its squares; short patterns repeat a square, with weight 0
    places    [N]  for each square, the square of the database's board
    weights   [MOST_TILES]  the factor of a tile's digit in the rank: :mod:`.pattern_databases.building`
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, WIDTH

from ...parallel import TaskExecutor
from ...search.heuristic import Tables
from ..pattern_databases.building import weights_of
from .building import MOST_SQUARES
from .cache import build_databases, fill_tables
from .databases import MOST_TILES, Catalogue, Shape, make_catalogue

SQUARES, PATTERNS, END, DISTANCES, MEMBERS, LOOKUPS, HEADER = range(7)
PAGE, PLACES_AT, WEIGHTS_AT, HOMES = range(4)
LOOKUP = HOMES + MOST_TILES

SMALLEST = 6
"""Minimum number of squares of a board."""


def catalogue_tables(level: Row, progress: bool = False) -> Tables:
    """Return the tables described above; databases are read from the cache, or built.

    Args:
        level: The board; its goal does not matter.
        progress: Show a bar while databases are built.

    Raises:
        ValueError: The board is too small or too large.
    """
    catalogue = _catalogue_of(level)
    if catalogue not in _LOADED:
        _LOADED.clear()
        _LOADED[catalogue] = fill_tables(
            catalogue.shapes(), lambda pages: _numbers(catalogue, pages).view(np.uint8), progress
        )
    return _LOADED[catalogue]


def build_catalogue(level: Row, executor: TaskExecutor, progress: bool = False) -> None:
    """Build the databases for :func:`catalogue_tables`, which are stored on disk, one per task.

    Args:
        level: The board; its goal does not matter.
        executor: Runs the tasks; it does not affect the databases.
        progress: Show a bar.

    Raises:
        ValueError: The board is too small or too large.
    """
    build_databases(_catalogue_of(level).shapes(), executor, progress)


def _catalogue_of(level: Row) -> Catalogue:
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    if not SMALLEST <= height * width <= MOST_SQUARES:
        raise ValueError(
            f"pdb-catalogue supports boards of {SMALLEST} to {MOST_SQUARES} squares; this one has {width}x{height}"
        )
    return make_catalogue(height, width)


_LOADED: dict[Any, Tables] = {}
"""The tables in use: the next search on the same board does not have to read them again."""


def _numbers(catalogue: Catalogue, pages: dict[Shape, int]) -> npt.NDArray[np.uint32]:
    """Return the numbers described above, given the page where each database begins."""
    squares, patterns = len(catalogue.partitions), len(catalogue.partitions[0])
    header = np.zeros(HEADER, np.uint32)
    rows, columns = np.divmod(np.arange(squares), catalogue.width)
    distances = abs(rows[:, None] - rows) + abs(columns[:, None] - columns)
    members = np.zeros((squares, squares), np.uint32)
    lookups = np.zeros((squares, patterns, LOOKUP), np.uint32)
    parts, end = [header], HEADER
    placed: dict[tuple[int, ...], int] = {}

    def add(numbers: npt.ArrayLike) -> int:
        """Append numbers; return where they begin."""
        nonlocal end
        parts.append(np.asarray(numbers, np.uint32).reshape(-1))
        end += len(parts[-1])
        return end - len(parts[-1])

    def place(numbers: tuple[int, ...]) -> int:
        """Append numbers unless they are there already; return where they begin."""
        if numbers not in placed:
            placed[numbers] = add(numbers)
        return placed[numbers]

    for blank, partition in enumerate(catalogue.partitions):
        for number, lookup in enumerate(partition):
            homes = lookup.homes
            members[blank, list(homes)] = number
            missing = MOST_TILES - len(homes)
            weights = (*weights_of(squares, len(homes)).tolist(), *[0] * missing)
            row = pages[lookup.shape], place(lookup.places), place(weights), *homes, *homes[:1] * missing
            lookups[blank, number] = row
    header[[SQUARES, PATTERNS]] = squares, patterns
    header[[DISTANCES, MEMBERS, LOOKUPS]] = add(distances), add(members), add(lookups)
    header[END] = end
    return np.concatenate(parts)
