"""Any value, however long, gives an error of one line and limited length."""

import dataclasses
import json

import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.makers import make_sampler
from gridpuzzles_gym.agents.registry import load_agent
from gridpuzzles_gym.agents.training.settings import Settings

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
LONGEST = 500
VALUES = {
    "text": "x" * 20_000,
    "lines": "x\n" * 2_000,
    "list": ["y" * 5_000] * 3,
    "dict": {"k" * 3_000: 1},
    "integer": 10**4_000,
    "deep": json.loads("[" * 200 + "]" * 200),
    "bytes": b"z" * 9_000,
    "array": np.zeros((50, 50)),
    "type": np.zeros(2, [("f" * 500, "i2"), ("g" * 500, "i2")]),
}


@pytest.fixture(params=VALUES)
def value(request):
    return VALUES[request.param]


def said(work):
    """The message of what is refused; None if nothing is."""
    try:
        work()
    except gym.error.Error:  # Gymnasium's own words
        return None
    except (ValueError, TypeError) as error:
        message = str(error)
        assert len(message) <= LONGEST, message[:1000]
        assert "\n" not in message.strip(), message[:1000]
        return message
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("env_id", IDS)
def test_arguments_of_environments(env_id, value):
    options = gym.make(env_id).unwrapped.config.puzzle.options
    names = [field.name for field in dataclasses.fields(options)]
    refused = 0
    for name in [*names, "levels", "observation", "tile_size", "nonsense", "n" * 3_000]:
        for make in (gym.make, gym.make_vec):
            refused += said(lambda make=make, name=name: make(env_id, **{name: value})) is not None
    assert refused > 10


@pytest.mark.extended
def test_settings_samplers_and_agents(value):
    for field in dataclasses.fields(Settings):
        if field.name != "env_id":
            said(lambda name=field.name: Settings("Sokoban-v0", **{name: value}))
    text = str(value)[:20_000] if not isinstance(value, int) else "1" * 9_000
    env = gym.make("Sokoban-v0")
    for form in ("{}", "curriculum:{}=1", "curriculum:by={}", "replay:scores={}", "x:a=1,{}"):
        choice = form.format(text)
        assert said(lambda choice=choice: make_sampler(choice, Game.of("Sokoban-v0")))
    said(lambda: load_agent(text, env))
