"""Levels that are to be avoided never come, turned and mirrored neither; and the stream stays reproducible."""

import gymnasium as gym
import pytest
from helpers import puzzle_of

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.named_samplers import make_sampler
from gridpuzzles_gym.agents.puzzle_agents import key_of
from gridpuzzles_gym.agents.samplers import Avoiding, GeneratedLevels, OnTheFly
from gridpuzzles_gym.agents.sokoban.generation.generator import SokobanSampler

SMALL = {"height": 5, "width": 5, "boxes": 1, "simulations": 5}
"""Levels of which there are so few that the same ones come again soon."""
SOKOBAN, TILES = puzzle_of("Sokoban-v0"), puzzle_of("EightPuzzle-v0")


def turned(rows):
    """A board after a quarter turn."""
    return "\n".join("".join(row[column] for row in reversed(rows)) for column in range(len(rows[0])))


def test_levels_to_avoid_do_not_come_in_any_position():
    source = SokobanSampler(**SMALL)
    unwanted = [source.sample(bits) for bits in range(1, 4)]
    avoiding = Avoiding(source, [turned(level.content) + "\n" for level in unwanted], "Sokoban-v0")
    keys = {key_of(SOKOBAN, level) for level in unwanted}
    for bits in range(1, 100):
        level, made = avoiding.sample(bits), source.sample(bits)
        assert key_of(SOKOBAN, level) not in keys
        if key_of(SOKOBAN, made) not in keys:
            assert level.content == made.content  # all others come as they are
    assert avoiding.sample(2).content == avoiding.sample(2).content


@pytest.mark.extended
def test_it_feeds_processes_in_the_background():
    avoiding = Avoiding(GeneratedLevels("EightPuzzle-v0", scramble=3), "eight", "EightPuzzle-v0")
    env = gym.make("EightPuzzle-v0", levels=OnTheFly(avoiding, 1, wait=True, buffer=2))
    env.reset(seed=1)
    env.close()


@pytest.mark.parametrize(("avoid", "problem"), [("no-such-pack", "no-such-pack"), ("[]", "at least one level")])
def test_what_cannot_be_avoided_is_said(avoid, problem):
    with pytest.raises(ValueError, match=problem):
        make_sampler(f"on-the-fly:avoid={avoid}", Game.of("Sokoban-v0"))
