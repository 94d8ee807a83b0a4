"""Sokoban from both ends: levels read backwards, and searches that take turns."""

import gc
import itertools
import math
import weakref
from functools import partial

import pytest
from naive_sokoban_search import fewest_moves
from sokoban_problems import problem_of, random_levels

from gridpuzzles_gym.agents.search import loops
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.search.running import Run
from gridpuzzles_gym.agents.sokoban.searches import schedule_of
from gridpuzzles_gym.agents.sokoban.solver.board import FAR, aimed, survey
from gridpuzzles_gym.agents.sokoban.solver.budget import Budget
from gridpuzzles_gym.agents.sokoban.solver.portfolio import Portfolio
from gridpuzzles_gym.agents.sokoban.solver.sub_searches import Backwards, FeatureSearch, PushSearch, enlarge
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

GREEDY = partial(PushSearch, cost_weight=0, weight=1)
LEVELS = {level.name: level.content for level in find_levels(PUZZLE, "first")}
TITLES = ("Lift shaft", "Mill", "Harbour", "Change of places")


def portfolio_of(problem, *makers, limits=None, head_start=0):
    """Searches that take turns on a problem."""
    run = Run(problem, ZERO, limits or Limits(), 0, False)
    start = survey(problem.level, problem.state)
    budget = Budget(run.limits.memory or math.inf, base=start[:2])
    return Portfolio(run, budget, start[2], [partial(schedule_of(make), budget, *start) for make in makers], head_start)


def drive(portfolio):
    """Search to the end: the status, and the actions."""
    status = portfolio.run.drive(portfolio.advance, portfolio.grow)
    return status, portfolio.plan(status == "solved")


def test_pushes_are_as_many_from_either_end():
    """Of a single box: from its start to each square where a goal could be."""
    compared = 0
    for rows, problem in random_levels(10, boxes=1):
        board, boxes, _ = survey(problem.level, problem.state)
        backward = aimed(board, boxes, pushed=0)
        assert (board.pushed, backward.pushed) == (1, 0)
        goal = int(board.goals[0])
        assert backward.distance[goal, 0] == board.distance[boxes[0], 0], rows
        compared += board.distance[boxes[0], 0] < FAR
    assert compared > 5


@pytest.mark.extended
def test_backwards_alone_it_solves_what_can_be_solved():
    solvable = 0
    for rows, problem in random_levels(60, boxes=3):
        status, actions = drive(portfolio_of(problem, Backwards(GREEDY)))
        can = fewest_moves(rows) is not None
        assert status == ("solved" if can else "exhausted"), rows
        assert problem.reaches_goal(actions) == can
        solvable += can
    assert 10 < solvable < 50


def test_searches_from_both_ends_take_turns_until_one_has_a_solution():
    last = set()
    for title, make in itertools.product(TITLES, (GREEDY, FeatureSearch)):
        problem = problem_of(LEVELS[title])
        portfolio = portfolio_of(problem, make, Backwards(GREEDY))
        status, actions = drive(portfolio)
        assert status == "solved"
        assert problem.reaches_goal(actions)
        last.add(portfolio.turn.board.pushed)
    assert last == {0, 1}


def test_without_memory_the_first_goes_on_alone():
    problem = problem_of(LEVELS["Change of places"])
    portfolio = portfolio_of(problem, GREEDY, Backwards(GREEDY))
    portfolio.budget.limit = portfolio.budget.peak
    status, actions = drive(portfolio)
    assert status == "solved"
    assert problem.reaches_goal(actions)
    assert len(portfolio.schedules) == 1
    assert len(portfolio.makers) == 1
    assert portfolio.budget.peak <= portfolio.budget.limit


def test_without_memory_for_it_the_others_go_on():
    """The search with the most memory for its share is dropped, and its arrays are released."""
    problem = problem_of(LEVELS["Mill"])
    portfolio = portfolio_of(problem, FeatureSearch, GREEDY)
    for _ in range(2):
        portfolio.run.control[loops.BUDGET] = 1
        portfolio.advance()
        portfolio._pass_on()
    assert len(portfolio.schedules) == 2
    portfolio.schedule = portfolio.schedules[0]
    for _ in range(3):
        enlarge(portfolio.turn)
    arrays = weakref.ref(portfolio.turn.nodes.boxes)
    portfolio.budget.limit = portfolio.budget.used
    portfolio.grow(portfolio.budget.limit)
    portfolio.budget.limit = math.inf
    gc.collect()
    assert arrays() is None
    assert portfolio.turn is portfolio.schedules[0].search
    assert len(portfolio.schedules) == 1
    status, actions = drive(portfolio)
    assert status == "solved"
    assert problem.reaches_goal(actions)
