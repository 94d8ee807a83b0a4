"""The shipped levels: what is said of each is proven again."""

import re

import gymnasium as gym
import pytest
from helpers import REPOSITORY
from sokoban_problems import problem_of, pushes_in

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.sokoban.searches import SEARCHES
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.level_io.formats import read_entries

FILE = REPOSITORY / "levels" / "sokoban" / "first.txt"
LEVELS = {level.name: level.content for level in find_levels(PUZZLE, "first")}


def stated():
    """(title, fewest pushes, fewest moves), as the file has them."""
    for entry in read_entries(FILE.read_text(encoding="utf-8"), FILE.name):
        numbers = re.fullmatch(r"fewest pushes: (\d+), fewest moves: (\d+)", entry.comments[-1])
        yield entry.title, int(numbers[1]), int(numbers[2])


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(("title", "pushes", "moves"), list(stated()), ids=[title for title, *_ in stated()])
def test_what_is_said_of_a_level_is_so(title, pushes, moves):
    problem = problem_of(LEVELS[title])
    plan = SEARCHES["sokoban-pushes"].solve(problem, ZERO).actions
    assert problem.reaches_goal(plan)
    assert pushes_in(problem, plan) == pushes
    plan = SEARCHES["sokoban-moves"].solve(problem, ZERO).actions
    assert problem.reaches_goal(plan)
    assert len(plan) == moves


def test_they_are_many_and_fit_the_default_board():
    assert len(LEVELS) >= 24
    env = gym.make("Sokoban-v0")
    assert env.observation_space.shape == (5, 10, 10)
    assert max(moves for _, _, moves in stated()) <= env.spec.max_episode_steps
    for rows in LEVELS.values():
        assert 7 <= len(rows) <= 10
        assert 7 <= len(rows[0]) <= 10
        assert 1 <= "".join(rows).count("$") + "".join(rows).count("*") <= 4
    assert max(pushes for _, pushes, _ in stated()) >= 40
    assert len(set(LEVELS.values())) == len(LEVELS)
