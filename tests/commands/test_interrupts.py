"""Ctrl-C at the command line: what is done is kept and told in a line, and the exit code is 130."""

import csv

import imageio.v3
import pytest
from helpers import TINY, run

COMPARE = ["compare", "Wumpus-v0", "--agent", "random", "--agent", "bayesian", "--episodes", 8]


def struck(monkeypatch, where, name, times):
    """Ctrl-C at a call of a function, after so many that return."""
    function, calls = getattr(where, name), []

    def strike(*arguments, **named):
        calls.append(1)
        if len(calls) == times + 1:
            raise KeyboardInterrupt
        return function(*arguments, **named)

    monkeypatch.setattr(where, name, strike)


@pytest.mark.parametrize("done", [0, 1])
def test_compare_shows_the_agents_that_are_done(capsys, tmp_path, monkeypatch, done):
    pytest.importorskip("matplotlib")
    from gridpuzzles_gym.agents import evaluation

    struck(monkeypatch, evaluation, "score_of", done)
    scores, chart = tmp_path / "scores.csv", tmp_path / "scores.png"
    code, out, err = run(capsys, *COMPARE, "--csv", scores, "--chart", chart)
    assert (code, err) == (130, f"gridpuzzles: stopped: {done} of 2 agents finished\n")
    assert ("8 episodes each" in out, scores.exists(), chart.exists()) == (done == 1,) * 3
    assert "0 episodes" not in out
    assert "bayesian" not in out.partition("return")[2]
    if done:
        with scores.open(newline="") as lines:
            assert [row["agent"] for row in csv.DictReader(lines)] == ["random"]


def test_train_says_what_is_saved(capsys, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from gridpuzzles_gym.agents.training.monitoring.monitor import Monitor

    struck(monkeypatch, Monitor, "show", 2)
    small = ["--steps", 4096, "--num-envs", 8, "--hyper", "n_steps=16", "--hyper", "hidden=8"]
    code, _, err = run(capsys, "train", "Wumpus-v0", *small, "--out", tmp_path)
    assert code == 130
    assert err == f"gridpuzzles: stopped after 256 steps; saved in {tmp_path}, resume it to continue (--resume)\n"
    assert (tmp_path / "model.safetensors").exists()


def test_a_recording_of_many_episodes_ends_at_once(capsys, tmp_path, monkeypatch):
    """Drawing takes a hundred times as long as playing: what was only played does not all have to be drawn."""
    from gridpuzzles_gym.commands import recording
    from gridpuzzles_gym.play import session as sessions

    monkeypatch.setattr(recording, "GRACE", 0.05)
    struck(monkeypatch, sessions.Watched, "begin", 200)
    film = tmp_path / "film.gif"
    arguments = ["watch", "Wumpus-v0", "--agent", "random", "--seed", 1, "--episodes", 5000, "--tile-size", 64]
    code, out, err = run(capsys, *arguments, "--record", film)
    shown = len(imageio.v3.imread(film))
    assert (code, out.strip()) == (130, "")
    assert 1 <= shown < 200
    assert err.startswith("gridpuzzles: stopped: played 200 of 5,000 episodes; ")
    assert f"; {film} has the first {shown} of " in err
    assert err.count("\n") == 1


def test_levels_solve_sums_up_between_two_searches_too(capsys, tmp_path, monkeypatch):
    from gridpuzzles_gym.commands.levels import solve as level_solving

    path, answers = tmp_path / "tiny.xsb", tmp_path / "answers.csv"
    path.write_text(TINY)
    struck(monkeypatch, level_solving.Problem, "at_start", 1)
    code, out, _ = run(capsys, "levels", "solve", path, "--search", "breadth-first", "--workers", 1, "--csv", answers)
    assert code == 130
    assert "solved 1 of 1 level" in out
    assert len(answers.read_text().splitlines()) == 2
