"""Sokoban's estimates for the generic searches: against slow twins, and what A* makes of them."""

import itertools

import pytest
from naive_sokoban import solvable_states
from naive_sokoban_search import fewest_moves, fewest_pushes, squares
from sokoban_boards import random_rows
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.search.heuristic import DEAD_END
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.agents.search_tables import heuristics_of
from gridpuzzles_gym.agents.sokoban.heuristics import HEURISTICS, PENALTY
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

SEEDS = range(40)
TINY = {seed: random_rows(seed, 5, 5 + seed % 3) for seed in SEEDS}
"""Boards with one box, or two."""


def estimate(name, rows):
    """What a heuristic says, compiled and interpreted."""
    problem, heuristic = problem_of(rows), HEURISTICS[name]
    tables = heuristic.prepare(problem.level)
    answer = heuristic.function()(problem.level, problem.state, tables)
    assert heuristic.evaluate(problem.level, problem.state, tables) == answer
    return answer


def pushes_alone(rows, box, goal):
    """The fewest pushes of one box to one goal, all others gone, from whichever side is best; None where none is."""
    spots = {box: "$", goal: "."} if box != goal else {box: "*"}
    answers = []
    for player in {box + step for step in (-1, 1, -1j, 1j)} - squares(rows, "#"):
        drawn = {**spots, player: "+" if player == goal else "@"}
        answers.append(
            fewest_pushes(
                [
                    "".join(drawn.get(r + c * 1j, " #"[cell == "#"]) for c, cell in enumerate(row))
                    for r, row in enumerate(rows)
                ]
            )
        )
    return min((answer for answer in answers if answer is not None), default=None)


@pytest.mark.parametrize("seed", SEEDS)
def test_matching_is_the_cheapest_of_all_matchings(seed):
    rows = TINY[seed]
    costs = [
        [pushes_alone(rows, box, goal) for box, goal in zip(squares(rows, "$*"), goals, strict=True)]
        for goals in itertools.permutations(squares(rows, ".+*"))
    ]
    cheapest = min((sum(pushes) for pushes in costs if None not in pushes), default=DEAD_END)
    assert estimate("matching", rows) == cheapest


@pytest.mark.parametrize("seed", SEEDS)
def test_the_original_estimate_is_what_it_says(seed):
    rows = TINY[seed]
    boxes, goals, (player,) = squares(rows, "$*"), squares(rows, ".+*"), squares(rows, "@+")
    matched = min(sum(map(straight, boxes, order)) for order in itertools.permutations(goals))
    assert estimate("original", rows) == matched + min(straight(player, box) for box in boxes - goals)


def straight(one, other):
    return int(abs(one.real - other.real) + abs(one.imag - other.imag))


def test_of_every_board_that_play_leads_to():
    """What can be solved is never a dead end, nor told further from its end than it is."""
    dead = 0
    for rows in TINY.values():
        for number, (board, solvable) in enumerate(sorted((solvable_states(rows, most=1500) or {}).items())):
            if number % 20:
                continue
            least, told = estimate("matching", board), estimate("original", board)
            assert least == DEAD_END or told < PENALTY
            dead += least == DEAD_END
            if solvable:
                assert least <= fewest_pushes(board)
                assert (least == 0) == ("$" not in "".join(board)) == (told == 0)
            elif least < DEAD_END:
                assert least > 0
    assert dead > 50


@pytest.mark.parametrize("seed", SEEDS)
def test_what_astar_makes_of_them(seed):
    rows = TINY[seed]
    problem, moves = problem_of(rows), fewest_moves(rows)
    results = {name: SEARCHES["astar"].solve(problem, heuristic) for name, heuristic in heuristics_of(PUZZLE).items()}
    if moves is None:
        assert {result.status for result in results.values()} == {"exhausted"}
        return
    for result in results.values():
        assert result.status == "solved"
        assert problem.reaches_goal(result.actions)
    assert results["matching"].cost == results["zero"].cost == moves <= results["original"].cost
    assert results["matching"].expanded <= results["zero"].expanded
