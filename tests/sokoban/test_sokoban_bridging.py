"""Sokoban's levels opened from both ends, and the searches between open positions."""

import gc
import itertools
import math
import weakref
from functools import partial

import numpy as np
import pytest
from naive_sokoban_positions import area_of
from naive_sokoban_search import STEPS, fewest_moves
from sokoban_positions import Position
from sokoban_problems import problem_of, random_levels

from gridpuzzles_gym.agents.search import loops
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.search.running import Run
from gridpuzzles_gym.agents.sokoban.searches import schedule_of
from gridpuzzles_gym.agents.sokoban.solver import bridging, feature_search
from gridpuzzles_gym.agents.sokoban.solver.board import survey
from gridpuzzles_gym.agents.sokoban.solver.budget import Budget
from gridpuzzles_gym.agents.sokoban.solver.meeting import NODE_BITS
from gridpuzzles_gym.agents.sokoban.solver.nodes import squares_of
from gridpuzzles_gym.agents.sokoban.solver.packing import LEFT
from gridpuzzles_gym.agents.sokoban.solver.portfolio import Portfolio, Schedule, _ways_to
from gridpuzzles_gym.agents.sokoban.solver.position import ANYWHERE, COUNT, MET, NO_END
from gridpuzzles_gym.agents.sokoban.solver.sub_searches import FeatureSearch, PushSearch, enlarge
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

LEVELS = [level.content for level in find_levels(PUZZLE, "hard")[:60]]


def bridges(*start):
    """The schedule of short searches."""
    return Schedule(bridging.bridging(*start), 8)


def portfolio_of(problem, *makers, limits=None):
    """Lines of searches on a problem."""
    run, start = Run(problem, ZERO, limits or Limits(), 0, False), survey(problem.level, problem.state)
    budget = Budget(run.limits.memory or math.inf, base=start[:2])
    return Portfolio(run, budget, start[2], [partial(make, budget, *start) for make in makers], 0)


def drive(portfolio):
    """Search to the end: the status, and the actions."""
    status = portfolio.run.drive(portfolio.advance, portfolio.grow)
    return status, portfolio.plan(status == "solved")


@pytest.fixture
def short(monkeypatch):
    """Many short searches, always with the same weights, so that either end is soon opened first."""
    monkeypatch.setattr(bridging, "QUOTA", 4)
    monkeypatch.setattr(bridging, "WEIGHTS", bridging.WEIGHTS[:1])


def test_it_solves_what_can_be_solved(short):
    solvable = 0
    for rows, problem in random_levels(20, boxes=3):
        can = fewest_moves(rows) is not None
        status, actions = drive(portfolio_of(problem, bridges, limits=Limits(nodes=100)))
        assert status == ("solved" if can else "limit"), rows
        assert problem.reaches_goal(actions) == can
        solvable += can
    assert 5 < solvable < 18


def test_solutions_lead_over_open_positions(short):
    """From the start over one near it, or over one near the end, or over both."""
    parts = {True: set(), False: set()}
    for rows in LEVELS:
        problem = problem_of(rows)
        portfolio = portfolio_of(problem, bridges)
        status, actions = drive(portfolio)
        assert status == "solved"
        assert problem.reaches_goal(actions)
        ends = [portfolio._met()] if portfolio.turn.control[MET] >= 0 else []
        for end in (*ends, bridging.Root(portfolio.turn, 0)):
            parts[bool(end.search.board.pushed)].add(len(_ways_to(end)))
    assert parts == {True: {1, 2}, False: {1, 2}}


def test_only_a_search_for_a_start_of_the_level_ends_by_itself():
    """All others reach what is no solution, unless they meet one from the other end."""
    problem = problem_of(LEVELS[0])
    board, boxes, player = survey(problem.level, problem.state)
    aims, ends = set(), set()
    for search, _ in itertools.islice(bridging.bridging(Budget(), board, boxes, player), 100):
        search.control[loops.BUDGET] = 20
        search.advance()
        aims.add((search.board.pushed, tuple(search.board.goals)))
        if search.end != NO_END:
            ends.add((search.board.pushed, tuple(search.board.goals), search.end))
    assert ends == {(0, tuple(boxes), player)}
    assert len(aims) > 6


def test_the_ways_to_a_position_are_in_the_order_of_pushes():
    start = Position(*LEVELS[0])
    first = PushSearch(start.board, start.work.boxes, start.player, 0, 1)
    for pushed in (True, False):
        board = start.board._replace(pushed=int(pushed))
        roots = [bridging.Root(first, 7)]
        for node in (8, 9):
            later = PushSearch(board, start.work.boxes, start.player, 0, 1, end=NO_END, root=roots[-1])
            roots.append(bridging.Root(later, node))
        assert [way.node for way in _ways_to(roots[-1])] == ([7, 8, 9] if pushed else [9, 8, 7])


