"""Model files: one's own are loaded, others only where they are trusted, and reading settings runs nothing."""

import base64
import json
import os
import pickle
import shutil
import stat
import zipfile

import gymnasium as gym
import pytest
from helpers import puzzle_of, run

pytest.importorskip("stable_baselines3")

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.registry import load_agent, observation_for
from gridpuzzles_gym.agents.training.model_files import open_model, read_settings
from gridpuzzles_gym.agents.training.ppo import train
from gridpuzzles_gym.agents.training.settings import Settings

TINY = Settings(total_steps=256, minutes=None, num_envs=8, n_steps=16, batch_size=64, n_epochs=1, hidden=8, threads=1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return train(TINY, tmp_path_factory.mktemp("run"))


@pytest.fixture
def model(trained, tmp_path):
    return shutil.copy(trained, tmp_path / "model.zip")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "gridpuzzles_gym"


class Creates:
    """A pickle of this creates a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def with_pickle(model, target):
    """The model with one value more among its data, a pickle that creates ``target``."""
    evil = model.with_name("evil.zip")
    with zipfile.ZipFile(model) as before, zipfile.ZipFile(evil, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "data":
                value = base64.b64encode(pickle.dumps(Creates(target))).decode()
                content = json.dumps({"aaa": {":type:": "", ":serialized:": value}, **json.loads(content)})
            after.writestr(name, content)
        after.comment = before.comment
    return evil


def test_ones_own_model_is_loaded_wherever_it_lies(model):
    assert open_model(model).read(2) == b"PK"
    assert zipfile.ZipFile(model).testzip() is None
    load_agent(str(model), gym.make("Wumpus-v0"))


def test_a_file_from_elsewhere_runs_nothing_unless_it_is_trusted(capsys, model, tmp_path):
    target = tmp_path / "created"
    evil = with_pickle(model, target)
    env = gym.make("Wumpus-v0")
    assert read_settings(evil) == TINY
    with pytest.raises(ValueError, match=r"evil\.zip was not trained by you .* --trust-pickle \(trust_pickle=True\)"):
        load_agent(str(evil), env)
    with pytest.raises(ValueError, match="trust_pickle=True"):
        compare("Wumpus-v0", [str(evil)], episodes=2, progress=False)
    (tmp_path / "run").mkdir()
    evil.rename(tmp_path / "run" / "model.zip")
    commands = (
        ["watch", "Wumpus-v0", "--agent", tmp_path / "run", "--record", tmp_path / "film.gif"],
        ["compare", "Wumpus-v0", "--agent", tmp_path / "run", "--episodes", 4],
        ["train", "Wumpus-v0", "--out", tmp_path / "run", "--resume", "--steps", 256],
    )
    for command in commands:
        code, _, err = run(capsys, *command)
        assert (code, err.count("\n")) == (2, 1)
        assert "--trust-pickle" in err
    assert not target.exists()
    for command in commands:
        assert run(capsys, *command, "--trust-pickle")[0] == 0
        assert target.exists()
        target.rmdir()


@pytest.mark.parametrize("change", ["first", "middle", "comment", "no comment", "longer"])
def test_a_changed_file_is_not_ones_own(model, change):
    content = bytearray(model.read_bytes())
    if change in ("first", "middle", "comment"):
        content[{"first": 10, "middle": len(content) // 2, "comment": -1}[change]] ^= 1
    elif change == "no comment":
        with zipfile.ZipFile(model) as archive:
            end = len(archive.comment)
        content = content[: -end - 2] + b"\0\0"
    else:
        content += b"\0"
    model.write_bytes(content)
    with pytest.raises(ValueError, match="was modified since"):
        open_model(model)
    assert open_model(model, trust_pickle=True).read() == content


def test_another_users_key_signs_nothing_for_this_one(model, home, tmp_path):
    with pytest.raises(ValueError, match="was not trained by you"):
        open_model(model)
    own = train(TINY, tmp_path / "own")
    assert open_model(own).read(2) == b"PK"
    assert stat.S_IMODE((home / "model-key").stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["short", "readable", "missing"])
def test_a_key_that_is_not_safe_is_replaced(home, tmp_path, damage):
    first = train(TINY, tmp_path / "first")
    key = home / "model-key"
    if damage == "short":
        key.write_bytes(b"half a key")
    elif damage == "readable":
        key.chmod(0o644)
    else:
        key.unlink()
    with pytest.raises(ValueError, match="was not trained by you"):
        open_model(first)
    assert open_model(train(TINY, tmp_path / "second")).read(2) == b"PK"
    assert len(key.read_bytes()) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_without_a_place_for_a_key_models_are_saved_and_have_to_be_trusted(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match=r"cannot store a key in .*model-key: models are not signed"):
        model = train(TINY, tmp_path / "run")
    with pytest.raises(ValueError, match="trust_pickle=True"):
        open_model(model)
    load_agent(str(model), gym.make("Wumpus-v0"), trust_pickle=True)


def test_a_model_says_which_environment_it_is_for(capsys, model):
    with pytest.raises(ValueError, match=r"model\.zip was trained on Wumpus-v0, this is Sliding"):
        observation_for(str(model), puzzle_of("EightPuzzle-v0"))
    with pytest.raises(ValueError, match=r"was trained on Wumpus-v0, this is EightPuzzle-v0$"):
        load_agent(str(model), gym.make("EightPuzzle-v0"))
    for command in (("watch", "bait", "--agent", model), ("compare", "bait", "--agent", model)):
        code, _, err = run(capsys, *command)
        assert (code, err) == (2, f"gridpuzzles: {model} was trained on Wumpus-v0, this is Bait-v0\n")


@pytest.mark.parametrize("data", ["[]", "{", '{"puzzle_settings": {"hidden": "x"}}', "[" * 100_000, '{"a": 1}'])
def test_settings_that_cannot_be_are_one_error(tmp_path, data):
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("data", data)
    with pytest.raises(ValueError, match="is not a model that"):
        read_settings(tmp_path)
