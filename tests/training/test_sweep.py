"""Sweeps over training settings. Those of whole sweeps need the extras ``ray`` and ``train``: make test-ray."""

import csv
import dataclasses
import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
from helpers import run
from rich.console import Console

from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.sweep.record import (
    FAILED,
    FINISHED,
    STATES,
    STOPPED,
    UNFINISHED,
    Sweep,
    ranked,
    read_sweep,
)
from gridpuzzles_gym.agents.training.sweep.search_space import Choice, Range, default_space, read_space, written
from gridpuzzles_gym.commands.sweep import Results

whole = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("ray", "optuna", "torch")),
    reason="needs the extras ray and train: make test-ray",
)
TINY = ("--hyper", "num_envs=8", "--hyper", "n_steps=32", "--hyper", "hidden=16", "--steps", "2048")


# -- what is searched --------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["EightPuzzle-v0", "Wumpus-v0", "Sokoban-v0", "CatMouse-v0", "Bait-v0"])
def test_the_default_space_has_the_presets_settings_and_is_read_as_it_is_written(env_id):
    settings = preset_settings(env_id, {}, {})
    space = default_space(settings)
    assert all(getattr(settings, name) in values for name, values in space.items())
    assert read_space(written(space), settings) == space
    assert "gamma" not in default_space(settings, ("gamma", "hidden"))


def test_spaces_are_read():
    texts = ["learning_rate=1e-4..1e-2:log", "n_epochs=1..4", "hidden=64, 128", "turned=true,false", "network=mlp,map"]
    assert read_space(texts, Settings()) == {
        "learning_rate": Range(1e-4, 1e-2, log=True),
        "n_epochs": Range(1, 4),
        "hidden": Choice((64, 128)),
        "turned": Choice((True, False)),
        "network": Choice(("mlp", "map")),
    }
    assert Range(0.1, 0.2).rounded(0.123456) == 0.123
    assert Range(0.12345, 0.2).rounded(0.123456) == 0.12345, "no less than the range begins with"
    assert Range(1000, 9999).rounded(1234) == 1234


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gamma", "--search gamma: must have the form NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=A,B,…"),
        ("gama=0.9,0.99", "unknown setting 'gama'; did you mean 'gamma'? allowed are algorithm, "),
        ("seed=1,2", "seed cannot be searched; allowed are algorithm, "),
        ("env_runners=1,2", "env_runners cannot be searched; allowed are algorithm, "),
        ("engine=own,rllib", "engine cannot be searched; allowed are algorithm, "),
        ("gamma=0.9", "two values or more; --hyper sets one value"),
        ("gamma=0.9,0.9", "a value is given twice"),
        ("gamma=0.9..0.8", "the first number must be less than the second"),
        ("gamma=0.9..2", "gamma=2.0: must be a number from 0 to 1"),
        ("gamma=0..1:log", "a logarithmic range must begin above 0"),
        ("gamma=0.1..1:cubic", "'cubic' after the range is unknown; must be log"),
        ("gamma=..", "'' must be a number"),
        ("gamma=nan..1", "'nan' must be a number"),
        ("hidden=16..32.5", "'32.5' must be an integer"),
        ("network=mlp..map", "network is not a number; must have the form NAME=A,B,…"),
        ("network=mlp,resnet", "network='resnet' is not known; allowed are mlp, egocentric"),
        ("turned=yes,no", "'yes' must be True or False"),
    ],
)
def test_invalid_spaces_are_reported(text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_space([text], Settings())
    assert str(error.value).startswith(f"--search {text}: ")
    with pytest.raises(ValueError, match="is given twice"):
        read_space(["hidden=1,2", "hidden=3,4"], Settings())


# -- the record, and what is shown of it -------------------------------------------------------------


@pytest.fixture
def recorded(tmp_path):
    """A sweep of five trials: one finished, one stopped, one failed, one interrupted, one not begun."""
    base = preset_settings("EightPuzzle-v0", {"goal": "spiral"}, {"total_steps": 100_000, "minutes": None})
    given = {"hidden": 64, "env_kwargs": {"goal": "spiral"}}
    sweep = Sweep(tmp_path / "sweep", base, default_space(base), given, trials=5, seed=3)
    sweep.write()
    for number, score, state in ((1, -20.5, STOPPED), (2, 933.25, FINISHED), (3, 999.0, FAILED), (4, 1.0, UNFINISHED)):
        chosen = {name: values.rounded(values.ends()[number % 2]) for name, values in sweep.space.items()}
        trial = dataclasses.replace(sweep.trial(number, chosen), state=state, error="it was bad" * (state == FAILED))
        trial.write()
        rows = ["phase,steps,seconds,return,success,deaths,length,curriculum", "ppo,50000,1.5,0.5,0,0,60,"]
        rows += [f"ppo,{10_000 * number + 50_000},2.5,{score},0,0,60,", "ppo,12"]  # the last one is incomplete
        (trial.folder / "curve.csv").write_text("\n".join(rows))
    return sweep


def test_a_record_is_read_as_it_was_written(recorded):
    assert read_sweep(recorded.folder) == recorded
    trials = recorded.recorded()
    assert [(trial.number, trial.state) for trial in trials] == [
        (1, STOPPED),
        (2, FINISHED),
        (3, FAILED),
        (4, UNFINISHED),
    ]
    assert [trial.score() for trial in trials] == [-20.5, 933.25, None, 1.0]
    assert [trial.number for trial, _ in ranked(trials)] == [2, 4, 1, 3]
    assert recorded.settled(trials[0]) == 512 * 60
    assert recorded.settings(trials[1]).gamma == trials[1].chosen["gamma"]
    assert set(STATES) == {STOPPED, FINISHED, FAILED, UNFINISHED}


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"settings": {"gamma": 3}, "state": "finished"}'])
def test_damaged_records_are_reported(recorded, damage):
    (recorded.folder / "trials" / "02" / "trial.json").write_text(damage)
    with pytest.raises(ValueError, match=r"trial\.json is damaged"):
        recorded.recorded()
    (recorded.folder / "sweep.json").write_text(damage)
    with pytest.raises(ValueError, match=r"sweep\.json is damaged"):
        read_sweep(recorded.folder)