def test_without_memory_for_it_the_others_go_on():
    """The schedule with the most memory for its share is dropped, and its arrays are released."""
    problem = problem_of(LEVELS[20])
    portfolio = portfolio_of(problem, bridges, schedule_of(partial(PushSearch, cost_weight=1, weight=1)))
    portfolio.advance()
    portfolio.run.control[loops.BUDGET] = 1
    portfolio.advance()
    portfolio._pass_on()
    assert len(portfolio.schedules) == 2
    portfolio.schedule, portfolio.turn = portfolio.schedules[0], portfolio.schedules[0].search
    for _ in range(3):
        enlarge(portfolio.turn)
    arrays = weakref.ref(portfolio.turn.nodes.boxes)
    portfolio.budget.limit = portfolio.budget.used
    portfolio.grow(portfolio.budget.limit)
    portfolio.budget.limit = math.inf
    gc.collect()
    assert arrays() is None
    assert portfolio.turn is portfolio.schedules[0].search
    assert list(portfolio.searches.values()) == [portfolio.turn]
    status, actions = drive(portfolio)
    assert status == "solved"
    assert problem.reaches_goal(actions)


def test_finished_searches_are_forgotten_when_memory_is_short(short):
    """The others and their positions are kept, and the tables know no other positions."""
    problem = problem_of(LEVELS[52])
    portfolio = portfolio_of(problem, bridges)
    while sum(one.closed for one in portfolio.searches.values()) < 20:
        portfolio.run.control[loops.BUDGET] = 1
        assert portfolio.advance() == loops.PAUSED
    going = {number: one for number, one in portfolio.searches.items() if not one.closed}
    portfolio.budget.limit = portfolio.budget.used
    assert not portfolio.budget.fits(1 << 40)
    portfolio.budget.limit = math.inf
    assert portfolio.searches == going
    assert portfolio.turn in going.values()
    for pushed, found in enumerate(portfolio._found):
        same = [one for one in going.values() if one.board.pushed == pushed]
        words = {int(word) for one in same for word in one.nodes.word[: one.control[COUNT]]}
        assert {int(word) for word, place in zip(found.word, found.place, strict=True) if place >= 0} == words
        for word, place in zip(found.word, found.place, strict=True):
            assert place < 0 or going[place >> NODE_BITS].nodes.word[place & ((1 << NODE_BITS) - 1)] == word
    status, actions = drive(portfolio)
    assert status == "solved"
    assert problem.reaches_goal(actions)


@pytest.mark.parametrize("pushed", [True, False], ids=["forwards", "backwards"])
def test_the_most_open_position_is_measured_as_defined(pushed):
    moved = 0
    for rows, _ in random_levels(40, boxes=4, fewest=3):
        position = Position(*rows)
        boxes, player = position.work.boxes, position.player
        if not pushed:
            position = position.backwards(position.names[player])
            boxes, player = position.work.boxes, ANYWHERE
        search = FeatureSearch(position.board, boxes, player, counted=LEFT, end=NO_END)
        weights = [10**6, 10**4, 10**3]
        search.control[feature_search.PER_AREA : feature_search.PER_STUCK + 1] = weights
        search.control[feature_search.LEAST_CLOSED] = loops.UNBOUNDED
        search.control[loops.BUDGET] = 20
        search.advance()
        closed, node = search.control[feature_search.LEAST_CLOSED], int(search.control[feature_search.OPEN])
        if closed == loops.UNBOUNDED:  # no position was expanded to its end
            continue
        found = set(position.named(squares_of(search.nodes.boxes[node])))
        floor, live = frozenset(position.names), set(position.names[: position.board.live])
        areas = len({area_of(floor, found, square) for square in floor - found})
        left = len(set(position.named(boxes)) - found)
        stuck = sum(not any(can_step(floor - found, live, box, step, pushed) for step in STEPS) for box in found)
        moves = np.dot(weights, [areas, -left, stuck]) - closed
        assert 0 <= moves < 1000, rows
        moved += left > 0
    assert moved > 10


def can_step(free, live, box, step, pushed):
    """Can a box be pushed, or pulled, by a player who may be on any free square?"""
    squares = {box - step, box + step} if pushed else {box + step, box + 2 * step}
    return squares <= free and box + step in live
