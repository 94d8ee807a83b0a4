"""The tables of a catalogue of pattern databases: numbers that say how to use them, then the databases.

The tables begin with uint32[…] numbers; the first of them, the header, are counts and where the others begin:

    DISTANCES [N, N] moves between two squares
    MEMBERS   [N, N] for each square of the blank, the pattern of its partition that has a square
    LOOKUPS   [N, PATTERNS, LOOKUP] for each square of the blank and each pattern: the page where its database begins,
              where its places and the weights of its tiles begin, and its squares. Short patterns repeat one,
              with weight 0
    places    [N] the square of the database's board for each square
    weights   [MOST_TILES] by how much a tile's digit is multiplied in the rank: see pattern_databases/building.py
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, WIDTH

from ...parallel import TaskExecutor
from ...search.heuristic import Tables
from ..pattern_databases.building import weights_of
from ..pattern_databases.placements import MOST_SQUARES
from .cache import build_databases, fill_tables
from .databases import MOST_TILES, Catalogue, Shape, make_catalogue

SQUARES, PATTERNS, END, DISTANCES, MEMBERS, LOOKUPS, HEADER = range(7)
PAGE, PLACES_AT, WEIGHTS_AT, HOMES = range(4)
LOOKUP = HOMES + MOST_TILES

SMALLEST = 6
"""The fewest squares of a board."""


def catalogue_tables(level: Row, progress: bool = False) -> Tables:
    """The tables described above, with databases that are built or read from the cache.

    Args:
        level: The board; its goal does not matter.
        progress: Show a bar while databases are built.

    Raises:
        ValueError: The board is too small or too large.
    """
    catalogue = _catalogue_of(level)
    if catalogue not in _KEPT:
        _KEPT.clear()
        _KEPT[catalogue] = fill_tables(
            catalogue.shapes(), lambda pages: _numbers(catalogue, pages).view(np.uint8), progress
        )
    return _KEPT[catalogue]


def build_catalogue(level: Row, executor: TaskExecutor, progress: bool = False) -> None:
    """Build the databases for :func:`catalogue_tables`, which are kept on disk, one a task.

    Args:
        level: The board; its goal does not matter.
        executor: Where they are built; it does not change them.
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


_KEPT: dict[Any, Tables] = {}
"""The tables in use: the next search on the same board does not have to read them again."""


def _numbers(catalogue: Catalogue, pages: dict[Shape, int]) -> npt.NDArray[np.uint32]:
    """The numbers described above, given the page where each database begins."""
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
