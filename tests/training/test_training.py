"""Training runs: what they write, that they are reproducible, and which settings there are."""

import dataclasses
import json
import math
import platform
import re

import gymnasium as gym
import numpy as np
import pytest
from helpers import curve, python

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("stable_baselines3")
pytest.importorskip("tensorboard")

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.models.trained_agent import model_to_start
from gridpuzzles_gym.agents.registry import load_agent
from gridpuzzles_gym.agents.training.settings import Settings, read_settings
from gridpuzzles_gym.agents.training.trainer import train

TINY = Settings(
    total_steps=1024, num_envs=8, n_steps=32, batch_size=64, cloning_batch=64, n_epochs=1, hidden=16, channels=4,
    blocks=1, minutes=None, threads=1,
)  # fmt: skip
BOARD = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
SOKOBAN = {"env_id": "Sokoban-v0", "env_kwargs": {"levels": BOARD, "max_episode_steps": 20}}
SYMBOLS = {"levels": BOARD, "observation": "symbols"}


def tiny(**changes):
    return dataclasses.replace(TINY, **changes)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    "chosen",
    [
        {"env_kwargs": {"observation": "planes"}},
        {"algorithm": "maskable-ppo", "depth": 2, "teacher": "bayesian"},
        {"env_kwargs": {"observation": "percepts"}, "teacher": "bayesian", "kept_states": 500},
        {**SOKOBAN, "network": "egocentric", "turned": True, "algorithm": "maskable-ppo"},
        {**SOKOBAN, "network": "residual", "turned": True, "teacher": "sokoban", "phases": "dagger=1,ppo=1"},
    ],
    ids=lambda chosen: "-".join(str(value) for name, value in chosen.items() if name in ("network", "teacher")),
)
def test_training_writes_a_model_that_plays_as_an_agent(tmp_path, chosen):
    settings, folder = tiny(**chosen), tmp_path / "run"
    model = train(settings, folder)
    assert model == folder / "model.safetensors"
    assert read_settings(folder) == settings
    assert json.loads((folder / "settings.json").read_text()) == dataclasses.asdict(settings)
    assert (folder / "learning_curve.png").stat().st_size > 1000
    assert list(folder.rglob("events.out.tfevents.*"))
    rows = curve(folder)
    steps = [int(row["steps"]) for row in rows]
    assert steps == list(range(steps[0], 1025, 256)), "from the first episode's end on"
    assert all(not math.isnan(float(row[name])) for row in rows for name in ("return", "success", "deaths", "length"))
    about = read_model(model).description
    assert (about.steps, about.seed, about.masks) == (1024, 0, settings.masked)
    assert about.env_kwargs == settings.env_kwargs
    assert about.network["name"] == settings.network
    env = gym.make(settings.env_id, **settings.env_kwargs)
    observation, _ = env.reset(seed=0)
    action, _ = load_agent(str(folder), env).predict(observation)
    assert action in env.action_space
    scores = compare(settings.game, ["random", str(model)], episodes=10, progress=False, num_envs=5).scores
    assert [score.episodes for score in scores] == [10, 10]


@pytest.mark.extended
@pytest.mark.parametrize("more", [{}, {"teacher": "bayesian"}], ids=["ppo", "taught"])
def test_equal_seeds_train_equal_models(tmp_path, more):
    found = []
    for name, seed in (("first", 0), ("second", 0), ("third", 1)):
        train(tiny(seed=seed, **more), tmp_path / name)
        rows = [{**row, "seconds": 0} for row in curve(tmp_path / name)]
        found.append((rows, {key: array.tobytes() for key, array in read_model(tmp_path / name).weights.items()}))
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_a_centred_network_sees_only_what_changes_and_keeps_its_centre(tmp_path):
    settings = tiny(env_id="CatMouse-v0", centred=True, env_kwargs={"levels": "anywhere"})
    path = train(settings, tmp_path)
    before = read_model(path).weights["centre"]
    train(dataclasses.replace(settings, total_steps=1280), tmp_path, resume=True)
    centre = read_model(path).weights["centre"]
    assert np.array_equal(before, centre)
    wall, floor, exit_, _, mouse = centre.reshape(5, 10, 10)
    observation, _ = gym.make("CatMouse-v0").reset(seed=0)
    assert np.array_equal([wall, floor, exit_], observation[:3])
    assert 0 < mouse.max() < 1


def test_a_run_begins_with_another_model(tmp_path):
    residual = {"network": "residual", "hidden": 8}
    first = train(tiny(**SOKOBAN, **residual), tmp_path / "first")
    larger = tiny(env_id="Sokoban-v0", env_kwargs={"levels": "easy"}, **residual)
    other = train(dataclasses.replace(larger, total_steps=256, learning_rate=1e-9), tmp_path / "other", start=first)
    before, after = read_model(first), read_model(other)
    for name, array in before.weights.items():
        np.testing.assert_allclose(after.weights[name], array, atol=1e-6)
    assert f"--from {first}" in after.description.command
    assert after.description.device == f"CPU, {larger.threads} thread{'s' * (larger.threads > 1)}"
    train(dataclasses.replace(larger, total_steps=512), tmp_path / "other", resume=True)
    assert f"--from {first}" in read_model(other).description.command
    with pytest.raises(ValueError, match=r"is a model of another network \(.* is \(.*\), must be \("):
        train(tiny(**SOKOBAN, network="residual", hidden=9), tmp_path / "third", start=first)
    with pytest.raises(ValueError, match="is a model of another network"):
        train(tiny(**SOKOBAN, hidden=8), tmp_path / "third", start=first)
    with pytest.raises(ValueError, match="no model file"):
        train(tiny(), tmp_path / "third", start=tmp_path / "nowhere")
    assert not (tmp_path / "third").exists()


