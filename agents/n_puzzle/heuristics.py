"""The table of heuristics for sliding tiles, used by the searches, the command line and the tests."""

import functools

from gridpuzzles_gym.engine.messages import quote

from ..search.heuristic import Heuristic
from .estimates import (
    Incremental,
    linear_conflict,
    linear_conflict_change,
    linear_conflict_tables,
    manhattan_tables,
    misplaced,
    misplaced_tables,
    tile_sum,
    tile_sum_change,
)
from .pattern_databases.building import Squares
from .pattern_databases.changes import PATTERN_MEMORY, pattern_change, pattern_numbers, pattern_start
from .pattern_databases.heuristic import build_tables, make_tables, pattern_databases

_ROWS: tuple[Incremental, ...] = (
    Incremental(
        Heuristic(
            "linear-conflict",
            "Manhattan distance, plus 2 for each tile that must let another pass",
            linear_conflict,
            linear_conflict_tables,
        ),
        linear_conflict_change,
    ),
    Incremental(
        Heuristic("manhattan", "rows and columns between each tile and its goal square", tile_sum, manhattan_tables),
        tile_sum_change,
    ),
    Incremental(
        Heuristic("misplaced", "number of tiles off their goal squares", misplaced, misplaced_tables),
        tile_sum_change,
    ),
)


def _pattern_databases(sizes: Squares, description: str, consistent: bool = False) -> Incremental:
    return Incremental(
        Heuristic(
            "pdb" + "".join(f"-{size}" for size in sizes),
            description,
            pattern_databases,
            functools.partial(make_tables, sizes),
            build=functools.partial(build_tables, sizes),
            consistent=consistent,
        ),
        pattern_change,
        PATTERN_MEMORY,
        functools.partial(pattern_numbers, sizes),
        pattern_start,
    )


INCREMENTAL: dict[str, Incremental] = {
    row.heuristic.name: row
    for row in (
        *_ROWS,
        _pattern_databases((), "the exact distance of every board; boards up to 10 squares", consistent=True),
        _pattern_databases((5, 5, 5), "the 15-puzzle's tiles by 5, 5 and 5, and reflected; 2 MB, built in a second"),
        _pattern_databases((6, 6, 3), "the 15-puzzle's tiles by 6, 6 and 3, and reflected; 12 MB, built in seconds"),
        _pattern_databases(
            (7, 8), "the 15-puzzle's tiles by 7 and 8, and reflected; 577 MB, built in minutes, in 2.3 GB"
        ),
    )
}
"""The incremental heuristics by name."""

HEURISTICS: dict[str, Heuristic] = {name: row.heuristic for name, row in INCREMENTAL.items()}
"""Heuristics by name; the first is the default."""


def incremental_of(heuristic: Heuristic) -> Incremental:
    """Return the incremental version of a heuristic.

    Raises:
        ValueError: There is none.
    """
    found = INCREMENTAL.get(heuristic.name)
    if found is None or found.heuristic is not heuristic:
        raise ValueError(
            f"tile-ida-star has no incremental version of heuristic {quote(heuristic.name)}; it supports "
            f"{', '.join(INCREMENTAL)}; ida-star supports any"
        )
    return found
