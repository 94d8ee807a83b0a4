"""The display goes away in the middle of a game: one line, and nothing is lost."""

import os
import shutil
import subprocess
import sys

import pytest

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


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb on this machine")
def test_a_display_that_vanishes_takes_nothing_with_it(tmp_path):
    there, end = os.pipe()
    options = ["-displayfd", str(end), "-screen", "0", "400x300x24", "-nolisten", "tcp"]
    server = subprocess.Popen(["Xvfb", *options], pass_fds=[end], stderr=subprocess.DEVNULL)
    os.close(end)
    with os.fdopen(there) as numbers:
        number = numbers.readline().strip()
    environment = {**os.environ, "DISPLAY": f":{number}", "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy"}
    child = subprocess.Popen(
        [sys.executable, "-c", GAME, str(tmp_path)], env=environment, stdout=-1, stderr=-1, text=True
    )
    try:
        while child.stdout.readline() not in ("moved\n", ""):
            pass
        server.kill()
        _, errors = child.communicate(timeout=20)
    finally:
        server.kill()
        server.wait()
        child.kill()
        child.wait()
    assert errors == f"{LOST}\n"
    assert child.returncode == 1
    assert Progress(tmp_path).game("sokoban")["taken"] == [0, 2, 3]


def test_without_x11_nothing_happens(monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.window.display_loss._xlib", lambda: None)
    with display_loss(lambda: None):
        pass
