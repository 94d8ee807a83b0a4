"""Modules and classes that users' files name: if one of them moves, such a file can no longer be read."""

import importlib
import json
import pickle
import pickletools
import zipfile
from base64 import b64decode

import gymnasium as gym
import pytest
from tiny_models import KINDS, tiny_model

from gridpuzzles_gym.agents.samplers import LevelReplay, Pack
from gridpuzzles_gym.engine.spec import restored

SAMPLERS = [
    "gridpuzzles_gym.agents.bait.sampler:BaitSampler",
    "gridpuzzles_gym.agents.samplers.avoiding:Avoiding",
    "gridpuzzles_gym.agents.samplers.curriculum:Curriculum",
    "gridpuzzles_gym.agents.samplers.generated_levels:GeneratedLevels",
    "gridpuzzles_gym.agents.samplers.on_the_fly:OnTheFly",
    "gridpuzzles_gym.agents.samplers.pack:Pack",
    "gridpuzzles_gym.agents.samplers.replay:LevelReplay",
    "gridpuzzles_gym.agents.sokoban.generation.sampler:SokobanSampler",
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
POLICIES = [
    "gridpuzzles_gym.agents.training.sb3_policy:MaskableNetworkPolicy",
    "gridpuzzles_gym.agents.training.sb3_policy:NetworkPolicy",
]
"""In zip archives that are exported for Stable-Baselines3."""


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
    sampler = restored({"sampler": "gridpuzzles_gym.agents.samplers.pack:Pack", "arguments": arguments})
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


@pytest.mark.parametrize(("kind", "policy"), [("mlp", POLICIES[0]), ("residual", POLICIES[1])])
def test_exported_archives_name_the_policies(kind, policy, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    from gridpuzzles_gym.agents.training.exporting import export_model

    settings = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "num_envs": 3}
    model = tiny_model(**KINDS[kind], settings=settings)
    export_model(model, tmp_path / "model.zip")
    with zipfile.ZipFile(tmp_path / "model.zip") as archive:
        stored = json.loads(archive.read("data"))["policy_class"][":serialized:"]
    assert named(b64decode(stored)) == {policy}
    assert found(policy).__name__ == policy.partition(":")[2]
