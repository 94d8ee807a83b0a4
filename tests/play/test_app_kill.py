"""A game and a drawing survive the death of the app at any moment."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from folders import PYTHONPATH
from helpers import PUZZLES

from gridpuzzles_gym.play.editing import own_folder, read_draft
from gridpuzzles_gym.play.game import Game
from gridpuzzles_gym.play.progress import Progress

EVENING = """
import json, os, random, sys, time
from pathlib import Path
sys.path[:0] = sys.argv[2].split(os.pathsep)
import pygame
from app_driver import FRAME, Driver
from helpers import PUZZLES
from gridpuzzles_gym.play.game import Game

driver = Driver(Path(sys.argv[1]), (640, 480))
driver.app.show("start")
numbers = random.Random(int(sys.argv[3]))


def say(what, *more):
    print(json.dumps([what, *more]), flush=True)


def play():
    env_id, pack = numbers.choice([("Sokoban-v0", "first"), ("Bait-v0", "lessons"), ("EightPuzzle-v0", None)])
    driver.app.show("playing", Game(env_id, pack, numbers.randrange(3)))
    for _ in range(numbers.randrange(5, 40)):
        keys = [*list(driver.top.actions), "backspace", "f4", "home"] if driver.name == "PlayingScreen" else ["escape"]
        driver.press(numbers.choice(keys))
        say("played")


def draw():
    name = numbers.choice(["wumpus", "cat_mouse", "bait", "sokoban"])
    driver.app.show("editor", PUZZLES[name])
    editor = driver.top
    for _ in range(numbers.randrange(5, 20)):
        editor._choose(numbers.choice(editor.pieces))
        height, width = editor.editing.board.extent
        start, end = [(numbers.randrange(height), numbers.randrange(width)) for _ in range(2)]
        for kind, square in ((pygame.MOUSEBUTTONDOWN, start), (pygame.MOUSEMOTION, end), (pygame.MOUSEBUTTONUP, end)):
            point = editor.view.square(square).center
            more = {"rel": (0, 0), "buttons": (1, 0, 0)} if kind == pygame.MOUSEMOTION else {"button": 1}
            driver.post(pygame.event.Event(kind, pos=point, **more))
            say("drawn", name, editor.editing.board.text())
        driver.settle()
        say("saved", name)


say("ready")
while True:
    numbers.choice([play, draw])()
    driver.app.home()
"""


def killed(folder, seed, seconds):
    """Play and draw, then kill the process so long after its first deed; return what it said."""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    command = [sys.executable, "-c", EVENING, str(folder), PYTHONPATH, str(seed)]
    said = folder.with_suffix(".said")
    with said.open("w") as out:
        child = subprocess.Popen(command, env=environment, stdout=out)
        try:
            while len(said.read_text().splitlines()) < 2:  # "ready", and what was done first
                assert child.poll() is None
                time.sleep(0.01)
            time.sleep(seconds)
            assert child.poll() is None
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
    return [json.loads(line) for line in said.read_text().split("\n")[:-1] if line.startswith("[")]


class Expected:
    """The data that must exist at the next start, by the reports of the app before it was killed."""

    def __init__(self):
        self.played = False
        self.drawn = {}

    def add(self, said):
        """Add the reports: of each drawing, the last saved version and all later ones."""
        for what, *more in said:
            if what == "played":
                self.played = True
            elif what == "drawn":
                self.drawn.setdefault(more[0], []).append(more[1])
            elif what == "saved":
                del self.drawn[more[0]][:-1]

    def check(self, folder):
        """Compare it with what is there."""
        progress = Progress(folder)
        latest = progress.latest_games()
        assert latest or not self.played
        for _, saved in latest:
            assert Game.resumed(saved).save() == saved
        for name, boards in self.drawn.items():
            puzzle = PUZZLES[name]
            found = read_draft(own_folder(progress, puzzle), puzzle).board.text()
            if len(boards) == 1:
                assert found == boards[0]
            self.drawn[name] = [found]
        assert not progress.notices
        assert not list(folder.glob("*damaged*"))


@pytest.mark.extended
def test_killed_at_any_moment_the_next_start_has_everything(tmp_path):
    numbers, expected = random.Random(4), Expected()
    for kill in range(int(os.environ.get("KILLS", "1"))):
        expected.add(killed(tmp_path / "progress", kill, numbers.uniform(0.3, 2.5)))
        expected.check(tmp_path / "progress")
    assert expected.played or expected.drawn
