"""Exported models: Stable-Baselines3 plays them and trains them further, ONNX computes the same."""

import json

import numpy as np
import pytest
from helpers import run
from tiny_models import KINDS, kwargs_of, played, tiny_model, write_tiny_model

from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent
from gridpuzzles_gym.agents.networks.operations import NUMPY

pytest.importorskip("torch")


SMALL = "#####\n#@ .#\n# $ #\n#   #\n#####\n"
"""For onnx's reference evaluator, which cannot gather from more than 64 squares."""


def computed(model, seen, memory=None):
    return model.description.network_for(seen.shape[1:]).forward(NUMPY, model.weights, seen, memory)


@pytest.mark.parametrize("kind", ["mlp", "egocentric", "residual"])
def test_stable_baselines3_plays_and_trains_an_exported_model(kind, tmp_path):
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    from gridpuzzles_gym.agents.training.exporting import export_model
    from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv

    settings = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "num_envs": 3}
    model = tiny_model(**KINDS[kind], settings=settings)
    about, path = model.description, tmp_path / "model.zip"
    export_model(model, path)
    env = PuzzleVecEnv(about.env_id, 3, **kwargs_of(kind))
    loaded = (MaskablePPO if about.masks else PPO).load(path, env, device="cpu")
    env.seed(3)
    seen = env.reset()
    masks = {"action_masks": env.action_masks()} if about.masks else {}
    batch, _ = loaded.policy.obs_to_tensor(seen)
    with torch.no_grad():
        probabilities = loaded.policy.get_distribution(batch, **masks).distribution.probs.numpy()
        values = loaded.policy.predict_values(batch).numpy()[:, 0]
    _, (_, _, ours, our_values) = TrainedAgent(model, env.env).predict(seen)
    np.testing.assert_allclose(probabilities, ours, atol=1e-5)
    np.testing.assert_allclose(values, our_values, atol=1e-5)
    likeliest, _ = loaded.predict(seen, deterministic=True, **masks)
    assert likeliest.tolist() == ours.argmax(1).tolist()
    before = {name: weight.clone() for name, weight in loaded.policy.weights.items()}
    loaded.learn(3 * 8 * 2, reset_num_timesteps=False)
    assert all(not torch.equal(before[name], weight) for name, weight in loaded.policy.weights.items())
    loaded.save(tmp_path / "further.zip")
    again = type(loaded).load(tmp_path / "further.zip", device="cpu")
    assert all(torch.equal(again.policy.weights[name], weight) for name, weight in loaded.policy.weights.items())


@pytest.mark.parametrize("kind", ["recurrent", "map"])
def test_a_model_with_a_memory_is_one_of_recurrent_ppo(kind, tmp_path):
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import RecurrentPPO

    from gridpuzzles_gym.agents.models.sb3_model import load_sb3
    from gridpuzzles_gym.agents.training.exporting import export_model
    from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv

    model = tiny_model(**KINDS[kind] | {"masks": False}, settings={"n_steps": 8, "batch_size": 16, "num_envs": 3})
    about, path = model.description, tmp_path / "model.zip"
    export_model(model, path)
    env = PuzzleVecEnv(about.env_id, 3, max_episode_steps=6, **kwargs_of(kind))
    env.seed(3)
    seen, starts, state, ours = env.reset(), np.ones(3, bool), None, None
    agent, own = load_sb3(path, env.env, trust_pickle=True), TrainedAgent(model, env.env)
    assert type(agent.model) is RecurrentPPO
    for _ in range(15):
        actions, state = agent.predict(seen, state, starts, deterministic=True)
        wanted, ours = own.predict(seen, ours, starts, deterministic=True)
        assert actions.tolist() == wanted.tolist()
        np.testing.assert_allclose(np.swapaxes(state[0], 0, 1)[0], ours[1], atol=1e-5)
        seen, _, starts, _ = env.step(actions)
    further = RecurrentPPO.load(path, env, device="cpu")
    before = further.policy.arrays()
    further.learn(3 * 8, reset_num_timesteps=False)
    assert all(not np.array_equal(before[name], weight) for name, weight in further.policy.arrays().items())


@pytest.mark.parametrize("kind", KINDS)
def test_onnx_computes_the_same(kind, tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    from gridpuzzles_gym.agents.training.exporting import export_model

    more = {"levels": SMALL} if kind == "egocentric" else kwargs_of(kind)
    model = tiny_model(**KINDS[kind] | more)
    export_model(model, tmp_path / "model.onnx")
    graph = onnx.load(tmp_path / "model.onnx")
    (about,) = (json.loads(entry.value) for entry in graph.metadata_props if entry.key == "gridpuzzles_gym")
    assert about["env_id"] == model.description.env_id
    evaluator = ReferenceEvaluator(graph)
    network = model.description.network_for()
    for count in (1, 5):
        seen = played(model.description.env_id, count=count, **more)
        memory = np.random.default_rng(1).normal(size=(count, network.memory)).astype(np.float32)
        given = {"observation": seen} | ({"memory": memory} if network.memory else {})
        for found, wanted in zip(evaluator.run(None, given), computed(model, seen, memory), strict=False):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    if network.any_size:
        larger = np.zeros((2, network.shape[0], 11, 13), np.uint8)
        larger[:, :, :7, :7] = played("Sokoban-v0", count=2, levels="starter")
        logits = evaluator.run(["logits"], {"observation": larger})[0]
        np.testing.assert_allclose(logits, computed(model, larger).logits, rtol=1e-4, atol=1e-5)


def test_the_command_exports_a_model_and_says_what_is_wrong(tmp_path, capsys):
    pytest.importorskip("stable_baselines3")
    path = write_tiny_model(tmp_path / "model.safetensors")
    code, out, error = run(capsys, "export", path, "--out", tmp_path / "model.zip")
    assert (code, error) == (0, "")
    assert "wrote" in out
    for words, message in (
        ((path, "--out", tmp_path / "model.zip"), "already exists"),
        ((path, "--out", tmp_path / "model.pt"), "the name must end in .zip or .onnx"),
        ((tmp_path / "nowhere", "--out", tmp_path / "other.zip"), "no model file"),
        ((tmp_path / "model.zip", "--out", tmp_path / "other.zip"), "is not a model"),
    ):
        code, _, error = run(capsys, "export", *words)
        assert (code, error.count("\n")) == (2 if message != "already exists" else 1, 1)
        assert message in error
    for kind in ("recurrent", "map"):
        remembering = write_tiny_model(tmp_path / "r.safetensors", **KINDS[kind] | {"masks": True})
        code, _, error = run(capsys, "export", remembering, "--out", tmp_path / "other.zip")
        assert code == 2
        assert f"has no action masks, and network={kind!r} uses them here; use .onnx" in error
    assert not (tmp_path / "other.zip").exists()
    assert run(capsys, "export", path, "--out", tmp_path / "model.zip", "--force")[0] == 0


def test_an_exported_model_is_played_with_permission_only(tmp_path, capsys):
    pytest.importorskip("stable_baselines3")
    path = write_tiny_model(tmp_path / "model.safetensors")
    assert run(capsys, "export", path, "--out", tmp_path / "model.zip")[0] == 0
    playing = ("compare", "EightPuzzle-v0", "--agent", tmp_path / "model.zip", "--episodes", 2)
    assert run(capsys, *playing)[0] == 2
    assert run(capsys, *playing, "--trust-pickle")[0] == 0
