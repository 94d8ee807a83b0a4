"""How the window fails: a bug; and full screen and back."""

import json
import subprocess
import sys

import pytest
from x_server import NEEDS_X_SERVER, x_server

from gridpuzzles_gym.cli.program import run
from gridpuzzles_gym.play import jobs
from gridpuzzles_gym.play.game import Game
from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.window import CrashError
from gridpuzzles_gym.play.window.app import App
from gridpuzzles_gym.play.window.cards import PauseScreen
from gridpuzzles_gym.play.window.playing import PlayingScreen

SESSION = """
import json, sys
from pathlib import Path
import pygame
from gridpuzzles_gym.play.window.app import App
from gridpuzzles_gym.play.progress import Progress

class Switching(App):
    frames, sizes = 0, []

    def frame(self, events, seconds=None):
        super().frame(events, seconds)
        self.frames += 1
        self.top.waiting = True
        if self.frames % 60 == 0:
            self.sizes.append([*self.surface.get_size(), *self.top.size])
            if self.frames == 300:
                print(json.dumps(self.sizes), flush=True)
                self.quit()
                return
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=pygame.K_F11, mod=0, unicode="", scancode=0))

Switching(Progress(Path(sys.argv[1])), (1000, 700)).run("settings")
"""


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
    app.show("playing", Game("Sokoban-v0", "first", 1))
    app.top.act([0, 1, 2, 3])
    app.show("pause", app.top)
    monkeypatch.setattr(App, "show", lambda app, name: None)
    with pytest.raises(CrashError):
        app.run("pause")
    [(_, saved)] = Progress().latest_games()
    assert saved["number"] == 1, "although the menu above it cannot be closed"


@pytest.mark.extended
@NEEDS_X_SERVER
def test_full_screen_and_back(tmp_path):
    """The window is as large as before, and nothing is written to the terminal."""
    with x_server("1600x900x24") as (_, environment):
        command = [sys.executable, "-W", "default", "-c", SESSION, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    window, full = [1000, 700, 1000, 700], [1600, 900, 1600, 900]
    assert json.loads(done.stdout.splitlines()[-1]) == [window, full, window, full, window]
    assert "RuntimeWarning" not in done.stderr
