"""The table of heuristics of the sliding tiles: it feeds the searches, the command line and the tests."""

from ..search.heuristic import Heuristic
from .incremental import Incremental
from .linear_conflict import linear_conflict, linear_conflict_change, linear_conflict_tables
from .tile_distances import manhattan_tables, misplaced, misplaced_tables, tile_sum, tile_sum_change
from .walking_distance import (
    WALKING_MEMORY,
    walking_distance,
    walking_distance_change,
    walking_distance_start,
    walking_distance_tables,
)

_ROWS: tuple[Incremental, ...] = (
    Incremental(
        Heuristic(
            "linear-conflict",
            "Manhattan distance, and 2 for each tile that must let another pass",
            linear_conflict,
            linear_conflict_tables,
        ),
        linear_conflict_change,
    ),
    Incremental(
        Heuristic("manhattan", "rows and columns between each tile and its home", tile_sum, manhattan_tables),
        tile_sum_change,
    ),
    Incremental(
        Heuristic("misplaced", "tiles off their home", misplaced, misplaced_tables),
        tile_sum_change,
    ),
    Incremental(
        Heuristic(
            "walking-distance",
            "how far tiles walk between rows and between columns; boards up to 4x4",
            walking_distance,
            walking_distance_tables,
        ),
        walking_distance_change,
        WALKING_MEMORY,
        lambda level, tables: tables.view("int64"),
        walking_distance_start,
    ),
)

INCREMENTAL: dict[str, Incremental] = {row.heuristic.name: row for row in _ROWS}
"""The same heuristics, move by move, by name."""

HEURISTICS: dict[str, Heuristic] = {name: row.heuristic for name, row in INCREMENTAL.items()}
"""Heuristics by name; the first is the default."""


def incremental_of(heuristic: Heuristic) -> Incremental:
    """A heuristic of the table, move by move.

    Raises:
        ValueError: It is not in the table.
    """
    found = INCREMENTAL.get(heuristic.name)
    if found is None or found.heuristic is not heuristic:
        raise ValueError(
            f"tile-ida-star cannot follow heuristic {heuristic.name!r} move by move; it takes "
            f"{', '.join(INCREMENTAL)}; ida-star takes any"
        )
    return found
