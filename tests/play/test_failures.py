"""How the window fails."""

import pytest

from gridpuzzles_gym.cli.program import run
from gridpuzzles_gym.play import jobs
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.window import CrashError
from gridpuzzles_gym.play.window.app import App
from gridpuzzles_gym.play.window.cards import PauseScreen
from gridpuzzles_gym.play.window.playing import PlayingScreen


def test_a_crash_saves_the_games_and_names_the_file_with_the_traceback(tmp_path, monkeypatch, capsys):
    def press_and_fail(screen, seconds):
        screen.act([0, 1, 2, 3])
        raise KeyError("a bug")

    def fail_to_leave(screen):
        raise LookupError("and another one")

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(jobs, "prepare", lambda work: None)
    monkeypatch.setattr(PlayingScreen, "tick", press_and_fail)
    assert run(["play", "sokoban", "--levels", "first"]) == 1
    [log] = [file for file in (tmp_path / "state").rglob("*") if file.is_file()]
    assert capsys.readouterr().err == f"gridpuzzles: KeyError: 'a bug' (this is a bug: please report it with {log})\n"
    assert "in press_and_fail" in log.read_text()
    [(_, saved)] = Progress().latest_games()
    assert saved["taken"]
    monkeypatch.setattr(PauseScreen, "tick", press_and_fail)
    monkeypatch.setattr(PauseScreen, "leave", fail_to_leave)
    app = App()
    app.show("playing", PlaySession.of("Sokoban-v0", "first", 1))
    app.top.act([0, 1, 2, 3])
    app.show("pause", app.top)
    monkeypatch.setattr(App, "show", lambda app, name: None)
    with pytest.raises(CrashError):
        app.run("pause")
    [(_, saved)] = Progress().latest_games()
    assert saved["number"] == 1, "although the menu above it cannot be closed"
