"""Cheapest solutions, and proofs that there is none, within limits that do not depend on the machine."""

import functools
from typing import NamedTuple

from gridpuzzles_gym.agents.puzzle_agents import Advisor
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import heuristic_named, optimal_searches_of, search_named

from ..engine.puzzle import Puzzle


class Proof(NamedTuple):
    """A proven result about a problem."""

    plan: tuple[int, ...] | None
    """A cheapest solution; None: there is none."""
    expanded: int
    """The number of states that were expanded."""


def cheapest(problem: Problem, nodes: int) -> Proof | None:
    """Find a cheapest solution, or prove that there is none, by the puzzle's optimal searches.

    Args:
        problem: The problem.
        nodes: Maximum number of states to expand.

    Returns:
        The proof; None if the limit was reached.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    expanded = 0
    for search, heuristic, advisor in _searches_of(problem.puzzle):
        limits = Limits(nodes=max(int(advisor.share * (nodes - expanded)), 1))
        result = search.solve(problem, heuristic, limits, **advisor.parameters)
        expanded += result.expanded
        if result.status == INTERRUPTED:
            raise KeyboardInterrupt
        if result.solved or result.status == EXHAUSTED:
            return Proof(result.actions if result.solved else None, expanded)
    return None


@functools.cache
def _searches_of(puzzle: Puzzle) -> tuple[tuple[Search, Heuristic, Advisor], ...]:
    return tuple(
        (search_named(advisor.name, puzzle), heuristic_named(advisor.heuristic, puzzle), advisor)
        for advisor in optimal_searches_of(puzzle)
    )
