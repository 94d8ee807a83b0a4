"""Trained models play on the pages as they play in Python."""

import json

import gymnasium as gym
import numpy as np
import pytest
from web_replay import run_jobs

from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.training.ppo import load_policy, train
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.web.models import page_model

OBSERVATIONS = 1000
TINY = {
    "total_steps": 512,
    "minutes": None,
    "num_envs": 8,
    "n_steps": 64,
    "batch_size": 256,
    "n_epochs": 2,
    "hidden": 24,
}
MODELS = {
    "percepts": {"env_id": "Wumpus-v0", "env_kwargs": {"observation": "percepts"}},
    "mlp": {"env_id": "CatMouse-v0", "centred": True},
    "egocentric": {
        "env_id": "Sokoban-v0",
        "env_kwargs": {"levels": "first"},
        "network": "egocentric",
        "algorithm": "maskable-ppo",
    },
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Trained models by name, each made once."""
    folder, made = tmp_path_factory.mktemp("runs"), {}

    def path(name):
        if name not in made:
            made[name] = train(Settings(**{**TINY, **MODELS[name]}), folder / name)
        return made[name]

    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_probabilities_are_those_of_torch(name, trained, tmp_path):
    settings = Settings(**{**TINY, **MODELS[name]})
    env = gym.make(settings.env_id, **settings.env_kwargs)
    policy = load_policy(trained(name), env)
    numbers, views, masks, expected = np.random.default_rng(5), [], [], []
    view, info = env.reset(seed=5)
    while len(views) < OBSERVATIONS:
        views.append(np.asarray(view).astype(np.uint8))
        masks.append(info["action_mask"].astype(np.uint8))
        expected.append(policy.thoughts(view, None).probabilities)
        view, _, terminated, truncated, info = env.step(int(numbers.integers(env.action_space.n)))
        if terminated or truncated:
            view, info = env.reset()
    files = {"model": page_model(trained(name)).content, "views": np.stack(views), "masks": np.stack(masks)}
    for part, content in files.items():
        (tmp_path / part).write_bytes(content if isinstance(content, bytes) else content.tobytes())
    job = {"run": "probabilities", "files": {part: tmp_path / part for part in files}, "size": views[0].size}
    (found,) = run_jobs([job], tmp_path)
    probabilities = np.frombuffer(found).reshape(OBSERVATIONS, -1)
    assert np.array_equal(probabilities.argmax(axis=1), np.argmax(expected, axis=1))
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)


@pytest.mark.slow
def test_a_model_is_among_the_files_of_the_site(trained, tmp_path, capsys):
    folder = trained("percepts").parent
    assert cli.run(["web", "--out", str(tmp_path / "site"), "--model", str(folder)]) == 0
    file = tmp_path / "site" / "models" / "wumpus" / "percepts"
    assert json.loads(file.read_bytes().split(b"\n", 1)[0])["observation"] == "percepts"
    catalogue = json.loads((tmp_path / "site" / "catalogue.json").read_text())
    assert [entry["models"] for entry in catalogue if entry["models"]] == [{"percepts": [4, 4]}]
    capsys.readouterr()
    assert cli.run(["web", "--out", str(tmp_path / "other"), "--model", str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err
    twice = ["--model", str(folder), "--model", str(folder / "model.zip")]
    assert cli.run(["web", "--out", str(tmp_path / "other"), *twice]) == 2
    assert "another model is named 'percepts'" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "other").exists()
