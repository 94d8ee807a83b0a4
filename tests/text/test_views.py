"""Observations as text: nothing is hidden in it that the observation hides, and nothing is missing."""

import re

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of
from toy import PUZZLE as TOY

import gridpuzzles_gym
from gridpuzzles_gym.engine.wording import wording_of
from gridpuzzles_gym.text.views import View

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
SETTINGS = {
    "Sokoban-v0": [{"levels": ["#####\n#@. #\n# $ #\n#   #\n#####\n", "#######\n#+$   #\n#######\n"]}],
    "Bait-v0": [{"noop": True, "levels": "lessons"}],
    "CatMouse-v0": [{"maze": "random", "size": (13, 7), "cats": 3}],
    "EightPuzzle-v0": [{"width": 2, "height": 3}],
    "FifteenPuzzle-v0": [{"goal": "spiral"}],
    "Wumpus-v0": [
        {"size": (3, 5), "pit_probability": 0.2, "climb": True},
        {"levels": ["A.#P\n.#.G\n..W.\n", "> G\n# .\n"]},
    ],
}
CASES = [(env_id, settings) for env_id in IDS for settings in SETTINGS.get(env_id, [{}])]
each_case = pytest.mark.parametrize(("env_id", "settings"), CASES)


def played(env_id, settings, num_envs=6, steps=12):
    """An environment in which actions are random, and its observations after each step."""
    observation = wording_of(puzzle_of(env_id)).observation
    envs = gym.make_vec(env_id, num_envs=num_envs, observation=observation, **settings).unwrapped
    seen, _ = envs.reset(seed=7)
    random = np.random.default_rng(7)
    yield envs, seen
    for _ in range(steps):
        seen, *_ = envs.step(random.integers(0, envs.single_action_space.n, num_envs))
        yield envs, seen


@each_case
def test_text_is_read_back_exactly(env_id, settings):
    """Every observation, those at the end of an episode too."""
    view = None
    for envs, seen in played(env_id, settings):
        view = view or View(envs.config)
        texts = view.write(seen)
        assert texts == [view.write(each[None])[0] for each in seen]  # the others of a batch do not matter
        for text, observation in zip(texts, seen, strict=True):
            again = view.read(text)
            assert again.dtype == observation.dtype
            assert np.array_equal(again, observation), text


@pytest.mark.parametrize("env_id", [env_id for env_id in IDS if env_id != "Wumpus-v0"])
def test_the_exact_state_comes_back_where_all_is_observable(env_id):
    puzzle = puzzle_of(env_id)
    for envs, seen in played(env_id, {}, num_envs=4, steps=8):
        view = View(envs.config)
        batch, config = envs.batch, envs.config
        for index, text in enumerate(view.write(seen)):
            if not batch.ends[:2, index].any():
                level, state = puzzle.decode(view.observation, view.read(text), config.extent, config.options)
                assert np.array_equal(state, batch.states[index])
                assert np.array_equal(level, batch.levels[index])


@pytest.mark.parametrize("env_id", IDS)
def test_legends_explain_what_is_written(env_id):
    """Every symbol on a board is in the legend."""
    for envs, seen in played(env_id, {}, num_envs=4, steps=0):
        view = View(envs.config)
        symbols = {letter for text in view.write(seen) for letter in text.partition("You")[0]}
        missing = [letter for letter in symbols if not letter.isspace() and not letter.isdigit()]
        assert [letter for letter in missing if not re.search(f"^{re.escape(letter)} ", view.legend, re.M)] == []


BAD = [
    ("#####\n#@$.#\n", r"the board has 2 rows of 5 squares; it must have 3 of 5"),
    ("#####\n#@$.\n#####\n", r"the board has 3 rows of 4, 5 squares; it must have 3 of 5"),
    ("#####\n#@$?#\n#####\n", r"unknown symbol '\?' on the board; allowed are # - \. @ \+ \$ \*"),
    ("#####\n#@$.#\n#####\nmore\n", "1 line after the board; there must be none"),
]


def test_other_text_is_refused():
    envs = gym.make_vec("Sokoban-v0", num_envs=1, observation="symbols", levels=["#####\n#@$.#\n#####\n"]).unwrapped
    for text, message in BAD:
        with pytest.raises(ValueError, match=message):
            View(envs.config).read(text)


REMARKS = "You have your arrow.\nYou do not have the gold.\nYou did not walk into a wall.\n"


def test_other_caves_are_refused():
    envs = gym.make_vec("Wumpus-v0", num_envs=1, observation="planes", size=2, pits=0).unwrapped
    for text, message in (
        ("? ?\n? ?\n", "there must be one agent on the board"),
        ("? ?\n> ?\n", "0 lines after the board; there must be 4"),
        (
            f"? ?\n> ?\n{REMARKS}Nothing.\n",
            "the line 'Nothing.' after the board must be 'You have heard no scream.' or",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            View(envs.config).read(text)


def test_bad_arguments():
    toy = gym.make("Toy-v0").unwrapped.config
    with pytest.raises(
        ValueError, match=f"{TOY.title} cannot be described in words: there is no WORDING in a module toy"
    ):
        View(toy)
