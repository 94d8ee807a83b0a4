"""The searches and heuristics that apply to a puzzle, by name, collected from its agent record."""

from collections.abc import Sequence

from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Puzzle

from .puzzle_agents import Advisor, agents_record
from .search.heuristic import ZERO, Heuristic
from .search.search import Search
from .search.searches import SEARCHES


def searches_of(puzzle: Puzzle, guided: bool = False) -> dict[str, Search]:
    """Return the searches that apply to a puzzle, by name; empty if its transitions are not deterministic.

    Args:
        puzzle: The puzzle.
        guided: Whether to include the searches that need a trained network.
    """
    if not puzzle.deterministic:
        return {}
    reversible = puzzle.rules.undo is not None and puzzle.rules.goal is not None
    return {
        name: search
        for name, search in {**SEARCHES, **agents_record(puzzle).searches()}.items()
        if (reversible or not search.backward) and (guided or not search.guided)
    }


def heuristics_of(puzzle: Puzzle) -> dict[str, Heuristic]:
    """Return the heuristics of a puzzle by name, its default first, ``zero`` last."""
    return {**agents_record(puzzle).heuristics(), ZERO.name: ZERO}


def default_search(puzzle: Puzzle) -> Search:
    """Return the default search for a puzzle's levels: the first of its own, else A*."""
    own = agents_record(puzzle).searches()
    return next(iter(own.values()), SEARCHES["astar"])


def advisors_of(puzzle: Puzzle) -> Sequence[Advisor]:
    """What gives hints to players of a puzzle, in order; empty if it has no search and declares no agent."""
    default = (Advisor(default_search(puzzle).name),) if puzzle.deterministic else ()
    return agents_record(puzzle).advisors or default


def optimal_searches_of(puzzle: Puzzle) -> Sequence[Advisor]:
    """Return the searches that find the cheapest solutions of a puzzle, in order; empty if no search applies."""
    record = agents_record(puzzle)
    if record.optimal_searches or not puzzle.deterministic:
        return record.optimal_searches
    name = next((search.name for search in record.searches().values() if search.optimal), "astar")
    heuristic = heuristic_named(None, puzzle)
    return (Advisor(name, (heuristic if heuristic.admissible else ZERO).name),)


def search_named(name: str, puzzle: Puzzle) -> Search:
    """Return the search of that name for a puzzle.

    Raises:
        ValueError: There is none.
    """
    searches = searches_of(puzzle, guided=True)
    if name in searches:
        return searches[name]
    if not searches:
        raise ValueError(f"{puzzle.title} is not deterministic: no search applies, but agents play it")
    problem = "does not apply to" if name in SEARCHES else "is not known for"
    raise ValueError(f"search {quote(name)} {problem} {puzzle.title}; {did_you_mean(name, searches)}")


def heuristic_named(name: str | None, puzzle: Puzzle) -> Heuristic:
    """Return the heuristic of that name for a puzzle; None is its default.

    Raises:
        ValueError: There is none.
    """
    heuristics = heuristics_of(puzzle)
    if name is None:
        return next(iter(heuristics.values()))
    if name not in heuristics:
        raise ValueError(f"heuristic {quote(name)} is not known for {puzzle.title}; {did_you_mean(name, heuristics)}")
    return heuristics[name]
