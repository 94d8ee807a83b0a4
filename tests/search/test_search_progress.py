"""Searches tell how far they have come, to a function or on a terminal, and can be ended then."""

import itertools

import pytest
from helpers import rows_of

from gridpuzzles_gym.agents.search.problem import INTERRUPTED, INTERVAL, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE as TILES

HARD = "15 2 12 11\n14 13 9 5\n1 3 8 7\n0 10 6 4\n"
"""A 15-puzzle board that takes 66 moves (R. Korf, 1985, number 88): no search here solves it in a second."""


def tiles():
    options = {"width": 4, "height": 4, "goal": "blank-first"}
    return Problem(TILES, *rows_of(TILES, HARD, **options), TILES.read_options(**options))


@pytest.mark.extended
@pytest.mark.parametrize("name", ["astar", "breadth-first", "tile-ida-star", "random-restart", "mcts"])
def test_a_search_reports_while_it_runs(name):
    seen = []

    def show(snapshot):
        seen.append(snapshot)
        if len(seen) == 3:
            raise KeyboardInterrupt

    result = search_named(name, TILES).solve(tiles(), heuristic_named(None, TILES), progress=show)
    assert result.status == INTERRUPTED
    for earlier, later in itertools.pairwise(seen):
        assert later.seconds >= earlier.seconds + INTERVAL
        assert later.expanded > earlier.expanded
        assert later.nearest <= earlier.nearest
    assert 0 < seen[-1].expanded <= result.expanded
    assert all(snapshot.solution is None for snapshot in seen)


@pytest.mark.parametrize("name", ["weighted-astar", "ida-star", "beam"])
def test_a_report_can_end_a_search_with_its_best_state(name):
    def stop(snapshot):
        raise KeyboardInterrupt

    problem, search = tiles(), search_named(name, TILES)
    parameters = {"weight": 1.0} if name == "weighted-astar" else {"width": 300_000} if name == "beam" else {}
    result = search.solve(problem, heuristic_named(None, TILES), progress=stop, **parameters)
    assert result.status == INTERRUPTED
    assert result.seconds >= INTERVAL
    assert len(result.actions) > 3
    assert not problem.reaches_goal(result.actions)
