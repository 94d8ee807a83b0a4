"""Measured difficulty: equal to what the searches say through the ordinary way, its density between two bounds."""

import dataclasses
import itertools

import pytest
from naive_sokoban import random_board
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, Limits, Problem
from gridpuzzles_gym.agents.sokoban.generation import difficulty
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Difficulty, measure, trace
from gridpuzzles_gym.agents.sokoban.searches import _run, schedule_of, solve
from gridpuzzles_gym.agents.sokoban.solver.board import survey
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import is_stuck
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd, write_lurd
from gridpuzzles_gym.puzzles.sokoban.rules import solved

BUNDLED = [level.content for level in find_levels(PUZZLE, "first")]


def measured(rows, limit=100_000):
    problem = problem_of(rows)
    return problem, measure(problem.level, problem.state, limit)


def random_levels(count, boxes):
    found = []
    for seed in itertools.count():
        rows = random_board(seed, boxes=boxes)
        try:
            found += PUZZLE.parse("\n".join(rows) + "\n", "drawn")
        except LevelError:
            continue
        if len(found) == count:
            return [level.content for level in found]


def searched(make, problem, limit=100_000):
    return _run(problem, Limits(nodes=limit), False, schedule_of(make))


@pytest.mark.extended
@pytest.mark.parametrize("rows", [*BUNDLED[:-5:3], *random_levels(20, 2)])
def test_it_is_what_the_searches_say(rows):
    problem, found = measured(rows)
    result, proof = searched(difficulty.FINDING, problem), searched(difficulty.PROVING, problem)
    assert found.solved == result.solved
    assert (found.nodes, found.proof_nodes) == (result.expanded, proof.expanded if proof.solved else 0)
    if result.solved:
        lurd = write_lurd(problem.level, problem.state, proof.actions)
        assert found.certificate == lurd
        assert (found.moves, found.pushes) == (len(lurd), sum(letter.isupper() for letter in lurd))
        assert problem.reaches_goal(read_lurd(found.certificate))


def pushes_from(problem, state):
    """The states that one push leads to, by the rules and nothing else."""
    rules, seen, waiting = PUZZLE.rules, {state.tobytes()}, [state]
    while waiting:
        here = waiting.pop()
        for action in range(4):
            if rules.legal(problem.level, here, action):
                after = here.copy()
                rules.step(problem.level, after, action, None)
                if (after[2:] != here[2:]).any():
                    yield after
                elif after.tobytes() not in seen:
                    seen.add(after.tobytes())
                    waiting.append(after)


@pytest.mark.parametrize("rows", random_levels(12, 3))
def test_traps_are_lost_and_plain_losses_are_traps(rows):
    problem, found = measured(rows)
    if not found.solved:
        return
    plan = read_lurd(found.certificate)
    states = problem.replay(plan)
    told = trace(*survey(problem.level, problem.state), plan)
    choices = plain = lost = 0
    for before, after in itertools.pairwise(states):
        if (before[2:] == after[2:]).all():
            continue
        for state in pushes_from(problem, before):
            choices += 1
            plain += is_stuck(problem.level.copy(), state.copy())
            rest = Problem(PUZZLE, problem.level, state, problem.options)
            over = solved(problem.level, state)
            lost += not over and searched(difficulty.PROVING, rest).status == EXHAUSTED
    assert told.choices == choices
    assert plain <= told.traps <= lost
    assert found.deadlock_density == told.traps / choices


def test_limits_are_counted_in_positions():
    rows = BUNDLED[-1]
    _, whole = measured(rows)
    _, short = measured(rows, whole.nodes - 1)
    assert not short.solved
    assert short == Difficulty(False, whole.nodes - 1, 0)
    _, unproven = measured(rows, max(whole.nodes, 1))
    assert unproven.solved == (whole.proof_nodes <= whole.nodes)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("limit", [3, 30, 100_000])
def test_it_is_the_same_at_length(limit):
    """Where the searches are driven from Python."""
    for rows in [*BUNDLED, *random_levels(30, 3)]:
        problem, found = measured(rows, limit)
        assert difficulty._measure_large(problem.level, problem.state, limit) == found


@pytest.mark.extended
def test_after_the_head_start_it_is_what_the_whole_solver_says(monkeypatch):
    monkeypatch.setattr(difficulty, "HEAD_START", 0)
    for rows in [*BUNDLED[::4], *random_levels(20, 3)]:
        problem, alone = measured(rows)
        result = solve(problem, ZERO, Limits())
        found = difficulty._measure_large(problem.level, problem.state, 100_000)
        assert (found.solved, found.nodes) == (result.solved, result.expanded)
        assert found == dataclasses.replace(alone, nodes=result.expanded)
