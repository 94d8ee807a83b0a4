"""The loop of the scripts that train in their own way saves what it has, however it ends."""

import argparse
from types import SimpleNamespace

import gymnasium as gym
import pytest

pytest.importorskip("torch")

from benchmarks.learning import own_loop
from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.training.presets import preset_settings

ID = "CatMouse-v0"


@pytest.mark.parametrize("end", ["time", "Ctrl-C"])
def test_a_model_is_saved_with_all_that_it_was_trained_for(end, tmp_path, monkeypatch, capsys):
    clock, shares = iter(range(100)), []
    monkeypatch.setattr(own_loop.time, "process_time", lambda: 10.0 * next(clock))
    monkeypatch.setattr("sys.argv", ["/somewhere/some_network.py", str(tmp_path), "--seed", "3"])
    given = own_loop.parser_of("Trains.", 1.0).parse_args()
    assert (given.minutes, given.seed, given.start) == (1.0, 3, "pretrained")
    first = own_loop.first_model(given, ID)
    learner = SimpleNamespace(network=first.description.network_for(), arrays=lambda: dict(first.weights))

    def improve(share):
        shares.append(share)
        if end == "Ctrl-C" and len(shares) == 2:
            raise KeyboardInterrupt
        return 7 * len(shares), "some text"

    config = gym.make(ID).unwrapped.config
    own_loop.train(given, preset_settings(ID, {}, {}), config, learner, improve)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1
    about = read_model(tmp_path).description
    done = len(shares) - (end == "Ctrl-C")
    assert about.steps == first.description.steps + 7 * done
    assert about.minutes > first.description.minutes
    assert about.command == f"python -m benchmarks.learning.some_network {tmp_path} --seed 3"
    assert (f"--start {tmp_path} goes on" in capsys.readouterr().out.replace("\n", "")) == (end == "Ctrl-C")
    assert about.device == f"CPU, 1 thread; before, {first.description.device}"
    again = own_loop.first_model(argparse.Namespace(start=str(tmp_path)), ID)
    assert again.description.steps == about.steps
