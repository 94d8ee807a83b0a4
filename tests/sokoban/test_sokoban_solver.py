"""Sokoban's own searches: against brute force, under limits, on the levels of others."""

import gymnasium as gym
import pytest
from helpers import REPOSITORY, ctrl_c
from naive_sokoban import random_board
from naive_sokoban_search import fewest_moves, fewest_pushes
from sokoban_problems import problem_of, pushes_in

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.sokoban.searches import SEARCHES
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

DATA = REPOSITORY.parent / "shared" / "data" / "sokoban"
LEVELS = {level.name: level.content for level in find_levels(PUZZLE, "first")}
MANY = 200
TINY = Limits(memory=300_000), Limits(memory=600_000), Limits(memory=1_300_000), Limits(nodes=1), Limits(nodes=7)


def hall(width, rows, boxes):
    """A wide level with many boxes."""
    row = "# " + "$ " * boxes + " " * (width - 3 - 3 * boxes) + "." * boxes + "#"
    return ("#" * width, *(row, "#" + " " * (width - 2) + "#") * rows, "#@" + " " * (width - 3) + "#", "#" * width)


HALL = hall(32, 7, 6)
GREAT_HALL = hall(60, 13, 12)
"""No search solves it in seconds."""

each_search = pytest.mark.parametrize("name", SEARCHES)


def solve(name, problem, limits=None, **parameters):
    return SEARCHES[name].solve(problem, ZERO, limits, **parameters)


def valid(rows):
    """The rows as a level has them; None where they are none."""
    try:
        (level,) = PUZZLE.parse("\n".join(rows) + "\n", "drawn")
    except LevelError:
        return None
    return level.content


def small_levels(count, boxes):
    """So many random levels on up to 5 by 5 squares, some of them without a solution."""
    found, seed = [], 0
    while len(found) < count:
        rows = valid(random_board(seed, boxes=boxes))
        seed += 1
        if rows:
            found.append(rows)
    return found


# -- against brute force -------------------------------------------------------------------------


