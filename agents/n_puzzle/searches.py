"""The searches that only sliding tiles have."""

from ..search.search import Search
from .ida_star import tile_ida_star

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "tile-ida-star",
            "IDA* with incremental estimates; moves cost 1",
            tile_ida_star,
            optimal=True,
        ),
    )
}
"""Searches by name, in addition to those for every puzzle."""
