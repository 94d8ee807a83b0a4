"""The memory of Sokoban's searches: everything counts before it is created, and never more than the limit."""

import itertools
from functools import partial

import pytest
from sokoban_problems import problem_of, random_levels

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.sokoban import searches
from gridpuzzles_gym.agents.sokoban.searches import SEARCHES
from gridpuzzles_gym.agents.sokoban.solver import improving, sub_searches
from gridpuzzles_gym.agents.sokoban.solver.board import survey
from gridpuzzles_gym.agents.sokoban.solver.budget import Budget, arrays_in
from gridpuzzles_gym.agents.sokoban.solver.sub_searches import PushSearch
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

LEVELS = [level.content for level in find_levels(PUZZLE, "first")]
HARD = [level.content for level in find_levels(PUZZLE, "hard-test")[:8]]
GREEDY = partial(PushSearch, cost_weight=0, weight=1)


def size(*parts):
    """The bytes of all arrays in nested tuples, each counted once."""
    return sum({id(array): array.nbytes for array in arrays_in(parts)}.values())


def test_a_budget_counts_what_exists():
    problem = problem_of(LEVELS[0])
    board, boxes, player = survey(problem.level, problem.state)
    budget = Budget(base=(board, boxes))
    base = budget.used
    assert base == size(board, boxes)
    search = budget.create(5_000_000, lambda: GREEDY(board, boxes, player))
    assert budget.used == size(*search.parts(), boxes)
    assert budget.peak == base + 5_000_000
    del search
    assert budget.used == base
    budget.limit = base + 10
    assert budget.fits(10)
    with pytest.raises(MemoryError, match="11 bytes more"):
        budget.create(11, lambda: pytest.fail("it must not be created"))


@pytest.fixture
def small(monkeypatch):
    """Everything begins small, grows soon and comes early, so that small levels need all of it."""
    monkeypatch.setattr(sub_searches, "FIRST_CAPACITY", 64)
    monkeypatch.setattr(searches, "HEAD_START", 50)
    monkeypatch.setattr(improving, "MOST_NODES", 300)


class Watched(Budget):
    """A budget that looks at everything that exists, each time that something is asked for or counted."""

    most = 0
    created = 0

    def look(self):
        Watched.most = max(Watched.most, self.used)
        assert self.used <= max(self.limit, size(self._base)), "there is more than the limit"

    def fits(self, more):
        self.look()
        return super().fits(more)

    def count(self, holder):
        found = super().count(holder)
        Watched.created += 1
        self.look()
        assert self.used <= self.peak
        return found


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("improve", ["no", "moves"])
def test_the_limit_is_never_exceeded(small, monkeypatch, improve):
    """By many levels and limits: either it is kept at every moment, or there is no memory to begin."""
    monkeypatch.setattr(searches, "Budget", Watched)
    ends, problems = set(), [problem for _, problem in random_levels(6, boxes=3)] + [problem_of(rows) for rows in HARD]
    for problem, limit in itertools.product(
        problems, (1, 300_000, 1_100_000, 1_500_000, 3_000_000, 6_000_000, 20_000_000)
    ):
        Watched.most = Watched.created = 0
        result = SEARCHES["sokoban"].solve(problem, ZERO, Limits(memory=limit, nodes=600), improve=improve)
        assert result.peak_bytes <= limit
        assert Watched.most <= max(result.peak_bytes, size(survey(problem.level, problem.state)[:2]))
        if not Watched.created:
            assert (result.status, result.reason, result.expanded, result.actions) == ("limit", "memory", 0, ())
        problem.replay(result.actions)
        assert problem.reaches_goal(result.actions) == result.solved
        ends.add(result.reason or result.status)
    assert {"memory", "solved"} <= ends


@pytest.mark.compiled
@pytest.mark.extended
def test_what_fits_is_the_same_with_a_limit(small):
    """The same positions and the same solution: only memory that is short changes anything."""
    for rows in HARD:
        free, kept = (
            SEARCHES["sokoban"].solve(problem_of(rows), ZERO, Limits(memory=memory)) for memory in (None, 1 << 30)
        )
        assert (kept.actions, kept.expanded, kept.generated) == (free.actions, free.expanded, free.generated)
        assert 0 < kept.peak_bytes == free.peak_bytes
