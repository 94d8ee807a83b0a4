"""A real display: it goes away in the middle of a game, and full screen and back."""

import json
import subprocess
import sys

from x_server import NEEDS_X_SERVER, x_server

from gridpuzzles_gym.window.display_loss import LOST, display_loss
from gridpuzzles_gym.window.model.progress import Progress

GAME = """
import sys
from pathlib import Path
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.model.progress import Progress
from gridpuzzles_gym.window.app import App

class Moving(App):
    frames = 0
    teaches = property(lambda self: False, lambda self, teaches: None)

    def frame(self, events, seconds=None):
        super().frame(events, seconds)
        self.frames += 1
        if self.frames == 3:
            self.top.act([1, 2, 3])
            print("moved", flush=True)

Moving(Progress(Path(sys.argv[1])), (320, 240)).run("playing", Game("Sokoban-v0", "first", 4))
"""

SESSION = """
import json, sys
from pathlib import Path
import pygame
from gridpuzzles_gym.window.app import App
from gridpuzzles_gym.window.model.progress import Progress

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


@NEEDS_X_SERVER
def test_a_display_that_vanishes_takes_nothing_with_it(tmp_path):
    """One line, and nothing is lost."""
    with x_server("400x300x24") as (server, environment):
        child = subprocess.Popen(
            [sys.executable, "-c", GAME, str(tmp_path)], env=environment, stdout=-1, stderr=-1, text=True
        )
        try:
            while child.stdout.readline() not in ("moved\n", ""):
                pass
            server.kill()
            _, errors = child.communicate(timeout=20)
        finally:
            child.kill()
            child.wait()
    assert errors == f"{LOST}\n"
    assert child.returncode == 1
    assert Progress(tmp_path).game("sokoban")["taken"] == [1, 2, 3]


def test_without_x11_nothing_happens(monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.window.display_loss._xlib", lambda: None)
    with display_loss(lambda: None):
        pass


@NEEDS_X_SERVER
def test_full_screen_and_back(tmp_path):
    """The window is as large as before, and nothing is written to the terminal."""
    with x_server("1600x900x24") as (_, environment):
        command = [sys.executable, "-W", "default", "-c", SESSION, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    window, full = [1000, 700, 1000, 700], [1600, 900, 1600, 900]
    assert json.loads(done.stdout.splitlines()[-1]) == [window, full, window, full, window]
    assert "RuntimeWarning" not in done.stderr
