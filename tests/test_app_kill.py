"""A game survives the death of the app at any moment."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gridpuzzles_gym.app.game import Game
from gridpuzzles_gym.app.progress import Progress

EVENING = """
import random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from app_driver import Driver
from gridpuzzles_gym.app.game import Game
from gridpuzzles_gym.app.screens.playing import PlayingScreen
from gridpuzzles_gym.app.screens.start import StartScreen

driver = Driver(Path(sys.argv[1]), (640, 480))
driver.app.push(StartScreen(driver.app))
numbers = random.Random(int(sys.argv[3]))
print("ready", flush=True)
while True:
    env_id, pack = numbers.choice([("Sokoban-v0", "first"), ("Bait-v0", "lessons"), ("EightPuzzle-v0", None)])
    driver.app.push(PlayingScreen(driver.app, Game(env_id, pack, numbers.randrange(3))))
    for _ in range(numbers.randrange(5, 60)):
        keys = [*list(driver.top.actions), "backspace", "f4", "home"] if driver.name == "PlayingScreen" else ["escape"]
        driver.press(numbers.choice(keys))
    driver.app.home()
"""


def killed(folder, seed, seconds):
    """Play for so long, then kill the process."""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    command = [sys.executable, "-c", EVENING, str(folder), str(Path(__file__).parent), str(seed)]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        while child.stdout.readline() != "ready\n":
            assert child.poll() is None
        time.sleep(seconds)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()


@pytest.mark.slow
def test_killed_at_any_moment_the_last_game_is_there_again(tmp_path):
    numbers, taken = random.Random(4), 0
    for kill in range(int(os.environ.get("KILLS", "2"))):
        killed(tmp_path, kill, numbers.uniform(0.3, 2.5))
        progress = Progress(tmp_path)
        latest = progress.latest_game()
        assert latest is not None
        game = Game.resumed(latest[1])
        assert game.save() == latest[1]
        taken += len(game.taken)
        assert not progress.notices
        assert not list(tmp_path.glob("*damaged*"))
    assert taken
