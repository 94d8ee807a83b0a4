"""The search that only Bait has."""

from ..search.best_first import best_first
from ..search.heuristic import Heuristic
from ..search.problem import Limits, Problem, Result
from ..search.progress import Progress
from ..search.search import Search
from .score import score_estimate

SCORE = Heuristic("score", "points out of reach, then steps", score_estimate, admissible=False, consistent=False)


def highest_score(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Find a solution with the highest possible score, and among these one with the fewest steps: A* over both.

    Args:
        problem: A level of Bait.
        heuristic: Not used: the search has its own.
        limits: When to give up.
        seed: Not used.
        progress: How to show progress.

    Raises:
        ValueError: Another puzzle, or costs that are not 1.
    """
    if problem.puzzle.name != "bait":
        raise ValueError(f"this search plays Bait, not {problem.puzzle.title}; astar plays any puzzle")
    if (problem.costs != 1).any():
        raise ValueError(f"this search counts steps: costs={problem.costs.tolist()} must all be 1; astar takes any")
    return best_first(problem, SCORE, limits, seed, progress)


SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "bait-score",
            "A* over points and steps: proves the highest winning score, then the fewest steps",
            highest_score,
            proves="highest score",
            informed=False,
            featured=True,
        ),
    )
}
"""Searches by name, in addition to those for every puzzle."""
