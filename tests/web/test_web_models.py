"""Trained models play on the pages as they play in Python."""

import json

import gymnasium as gym
import numpy as np
import pytest
from tiny_models import tiny_model, write_tiny_model
from web_replay import run_jobs

from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.models.model_file import Model, write_model
from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent
from gridpuzzles_gym.web.models import page_model

OBSERVATIONS = 1000
MODELS = {
    "percepts": {"env_id": "Wumpus-v0", "observation": "percepts", "depth": 2},
    "mlp": {"env_id": "CatMouse-v0", "centred": True},
    "egocentric": {"env_id": "Sokoban-v0", "network": "egocentric", "masks": True, "levels": "first"},
    "other player": {"env_id": "Sokoban-v0", "network": "egocentric", "levels": "first", "player": 1},
    "residual": {"env_id": "Sokoban-v0", "network": "residual", "levels": "first"},
    "averaged": {"env_id": "Sokoban-v0", "network": "residual", "levels": "first", "averaged": True},
}


@pytest.mark.extended
@pytest.mark.parametrize("name", MODELS)
def test_the_probabilities_are_those_of_python(name, tmp_path):
    model = tiny_model(**MODELS[name])
    write_model(tmp_path / "model.safetensors", model)
    env = gym.make(model.description.env_id, **model.description.env_kwargs)
    policy = TrainedAgent(model, env)
    numbers, views, masks, expected = np.random.default_rng(5), [], [], []
    view, info = env.reset(seed=5)
    while len(views) < OBSERVATIONS:
        views.append(np.asarray(view).astype(np.uint8))
        masks.append(info["action_mask"].astype(np.uint8))
        expected.append(policy.thoughts(view, None).probabilities)
        view, _, terminated, truncated, info = env.step(int(numbers.integers(env.action_space.n)))
        if terminated or truncated:
            view, info = env.reset()
    files = {"model": page_model(tmp_path).content, "views": np.stack(views), "masks": np.stack(masks)}
    for part, content in files.items():
        (tmp_path / part).write_bytes(content if isinstance(content, bytes) else content.tobytes())
    job = {"run": "probabilities", "files": {part: tmp_path / part for part in files}, "size": views[0].size}
    (found,) = run_jobs([job], tmp_path)
    probabilities = np.frombuffer(found).reshape(OBSERVATIONS, -1)
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)


def test_the_value_is_left_out_and_networks_with_memory_are_rejected(tmp_path):
    path = write_tiny_model(tmp_path / "model.safetensors", "CatMouse-v0")
    model = page_model(path)
    header = json.loads(model.content.split(b"\n", 1)[0])
    assert (model.puzzle, model.extent, header["masks"]) == ("cat_mouse", (10, 10), False)
    assert not [name for name in header["arrays"] if name.startswith("value")]
    for kind in ("recurrent", "map"):
        write_tiny_model(path, "Wumpus-v0", kind, observation="percepts")
        with pytest.raises(ValueError, match=rf"do not support the network '{kind}'; supported are mlp, egocentric"):
            page_model(path)


@pytest.mark.extended
def test_a_model_is_among_the_files_of_the_site(tmp_path, capsys):
    folder = tmp_path / "runs" / "percepts"
    model = tiny_model("Wumpus-v0", observation="percepts")
    write_model(folder / "model.safetensors", Model(model.description, model.weights))
    assert cli.run(["web", "--out", str(tmp_path / "site"), "--model", str(folder)]) == 0
    file = tmp_path / "site" / "models" / "wumpus" / "percepts"
    assert json.loads(file.read_bytes().split(b"\n", 1)[0])["observation"] == "percepts"
    catalogue = json.loads((tmp_path / "site" / "catalogue.json").read_text())
    assert [entry["models"] for entry in catalogue if entry["models"]] == [{"percepts": [4, 4]}]
    capsys.readouterr()
    assert cli.run(["web", "--out", str(tmp_path / "other"), "--model", str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err
    twice = ["--model", str(folder), "--model", str(folder / "model.safetensors")]
    assert cli.run(["web", "--out", str(tmp_path / "other"), *twice]) == 2
    assert "another model is named 'percepts'" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "other").exists()