def test_the_table_fits_a_terminal_and_the_files_have_all(recorded):
    results = Results(recorded, ranked(recorded.recorded()))
    console = Console(width=80, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(results.table())
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert [line.split()[:3] for line in text.splitlines()[3:7]] == [
        ["1", "+933.2", "0.07"],
        ["2", "+1.0", "0.09"],
        ["3", "-20.5", "0.06"],
        ["4", "0.08", text.splitlines()[6].split()[2]],
    ]
    assert [line.split()[-1] for line in text.splitlines()[3:7]] == ["finished", "unfinished", "stopped", "failed"]

    pytest.importorskip("matplotlib")
    results.write()
    with (recorded.folder / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["rank"], row["trial"], row["score"]) for row in rows] == [
        ("1", "2", "933.25"), ("2", "4", "1.0"), ("3", "1", "-20.5"), ("4", "3", ""),
    ]  # fmt: skip
    assert rows[0]["state"] == "finished"
    assert float(rows[0]["gamma"]) in recorded.space["gamma"]
    assert (recorded.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    lines = list(results.lines())
    assert lines[0] == "trial 3 failed: it was bad"
    assert lines[2].endswith("trials/02/model.safetensors")
    assert "gridpuzzles train EightPuzzle-v0 --set goal=spiral --hyper hidden=64 --hyper learning_rate=" in lines[3]
    assert "steps" not in lines[3], "the best settings are trained as long as the preset says"


# -- the command, without any trial ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trials", "0"], "--trials 0: must be a positive integer"),
        (["--concurrency", "0"], "--concurrency 0: must be a positive integer"),
        (["--steps", "9", "--minutes", "1"], "--steps and --minutes cannot be combined"),
        (["--minutes", "nan"], "minutes=nan: must be a positive number"),
        (["--hyper", "seed=3"], "--hyper seed: must be given as --seed"),
        (["--hyper", "total_steps=3"], "--hyper total_steps: must be given as --steps"),
        (
            ["--hyper", "engine=rllib"],
            "--hyper engine=rllib: each trial is trained by one process, with engine=sb3 or own",
        ),
        (["--hyper", "gama=3"], "unknown hyperparameter 'gama'; did you mean 'gamma'?"),
        (["--hyper", "gamma=0.9", "--search", "gamma=0.8,0.9"], "--search gamma and --hyper gamma cannot be combined"),
        (["--search", "gamma=2..3"], "--search gamma=2..3: gamma=2.0: must be a number from 0 to 1"),
        (["--set", "nonsense=1"], "has no setting 'nonsense'"),
        (["--seed", "-1"], "seed=-1: must be an integer from 0"),
        (["--resume"], "nothing to resume: "),
        (["--resume", "--seed", "1"], "--resume goes on with the settings of "),
    ],
)
def test_bad_input_is_reported_in_one_line(capsys, tmp_path, options, message):
    code, out, err = run(capsys, "sweep", "8-puzzle", "--out", tmp_path / "new", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_with_a_sweep_is_left_alone(capsys, recorded):
    folder = recorded.folder
    assert "already exists; resume it, or choose another" in run(capsys, "sweep", "8-puzzle", "--out", folder)[2]
    assert "is of EightPuzzle-v0, not of" in run(capsys, "sweep", "wumpus", "--out", folder, "--resume")[2]
    found = run(capsys, "sweep", "8-puzzle", "--out", folder, "--resume", "--trials", 2)
    assert (found[0], "has 5 already" in found[2]) == (2, True)


@pytest.mark.parametrize(("package", "extra"), [("ray", "ray"), ("optuna", "ray"), ("torch", "train")])
def test_a_missing_package_is_reported_with_its_extra(capsys, monkeypatch, tmp_path, package, extra):
    found = importlib.util.find_spec
    there = importlib.machinery.ModuleSpec("there", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else found(name) or there)
    code, _, err = run(capsys, "sweep", "8-puzzle", "--out", tmp_path / "new")
    assert code == 1
    assert err == f'gridpuzzles: {package} is not installed; to install it: pip install "gridpuzzles_gym[{extra}]"\n'


# -- proposals ---------------------------------------------------------------------------------------


def test_equal_seeds_propose_equal_settings():
    pytest.importorskip("optuna")
    from gridpuzzles_gym.agents.training.sweep.proposals import Proposals

    settings = Settings()
    space = {**default_space(settings), "network": Choice(("mlp", "map"))}

    def proposed(seed):
        proposals = Proposals(space, seed)
        found = []
        for number in range(1, 9):
            found.append(proposals.propose(number))
            proposals.finish(number, None if number == 3 else found[-1]["gamma"])
        return found

    first = proposed(0)
    assert first == proposed(0)
    assert first != proposed(1)
    assert all(chosen[name] in values for chosen in first for name, values in space.items())
    assert len({chosen["learning_rate"] for chosen in first}) == 8

    resumed = Proposals(space, 0)
    for number in (1, 2, 4):
        resumed.add(first[number - 1], first[number - 1]["gamma"])
    assert resumed.propose(5, first[4]) == first[4], "one that was interrupted"
    assert resumed.propose(8) == first[7]


def test_proposals_learn():
    pytest.importorskip("optuna")
    from gridpuzzles_gym.agents.training.sweep.proposals import Proposals

    proposals, distances = Proposals({"gamma": Range(0.0, 1.0)}, 0), []
    for number in range(40):
        distances.append(abs(proposals.propose(number)["gamma"] - 0.7))
        proposals.finish(number, -distances[-1])
    assert sum(distances[25:]) / 15 < 0.2, "at random it would be 0.29; TPE goes on exploring"


# -- whole sweeps ------------------------------------------------------------------------------------


@pytest.fixture
def started():
    """The processes of a test, which end with it."""
    processes = []
    yield processes
    for process in processes:
        process.kill()


def start(*arguments, cwd):
    """The command as a process of its own."""
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=cwd, start_new_session=True, **pipes)


