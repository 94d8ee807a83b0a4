"""Full screen and back, on a real display: the window is as large as before, and nothing is written to the terminal."""

import json
import subprocess
import sys

from x_server import NEEDS_X_SERVER, x_server

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
def test_full_screen_and_back(tmp_path):
    with x_server("1600x900x24") as (_, environment):
        command = [sys.executable, "-W", "default", "-c", SESSION, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    window, full = [1000, 700, 1000, 700], [1600, 900, 1600, 900]
    assert json.loads(done.stdout.splitlines()[-1]) == [window, full, window, full, window]
    assert "RuntimeWarning" not in done.stderr
