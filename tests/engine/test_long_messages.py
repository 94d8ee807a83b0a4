"""Any value, however long, gives an error of one line and limited length."""

import dataclasses
import json
import pickle

import gymnasium as gym
import numpy as np
import pytest
from tiny_models import tiny_model

import gridpuzzles_gym
from gridpuzzles_gym.agents.level_sources.sampler_choice import make_sampler
from gridpuzzles_gym.agents.models.description import Description
from gridpuzzles_gym.agents.models.model_file import read_model, write_model
from gridpuzzles_gym.agents.models.weights import packed
from gridpuzzles_gym.agents.registry import load_agent
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.text.conversations import Conversations
from gridpuzzles_gym.text.tasks import TaskDataset

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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("env_id", IDS)
def test_calls_of_environments(env_id, value):
    refused = 0
    for env in (gym.make(env_id).unwrapped, gym.make_vec(env_id, num_envs=2).unwrapped):
        env.reset(seed=0)
        state, copied = env.get_state(), pickle.dumps(env.get_state())
        works = [
            lambda env=env: env.reset(options={"level": value}),
            lambda env=env: env.reset(options={"n" * 3_000: value}),
            lambda env=env: env.reset(options={"reset_mask": value}),
            lambda env=env: env.reset(options=value),
            lambda env=env: env.step(value),
            lambda env=env: env.set_state(value),
            lambda env=env: env.set_state({"n" * 3_000: value}),
            *(lambda env=env, name=name, state=state: env.set_state({**state, name: value}) for name in state),
        ]
        refused += sum(said(work) is not None for work in works)
        env.set_state(pickle.loads(copied))
    assert refused > 15


def test_conversations_and_tasks(value):
    names = ("view", "replies", "actions_per_reply", "history", "reward", "progress", "max_turns", "levels", "nonsense")
    for name in (*names, "n" * 3_000):
        assert said(lambda name=name: Conversations("Sokoban-v0", **{name: value}))
    assert said(lambda: Conversations("Sokoban-v0", value))
    conversations = Conversations("Sokoban-v0")
    assert said(lambda: conversations.start(None, None, value))
    task = {"kind": "plan", "env_id": "Sokoban-v0", "size": 2, "seed": 0, "difficulty": "easy", "view": "board"}
    for name in ("kind", "size", "seed", "difficulty", "view", "nonsense", "n" * 3_000):
        said(lambda name=name: TaskDataset(**{**task, name: value}))


def test_settings_samplers_and_agents(value):
    for field in dataclasses.fields(Settings):
        if field.name != "env_id":
            said(lambda name=field.name: Settings("Sokoban-v0", **{name: value}))
    text = str(value)[:20_000] if not isinstance(value, int) else "1" * 9_000
    env = gym.make("Sokoban-v0")
    for form in ("{}", "curriculum:{}=1", "curriculum:by={}", "replay:scores={}", "x:a=1,{}"):
        choice = form.format(text)
        assert said(lambda choice=choice: make_sampler(choice, "Sokoban-v0", {}))
    said(lambda: load_agent(text, env))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Description)])
def test_descriptions_of_models(tmp_path, field):
    model, path = tiny_model("Sokoban-v0"), tmp_path / "model.safetensors"
    write_model(path, model)
    env = gym.make("Sokoban-v0")
    for value in ("x" * 50_000, ["y" * 5_000] * 3, {"k" * 3_000: 1, "name": "n" * 9_000}, 10**1_000, [[1] * 9] * 900):
        about = model.description.to_json() | {field: value}
        path.write_bytes(packed(model.weights, about))
        said(lambda: load_agent(str(path), env))
        path.write_bytes(packed(model.weights, model.description.to_json() | {"z" * 9_000: value}))
        assert said(lambda: read_model(path))


@pytest.mark.parametrize(
    "header",
    [
        b"{" + b"[" * 5_000,
        b'{"a": ' + b"[" * 90_000 + b"]" * 90_000 + b"}",
        json.dumps({"w" * 20_000: 1}).encode(),
        json.dumps({"__metadata__": {"description": "w" * 20_000}}).encode(),
        json.dumps({"a": {"dtype": "w" * 9_000, "shape": [], "data_offsets": [0, 0]}}).encode(),
        json.dumps({"a": {"dtype": "F32", "shape": [1] * 5_000, "data_offsets": [0, 0]}}).encode(),
        json.dumps({"w" * 9_000: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}).encode(),
    ],
    ids=range(7),
)
def test_headers_of_models(tmp_path, header):
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    assert str(path) in said(lambda: read_model(path))


def test_weights_of_another_network(tmp_path):
    model, path = tiny_model("Sokoban-v0"), tmp_path / "model.safetensors"
    more = {**model.weights, "w" * 9_000: np.zeros((1,) * 8, np.float32)}
    path.write_bytes(packed(more, model.description.to_json()))
    assert "must be left out" in said(lambda: read_model(path))
