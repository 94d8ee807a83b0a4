"""Bait levels as text: both ways, what is said of one that cannot be, and the packs that are shipped."""

import gymnasium as gym
import pytest
from helpers import REPOSITORY

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.bait import PUZZLE


def test_the_ansi_picture():
    env = gym.make("Bait-v0", levels="Am.k\nw..g\n", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "Am.k\nw..g\nstep 0  score 0  return 0  ready\n"
    pictures = []
    for action in (0, 3, 3, 3, 1):
        env.step(action)
        pictures.append(env.render().splitlines()[-1])
    assert pictures == [
        "step 1  score 0  return -1  stopped",
        "step 2  score 1  return -2  moving",
        "step 3  score 1  return -3  moving",
        "step 4  score 1  return -4  key in hand",
        "step 5  score 6  return 995  solved",
    ]


FEWEST_STEPS = {
    "1 Fill the hole": 14,
    "2 Mushrooms stop boxes": 22,
    "3 Through the shut door": 27,
    "4 North and south": 38,
    "5 Every box counts": 182,
}


def test_the_lessons_are_played_by_default():
    assert [level.name for level in find_levels(PUZZLE, "lessons")] == list(FEWEST_STEPS)
    env = gym.make("Bait-v0").unwrapped
    assert env.observation_space.shape == (9, 11, 13)
    assert len(env.batch.source.levels) == len(FEWEST_STEPS)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", FEWEST_STEPS)
def test_the_fewest_steps_of_a_lesson(name):
    """Breadth-first search proves them; the pack states them in its comments."""
    env = gym.make("Bait-v0")
    env.reset(seed=0, options={"level": name})
    problem = Problem.of(env)
    result = SEARCHES["breadth-first"].solve(problem, ZERO, None, 0)
    assert result.status == "solved"
    assert len(result.actions) == FEWEST_STEPS[name]
    assert problem.reaches_goal(result.actions)
    pack = (REPOSITORY / "levels" / "bait" / "lessons.txt").read_text(encoding="utf-8")
    assert f"; fewest steps: {FEWEST_STEPS[name]}\n; {name}\n" in pack
