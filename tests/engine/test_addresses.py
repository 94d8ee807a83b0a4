"""Modules and classes that users' files name: if one of them moves, such a file can no longer be read."""

import importlib
import pickle
import pickletools

import gymnasium as gym
import pytest

from gridpuzzles_gym.agents.samplers import LevelReplay, Pack
from gridpuzzles_gym.engine.spec import restored

SAMPLERS = [
    "gridpuzzles_gym.agents.bait.sampler:BaitSampler",
    "gridpuzzles_gym.agents.samplers.base:Avoiding",
    "gridpuzzles_gym.agents.samplers.curriculum:Curriculum",
    "gridpuzzles_gym.agents.samplers.base:GeneratedLevels",
    "gridpuzzles_gym.agents.samplers.on_the_fly:OnTheFly",
    "gridpuzzles_gym.agents.samplers.base:Pack",
    "gridpuzzles_gym.agents.samplers.replay:LevelReplay",
    "gridpuzzles_gym.agents.sokoban.generation.generator:SokobanSampler",
]
"""In specs written as JSON."""
PICKLED = [
    "gridpuzzles_gym.agents.samplers.base:Tagged",
    "gridpuzzles_gym.engine.env:PuzzleEnv",
    "gridpuzzles_gym.engine.puzzle:Level",
    "gridpuzzles_gym.engine.puzzle:load_puzzle",
    "gridpuzzles_gym.engine.vector:PuzzleVectorEnv",
]
"""In specs (the entry points) and in pickles of environments and of their states."""


def found(address):
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


def named(data):
    """Every ``module:name`` that a pickle refers to."""
    texts, addresses = [], set()
    for operation, argument, _ in pickletools.genops(data):
        if operation.name in ("SHORT_BINUNICODE", "BINUNICODE"):
            texts.append(argument)
        elif operation.name == "STACK_GLOBAL":
            addresses.add(":".join(texts[-2:]))
        elif operation.name == "GLOBAL":
            addresses.add(argument.replace(" ", ":"))
    return addresses


@pytest.mark.parametrize("address", SAMPLERS + PICKLED)
def test_each_address_is_found_and_is_where_it_is_defined(address):
    kind = found(address)
    assert f"{kind.__module__}:{kind.__qualname__}" == address


def test_a_sampler_is_made_from_a_spec():
    arguments = {"levels": "starter", "puzzle": "Sokoban-v0"}
    sampler = restored({"sampler": "gridpuzzles_gym.agents.samplers.base:Pack", "arguments": arguments})
    assert isinstance(sampler, Pack)
    assert sampler.describe()["sampler"] in SAMPLERS


def test_pickles_name_these():
    replay = LevelReplay("starter", "Sokoban-v0")
    env, envs = gym.make("Sokoban-v0", levels=replay), gym.make_vec("Sokoban-v0", 2)
    env.reset(seed=1)
    envs.reset(seed=1)
    data = [pickle.dumps(value) for value in (env, envs, env.unwrapped.get_state(), envs.get_state())]
    assert set(PICKLED) <= set.union(*map(named, data))
    assert env.spec.entry_point in PICKLED
    assert env.spec.vector_entry_point in PICKLED
