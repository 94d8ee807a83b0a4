"""Which searches and heuristics there are for a puzzle, by name: what tools offer, agents and tests run through."""

from gridpuzzles_gym.engine.puzzle import Puzzle

from .bait.heuristics import HEURISTICS as BAIT_HEURISTICS
from .bait.searches import SEARCHES as BAIT_SEARCHES
from .n_puzzle.heuristics import HEURISTICS as N_PUZZLE_HEURISTICS
from .n_puzzle.searches import SEARCHES as N_PUZZLE_SEARCHES
from .search.heuristic import ZERO, Heuristic
from .search.search import Search
from .search.searches import SEARCHES
from .sokoban.heuristics import HEURISTICS as SOKOBAN_HEURISTICS
from .sokoban.searches import SEARCHES as SOKOBAN_SEARCHES

OWN_SEARCHES = {"bait": BAIT_SEARCHES, "n_puzzle": N_PUZZLE_SEARCHES, "sokoban": SOKOBAN_SEARCHES}
"""Searches that only one puzzle has, by its name."""
OWN_HEURISTICS = {"bait": BAIT_HEURISTICS, "n_puzzle": N_PUZZLE_HEURISTICS, "sokoban": SOKOBAN_HEURISTICS}
"""Heuristics of each puzzle, by its name; the first is its default."""


def searches_of(puzzle: Puzzle) -> dict[str, Search]:
    """The searches that apply to a puzzle, by name; none where its transitions are not deterministic."""
    if not puzzle.deterministic:
        return {}
    reversible = puzzle.rules.undo is not None and puzzle.rules.goal is not None
    generic = {name: search for name, search in SEARCHES.items() if reversible or not search.backward}
    return {**generic, **OWN_SEARCHES.get(puzzle.name, {})}


def heuristics_of(puzzle: Puzzle) -> dict[str, Heuristic]:
    """The heuristics of a puzzle by name, its default first, ``zero`` last."""
    return {**OWN_HEURISTICS.get(puzzle.name, {}), ZERO.name: ZERO}


def search_named(name: str, puzzle: Puzzle) -> Search:
    """The search of that name for a puzzle.

    Raises:
        ValueError: There is none.
    """
    searches = searches_of(puzzle)
    if name in searches:
        return searches[name]
    if not searches:
        raise ValueError(f"{puzzle.title} is not deterministic: no search applies")
    problem = "does not apply to" if name in SEARCHES else "is not known for"
    raise ValueError(f"search {name!r} {problem} {puzzle.title}; there are {', '.join(searches)}")


def heuristic_named(name: str | None, puzzle: Puzzle) -> Heuristic:
    """The heuristic of that name for a puzzle; None is its default.

    Raises:
        ValueError: There is none.
    """
    heuristics = heuristics_of(puzzle)
    if name is None:
        return next(iter(heuristics.values()))
    if name not in heuristics:
        raise ValueError(f"heuristic {name!r} is not known for {puzzle.title}; there are {', '.join(heuristics)}")
    return heuristics[name]
