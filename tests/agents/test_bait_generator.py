"""Levels of Bait from the sampler: they can be won, come again for the same bits, and are as hard as asked for."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import run

from gridpuzzles_gym.agents.bait.heuristics import HEURISTICS
from gridpuzzles_gym.agents.bait.sampler import DIFFICULTIES, BaitSampler
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import search_named
from gridpuzzles_gym.engine.levels.sources import Sampler, find_levels
from gridpuzzles_gym.puzzles.bait import PUZZLE
from gridpuzzles_gym.puzzles.bait.boards import things_of
from gridpuzzles_gym.puzzles.bait.rules import HOLE

OPTIONS = PUZZLE.read_options()


def problem_of(level):
    return Problem(PUZZLE, *PUZZLE.encode(level, level.extent, OPTIONS), OPTIONS)


def solve(name, level):
    return search_named(name, PUZZLE).solve(problem_of(level), HEURISTICS["first-times"], Limits(nodes=20_000))


def count_holes(level, row):
    return np.count_nonzero(things_of(level, row) == HOLE)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("width", "height", "difficulty", "count"),
    [(9, 9, "easy", 60), (7, 7, 1, 30), (9, 9, "medium", 20), (13, 11, "hard", 5), (7, 7, "medium", 8), (7, 16, 3, 5)],
)
def test_levels_can_be_won_and_need_their_holes_filled(width, height, difficulty, count):
    sampler = BaitSampler(width, height, difficulty)
    assert isinstance(sampler, Sampler)
    for bits in range(count):
        level = sampler.sample(bits)
        assert level.extent == sampler.extent == (height, width)
        problem, result = problem_of(level), solve("greedy", level)
        assert result.solved
        filled = count_holes(problem.level, problem.state) - count_holes(
            problem.level, problem.replay(result.actions)[-1]
        )
        assert filled >= DIFFICULTIES.get(difficulty, difficulty)
        (again,) = PUZZLE.parse(PUZZLE.format(problem.level, problem.state), "text")
        assert (again.content == level.content).all()


@pytest.mark.extended
def test_equal_random_bits_give_equal_levels():
    one, other = BaitSampler(), BaitSampler()
    levels = [one.sample(bits) for bits in range(20)]
    for bits in reversed(range(20)):
        again = other.sample(bits)
        assert (again.content == levels[bits].content).all()
        assert again.name == levels[bits].name
    assert len({level.content.tobytes() for level in levels}) == 20


def test_environments_play_them():
    sampler = BaitSampler(7, 8)
    env = gym.make("Bait-v0", levels=sampler)
    first, _ = env.reset(seed=3)
    second, _ = env.reset()
    assert first.shape == (9, 8, 7)
    assert not np.array_equal(first, second)
    again, _ = env.reset(seed=3)
    assert np.array_equal(first, again)
    assert np.array_equal(second, env.reset()[0])
    state = env.unwrapped.get_state()
    after = env.reset()[0]
    env.unwrapped.set_state(state)
    assert np.array_equal(env.reset()[0], after)
    vector = gym.make_vec("Bait-v0", num_envs=2, levels=sampler)
    batch, _ = vector.reset(seed=[3, 4])
    assert np.array_equal(batch[0], first)
    for _ in range(50):
        batch, *_ = vector.step(vector.action_space.sample())
    assert batch.shape == (2, 9, 8, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 6}, "width=6: must be an integer from 7 to 24"),
        ({"height": 9.5}, "height=9.5"),
        ({"difficulty": "harder"}, "difficulty='harder': must be one of easy, medium, hard or a number"),
        ({"width": 7, "height": 7, "difficulty": "hard"}, "the maximum for 7x7 squares is 2"),
        ({"difficulty": 0}, "difficulty=0"),
        ({"difficulty": 1.5}, "difficulty=1.5"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        BaitSampler(**arguments)


def test_the_command_writes_files(tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.txt"
    command = ["generate", "bait", "--count", "3", "--seed", "4", "--out", str(path)]
    assert run(capsys, *command)[0] == 0
    levels = find_levels(PUZZLE, path)
    assert len(levels) == 3
    assert "already exists" in run(capsys, *command)[2]
    run(capsys, *command, "--force")
    again = find_levels(PUZZLE, path)
    assert all((one.content == other.content).all() for one, other in zip(levels, again, strict=True))
    draw, left = BaitSampler.sample, iter("12")

    def stopped(self, bits):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return draw(self, bits)

    monkeypatch.setattr(BaitSampler, "sample", stopped)
    assert run(capsys, *command, "--force")[0] == 130
    assert len(find_levels(PUZZLE, path)) == 2