def sweep(*arguments, cwd, code=0):
    process = start("sweep", *arguments, cwd=cwd)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, out + err
    return out, err


def state_of(folder, number):
    try:
        return json.loads((folder / "trials" / f"{number:02}" / "trial.json").read_text())["state"]
    except FileNotFoundError:
        return None


def wait_for(condition):
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come about within four minutes")


@whole
def test_a_small_sweep_and_more_of_it(tmp_path):
    folder = tmp_path / "found"
    options = ("--trials", 3, "--concurrency", 2, "--seed", 5, "--out", folder)
    searched = ("learning_rate=1e-4..1e-2:log", "centred=true,false", "network=mlp,map")
    space = [word for text in searched for word in ("--search", text)]
    out, err = sweep("8-puzzle", *options, *TINY, *space, cwd=tmp_path)
    assert err == ""
    trials = read_sweep(folder).recorded()
    assert len(trials) == 3
    assert trials[0].chosen == {"learning_rate": 1e-3, "centred": False, "network": "mlp"}, "the preset's"
    for trial in trials:
        assert trial.state != UNFINISHED
        if trial.chosen["network"] == "map":
            assert trial.state == FAILED
            assert f"trial {trial.number} failed: " in out
            assert "ValueError" in out or "requires network='mlp'" in out
        else:
            assert trial.model.is_file()
            assert trial.curve()[-1][0] >= 512
    assert trials[0].state == FINISHED
    assert sorted(path.name for path in folder.iterdir()) == ["sweep.json", "sweep.png", "trials", "trials.csv"]
    best = ranked(trials)[0][0]
    assert f"best model: {best.model}" in out
    assert "gridpuzzles train EightPuzzle-v0 --hyper seed=5 --hyper num_envs=8" in out

    before = [trial.curve() for trial in trials]
    sweep("8-puzzle", "--resume", "--trials", 4, "--out", folder, cwd=tmp_path)
    again = read_sweep(folder).recorded()
    assert [trial.curve() for trial in again[:3]] == before, "those that had ended are as they were"
    assert len(again) == 4
    assert UNFINISHED not in {trial.state for trial in again}


