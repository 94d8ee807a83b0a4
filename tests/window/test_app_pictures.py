"""A picture of every screen, compared with the one in docs/images/app; ``--update`` draws them again."""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pygame
import pytest
from app_driver import Driver
from helpers import PUZZLES

from gridpuzzles_gym.session.choices import playing_settings
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.screens.playing import PlayingScreen
from gridpuzzles_gym.window.screens.start import StartScreen
from gridpuzzles_gym.window.screens.watching import WatchingScreen

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "images" / "app"
SIZE = (1280, 800)
DIFFERENT = 0.01
"""The share of pixels that may differ: other versions of SDL smooth edges in other ways."""


def game(driver, env_id, level=None, number=0, actions=(), **settings):
    """Open a game and play."""
    made = Game(env_id, level, number, seed=5, **settings)
    own = playing_settings(driver.app.preferences, made.puzzle)
    driver.app.push(PlayingScreen(driver.app, Game(env_id, level, number, seed=5, **{**own, **settings})))
    made.close()
    driver.settle()
    for action in actions:
        driver.top.act([action])
        driver.settle()


def start(driver):
    pass


def levels(driver):
    driver.app.open_levels(str(REPOSITORY / "levels" / "sokoban" / "first.txt"))


def level_list(driver):
    driver.app.progress.save_preferences(driver.app.preferences.choosing("sokoban", "levels_listed", True))
    driver.app.show("levels", PUZZLES["sokoban"], "easy")


def replay(driver):
    game(driver, "Sokoban-v0", "first", 4, (1, 1, 3, 2))
    driver.press("r", mod=pygame.KMOD_CTRL)
    driver.press("home", "right", "right")


def sokoban(driver):
    game(driver, "Sokoban-v0", "first", 4, (0, 2))


def tiles(driver):
    game(driver, "EightPuzzle-v0", None, 3, (0, 2))


def cat_and_mouse(driver):
    game(driver, "CatMouse-v0", "classic", 0, (3, 3, 1))


def bait(driver):
    game(driver, "Bait-v0", "lessons", 1, (1, 3))


def wumpus(driver):
    game(driver, "Wumpus-v0", "textbook", 0, (2, 0, 2))
    driver.click(driver.square(1, 1), button=3)


def pause(driver):
    sokoban(driver)
    driver.press("escape")


def victory(driver):
    corridor = "; The corridor\n#######\n#@ $ .#\n#######\n\n; Another\n######\n#@ $.#\n######\n"
    game(driver, "Sokoban-v0", actions=(3, 3, 3), levels=corridor)


def death(driver):
    """With what an agent would have done."""
    game(driver, "Wumpus-v0", None, 7, (2, 2, 2))


def settings(driver):
    driver.press("s")


def rules(driver):
    game(driver, "Wumpus-v0", None, 7)
    driver.press("escape", "r")


def keys(driver):
    sokoban(driver)
    driver.press("f1")


def watching(driver):
    driver.app.push(WatchingScreen(driver.app, PUZZLES["wumpus"], number=7, players=["bayesian", "online-search"]))
    driver.press(".")  # pauses it
    while driver.top.watching.at != 2:
        driver.press("." if driver.top.watching.at < 2 else ",")


def editor(driver):
    """A level with two faults: a box that the player cannot reach, and one too many."""
    driver.app.show("editor", PUZZLES["sokoban"])
    driver.top.actions.open("hard:4")
    driver.click(driver.top.palette.boxes["$"].center)
    driver.click(driver.top.view.square((2, 5)).center)
    driver.click(driver.top.view.square((8, 1)).center)


def solving(driver):
    game(driver, "Sokoban-v0", "first", 4)
    driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3, mod=0, unicode="", scancode=0))
    deadline = time.monotonic() + 60
    while driver.top.show.at < 6:
        assert time.monotonic() < deadline
        driver.app.frame(pygame.event.get(), 1 / 60)
        time.sleep(0.002)
    driver.press("space")
    while driver.top.show.at > 6:
        driver.press("left")


def generating(driver):
    """Seven levels of twelve are there."""
    driver.app.show("generating", PUZZLES["sokoban"])
    screen = driver.top
    making = screen.making
    making.count, making.seed = 12, 3
    making.chosen |= {"size": 7, "boxes": 2, "simulations": 50, "least_pushes": 4}
    screen._start()
    deadline = time.monotonic() + 60
    while making.busy:
        assert time.monotonic() < deadline
        making.poll()
        time.sleep(0.002)
    del making.levels[7:]
    driver.settle()
    making.tried, making.seconds, making._job = 41, 3.2, Unfinished()
    screen.open(SIZE)
    screen.tick = lambda seconds: None
    screen.waiting = False


class Unfinished:
    """A job that would go on."""

    done = False

    def poll(self):
        return []

    def cancel(self):
        pass


SCENES = {
    scene.__name__.replace("_", "-"): scene
    for scene in (
        start,
        levels,
        level_list,
        replay,
        sokoban,
        tiles,
        cat_and_mouse,
        bait,
        wumpus,
        pause,
        victory,
        death,
        settings,
        rules,
        keys,
        watching,
        editor,
        solving,
        generating,
    )
}


def drawn(name, folder):
    """The picture of a screen, uint8[height, width, 3]."""
    driver = Driver(folder, SIZE)
    first = StartScreen(driver.app)
    first.puzzles = [puzzle for puzzle in first.puzzles if puzzle.module.startswith("gridpuzzles_gym.")]
    driver.app.push(first)
    driver.settle()
    SCENES[name](driver)
    driver.settle()
    driver.app.message = ""
    driver.app.draw()
    pixels = pygame.surfarray.array3d(driver.app.surface).swapaxes(0, 1)
    driver.app.quit()
    return pixels


@pytest.mark.parametrize("name", SCENES)
def test_the_screen_looks_as_in_its_picture(name, tmp_path):
    expected = pygame.surfarray.array3d(pygame.image.load(FOLDER / f"{name}.png")).swapaxes(0, 1)
    found = drawn(name, tmp_path)
    assert found.shape == expected.shape
    different = (np.abs(found.astype(int) - expected).max(axis=2) > 32).mean()
    assert different < DIFFERENT, f"{different:.1%} of the pixels differ; see {__file__} --update"


def test_there_is_no_picture_of_something_else():
    assert {path.stem for path in FOLDER.glob("*.png")} == set(SCENES)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(f"usage: {sys.argv[0]} --update")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            image = pygame.surfarray.make_surface(drawn(name, Path(folder)).swapaxes(0, 1))
            pygame.image.save(image, FOLDER / f"{name}.png")