def test_callbacks_get_each_row_of_the_curve(tmp_path):
    reports = []
    train(tiny(), tmp_path, callbacks=[reports.append])
    rows = curve(tmp_path)
    assert [report.steps for report in reports] == [int(row["steps"]) for row in rows]
    assert [report.score for report in reports] == [float(row["return"]) for row in rows]
    assert [{name: str(value) for name, value in report.row.items()} for report in reports] == rows
    assert [report.share for report in reports] == [report.steps / 1024 for report in reports]
    assert [round(report.seconds, 1) for report in reports] == [round(float(row["seconds"]), 1) for row in rows]


def test_a_callback_ends_a_run_which_can_be_resumed(tmp_path):
    seen = []
    model = train(tiny(), tmp_path, callbacks=[lambda report: report.share >= 0.5, seen.append])
    assert read_model(model).description.steps == 512
    assert seen[-1].steps == 512, "every callback gets every report"
    train(tiny(), tmp_path, resume=True)
    assert read_model(model).description.steps == 1024

    class Pruned(Exception):  # noqa: N818  (as optuna.TrialPruned)
        pass

    def prune(report):
        raise Pruned

    with pytest.raises(Pruned):
        train(tiny(), tmp_path / "pruned", callbacks=[prune])
    assert 0 < read_model(tmp_path / "pruned").description.steps < 1024


def test_bad_settings_are_refused():
    refused = [
        ({"algorithm": "dqn"}, "algorithm='dqn' is not known; allowed are ppo, maskable-ppo"),
        ({"network": "resnet"}, "network='resnet' is not known; allowed are mlp, egocentric, residual"),
        ({"network": "egocentric", "centred": True}, "centred=True requires network='mlp'"),
        ({"total_steps": 0}, "total_steps=0: must be a positive integer"),
        ({"minutes": math.nan}, "minutes=nan: must be a positive number"),
        ({"checkpoint_minutes": 0}, "checkpoint_minutes=0: must be a positive number"),
        ({"final_learning_rate": -1e-4}, "final_learning_rate=-0.0001: must be 0 or a positive number"),
        ({"entropy": math.inf}, "entropy=inf: must be 0 or a positive number"),
        ({"kept_states": -1}, "kept_states=-1: must be 0 or a positive integer"),
        ({"gamma": 2}, "gamma=2: must be a number from 0 to 1"),
        ({"seed": -1}, "seed=-1: must be an integer from 0 to 4,294,967,295"),
        ({"num_envs": 1, "n_steps": 1}, "at least 2"),
        ({"algorithm": "maskable-ppo", "batch_size": 255}, "batch_size=255 leaves a single transition"),
    ]
    for change, message in refused:
        with pytest.raises(ValueError, match=re.escape(message)):
            tiny(**change)


def test_what_does_not_fit_the_environment_is_refused(tmp_path):
    refused = [
        ({"turned": True}, "turned=True requires boards that are the same in all directions, not Wumpus-v0"),
        ({"network": "egocentric"}, "network='egocentric' requires boards that are the same in all directions"),
        ({"network": "residual", "env_kwargs": {"observation": "percepts"}}, "network='residual' needs a plane"),
        ({**SOKOBAN, "network": "egocentric", "env_kwargs": SYMBOLS}, "network='egocentric' needs a plane 'player'"),
        ({"env_kwargs": {"size": 1}}, "size"),
    ]
    for change, message in refused:
        with pytest.raises(ValueError, match=re.escape(message)):
            train(tiny(**change), tmp_path)
    with pytest.raises(ValueError, match=r"callbacks\[0\]=None: must be callable or Stable-Baselines3's BaseCallback"):
        train(tiny(), tmp_path, callbacks=[None])
    assert not list(tmp_path.iterdir())


def test_settings_of_earlier_versions_are_read():
    for name in ("Bait", "CatMouse", "EightPuzzle", "Wumpus"):
        settings = read_settings(model_to_start("pretrained", f"{name}-v0"))
        assert settings.env_id == f"{name}-v0"
        assert settings.teacher


REPEATED = """
import resource
import numpy as np
from gridpuzzles_gym.engine.system.process import keep_freed_memory

keep_freed_memory()
for turn in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(1 << 19) for _ in range(20)]
    del arrays
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the option is glibc's")
def test_freed_memory_is_kept_for_later_arrays():
    first, second = map(int, python(REPEATED).split())
    assert second < 0.1 * first  # pages that the system has cleared; otherwise as many each time