@whole
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_sweep_keeps_what_is_done_and_goes_on(tmp_path, started, number):
    folder = tmp_path / "found"
    long = ("--hyper", "checkpoint_minutes=0.01", *TINY[:-1], 60_000)
    process = start(
        "sweep", "8-puzzle", "--trials", 3, "--concurrency", 1, *long, "--search", "gamma=0.9..0.99", "--out", folder,
        cwd=tmp_path,
    )  # fmt: skip
    started.append(process)
    wait_for(lambda: state_of(folder, 1) == FINISHED and (folder / "trials" / "02" / "checkpoint.npz").exists())
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=100)
    trials = read_sweep(folder).recorded()
    assert trials[0].state == FINISHED
    assert [trial.state for trial in trials[1:]] in ([UNFINISHED], [STOPPED], [STOPPED, UNFINISHED])
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "best model: " in out
        assert re.search(r"gridpuzzles: stopped: [12] of 3 trials ended; saved in .*, --resume goes on\n$", err)
        assert (folder / "trials.csv").exists()
        assert (folder / "sweep.png").exists()
        assert trials[1].model.exists()
    done = trials[1].curve()
    sweep("8-puzzle", "--resume", "--out", folder, cwd=tmp_path)
    again = read_sweep(folder).recorded()
    assert len(again) == 3
    assert {trial.state for trial in again} <= {FINISHED, STOPPED}
    assert again[1].chosen == trials[1].chosen
    assert again[1].curve()[:1] == done[:1], "it went on from its checkpoint"


@whole
def test_an_address_that_leads_nowhere_leaves_nothing(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    _, err = sweep("8-puzzle", "--ray", f"127.0.0.1:{port}", "--out", tmp_path / "new", cwd=tmp_path, code=1)
    assert err.startswith(f"gridpuzzles: --ray 127.0.0.1:{port}: no cluster can be reached there")
    assert err.count("\n") == 1
    assert not (tmp_path / "new" / "sweep.json").exists()
    assert "must be auto, local or HOST:PORT" in sweep("8-puzzle", "--ray", "x", cwd=tmp_path, code=2)[1]
