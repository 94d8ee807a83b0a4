"""The display goes away in the middle of a game: one line, and nothing is lost."""

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
            self.top.act([0, 2, 3])
            print("moved", flush=True)

Moving(Progress(Path(sys.argv[1])), (320, 240)).run("playing", Game("Sokoban-v0", "first", 4))
"""


@NEEDS_X_SERVER
def test_a_display_that_vanishes_takes_nothing_with_it(tmp_path):
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
    assert Progress(tmp_path).game("sokoban")["taken"] == [0, 2, 3]


def test_without_x11_nothing_happens(monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.window.display_loss._xlib", lambda: None)
    with display_loss(lambda: None):
        pass
