"""The table of searches that only sliding tiles have."""

from ..search.search import Search
from .ida_star import tile_ida_star

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "tile-ida-star",
            "IDA* that follows the estimate move by move; moves cost 1",
            tile_ida_star,
            optimal=True,
        ),
    )
}
"""Searches by name, beside those for every puzzle."""