@pytest.mark.extended
def test_two_hundred_small_levels():
    """With every fifth, also under a limit too small for most: what can be solved is never called lost."""
    solvable, ends = 0, set()
    for number, rows in enumerate(small_levels(MANY, boxes=3)):
        problem, moves, pushes = problem_of(rows), fewest_moves(rows), fewest_pushes(rows)
        solvable += moves is not None
        for name in SEARCHES:
            result = solve(name, problem)
            assert result.status == ("exhausted" if moves is None else "solved"), (name, *rows)
            assert problem.reaches_goal(result.actions) == result.solved
            if name == "sokoban-pushes" and result.solved:
                assert pushes_in(problem, result.actions) == pushes, rows
            if name == "sokoban-moves" and result.solved:
                assert len(result.actions) == moves, rows
            if number % 5 == 0:
                result = solve(name, problem, TINY[number // 5 % len(TINY)])
                assert result.status != "exhausted" or moves is None, (name, *rows)
                assert problem.reaches_goal(result.actions) >= result.solved
                ends.add(result.reason or result.status)
    assert 40 < solvable < MANY - 40
    assert ends == {"solved", "exhausted", "memory", "nodes"}


@pytest.mark.parametrize(
    "rows",
    [
        ("#####", "#@$ #", "#  .#", "#####"),
        ("#######", "#.@$$ #", "#.    #", "#######"),
        ("#######", "#@ # .#", "# $#  #", "#  #  #", "#  $ .#", "#######"),
    ],
    ids=["dead", "frozen", "apart"],
)
@each_search
def test_what_is_lost_from_the_start_is_exhausted(name, rows):
    result = solve(name, problem_of(rows))
    assert (result.status, result.actions) == ("exhausted", ())


@pytest.mark.compiled
@pytest.mark.extended
def test_many_boxes_far_from_their_goals_are_not_lost():
    """Together they need over ten thousand pushes."""
    aisles = ("# " + "$ " * 8 + " " * 37 + "." * 8 + "#", "#" + " " * 62 + "#") * 31
    problem = problem_of(("#" * 64, "#@" + " " * 61 + "#", *aisles[:61], "#" * 64))
    result = solve("sokoban-pushes", problem, Limits(nodes=1))
    assert (result.status, result.reason) == ("limit", "nodes")


@each_search
def test_plans_play_in_the_environment(name):
    env = gym.make("Sokoban-v0", max_episode_steps=1000)
    for title in ("Around the corner", "Checkers", "Change of places"):
        env.reset(options={"level": title})
        plan = solve(name, Problem.of(env)).actions
        for number, action in enumerate(plan, start=1):
            _, _, terminated, _, info = env.step(action)
            assert terminated == (number == len(plan))
        assert info["is_success"]


@pytest.mark.compiled
@pytest.mark.extended
def test_improving_never_makes_it_longer():
    for title in ("Lift shaft", "Change of places"):
        problem = problem_of(LEVELS[title])
        plans = {how: solve("sokoban", problem, improve=how).actions for how in ("no", "pushes", "moves")}
        assert all(problem.reaches_goal(plan) for plan in plans.values())
        assert len(plans["moves"]) <= len(plans["no"])
        assert pushes_in(problem, plans["pushes"]) <= pushes_in(problem, plans["no"])


# -- limits --------------------------------------------------------------------------------------


@each_search
def test_the_limit_on_nodes_holds(name):
    problem = problem_of(HALL)
    result = solve(name, problem, Limits(nodes=20))
    assert (result.status, result.reason, result.expanded) == ("limit", "nodes", 20)
    assert result.actions
    problem.replay(result.actions)


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_the_limit_on_seconds_holds(name):
    problem = problem_of(GREAT_HALL)
    solve(name, problem, Limits(nodes=2))  # compiles
    result = solve(name, problem, Limits(seconds=0.2))
    assert (result.status, result.reason) == ("limit", "seconds")
    assert result.expanded < 2_000_000  # ten times what it expands in that time
    assert result.seconds >= 0.1  # a search ends early if its arrays cannot grow in the rest of the time
    problem.replay(result.actions)


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_the_limit_on_memory_holds(name):
    problem = problem_of(HALL)
    result = solve(name, problem, Limits(memory=1, nodes=100_000))
    assert (result.status, result.reason, result.actions, result.expanded) == ("limit", "memory", (), 0)
    result = solve(name, problem, Limits(memory=3_000_000, nodes=100_000))
    assert (result.status, result.reason) == ("limit", "memory")
    assert 0 < result.peak_bytes <= 3_000_000
    problem.replay(result.actions)


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_equal_problems_have_equal_results(name):
    problem = problem_of(LEVELS["Cellar"])
    one, other = (solve(name, problem) for _ in range(2))
    assert (one.actions, one.expanded, one.generated) == (other.actions, other.expanded, other.generated)


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_ctrl_c_ends_a_search_with_its_best_plan(name):
    problem = problem_of(GREAT_HALL)
    solve(name, problem, Limits(nodes=2))  # compiles
    with ctrl_c(0.2):
        result = solve(name, problem, Limits(seconds=30))
    assert result.status == "interrupted"
    assert result.expanded > 0
    problem.replay(result.actions)


# -- the levels of others ------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("file", "count", "seconds"),
    [
        ("boxoban_unfiltered_test_000-299.xsb", 50, 2),
        ("boxoban_hard_000-199.xsb", 50, 2),
        ("microban_1_155.xsb", 30, 5),
        ("xsokoban_01-15.xsb", 5, 60),
    ],
)
def test_the_first_levels_of_known_collections(file, count, seconds):
    if not (DATA / file).exists():
        pytest.skip(f"{file} is not next to this repository")
    for level in find_levels(PUZZLE, DATA / file)[:count]:
        problem = problem_of(level.content)
        result = solve("sokoban", problem, Limits(seconds=seconds))
        assert result.solved, level.name
        assert problem.reaches_goal(result.actions)
