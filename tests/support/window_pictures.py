"""Draw the pictures of the window's screens in docs/images/app: ``python tests/support/window_pictures.py``."""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["SDL_VIDEODRIVER"] = "dummy"
REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import pygame  # noqa: E402 - found by the line above
from app_driver import Driver  # noqa: E402

from gridpuzzles_gym.play.arguments import all_puzzles  # noqa: E402
from gridpuzzles_gym.play.editing import read_board  # noqa: E402
from gridpuzzles_gym.play.game import Game  # noqa: E402
from gridpuzzles_gym.play.preferences import playing_settings  # noqa: E402

FOLDER = REPOSITORY / "docs" / "images" / "app"
SIZE = (1280, 800)
PUZZLES = {puzzle.name: puzzle for puzzle in all_puzzles()}


def game(driver, env_id, level=None, number=0, actions=(), **settings):
    """Open a game and play."""
    made = Game(env_id, level, number, seed=5, **settings)
    own = playing_settings(driver.app.preferences, made.puzzle)
    driver.app.show("playing", Game(env_id, level, number, seed=5, **{**own, **settings}))
    made.close()
    driver.settle()
    for action in actions:
        driver.top.act([action])
        driver.settle()


def start(driver):
    pass


def levels(driver):
    driver.app.open_levels(str(REPOSITORY / "levels" / "sokoban" / "first.txt"))


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
    driver.app.show("watching", PUZZLES["wumpus"], number=7, players=["bayesian"])
    wait(driver, lambda: not driver.top.playback.busy)
    driver.press("home", "right", "right")


def editor(driver):
    """A level with a fault: a box that the player cannot reach."""
    driver.app.show("editor", PUZZLES["sokoban"])
    level = (
        "##########\n#        #\n# @ $  . #\n#    ##  #\n#  $ #   #\n#    # . #\n#  ###   #\n#        #\n##########\n"
    )
    driver.top.set(read_board(PUZZLES["sokoban"], level))
    driver.press("4")
    driver.click(driver.top.square((6, 1)).center)
    driver.move(driver.top.square((4, 4)).center)


def solving(driver):
    game(driver, "Sokoban-v0", "first", 4)
    driver.top.solve()
    wait(driver, lambda: not driver.top.playback.busy)
    driver.press("home", *["right"] * 6)


def generating(driver):
    """Seven levels of twelve are there."""
    driver.app.show("generating", PUZZLES["sokoban"])
    screen = driver.top
    maker = screen.maker
    maker.count = 12
    maker.chosen |= {"size": 7, "boxes": 2, "simulations": 50, "least_pushes": 4}
    screen._start()
    wait(driver, lambda: len(maker.levels) >= 7)
    driver.press("g")


def wait(driver, condition):
    """Let time pass until something is so."""
    while not condition():
        driver.app.frame(pygame.event.get(), 1 / 60)
        time.sleep(0.002)


SCENES = {
    scene.__name__.replace("_", "-"): scene
    for scene in (
        start,
        levels,
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


def draw(name, folder):
    """Write the picture of a screen."""
    driver = Driver(folder, SIZE)
    driver.app.show("start")
    driver.settle()
    SCENES[name](driver)
    driver.settle()
    driver.app.message = ""
    driver.app.draw()
    pygame.image.save(driver.app.surface, FOLDER / f"{name}.png")
    driver.app.quit()


if __name__ == "__main__":
    from gridpuzzles_gym.play import jobs

    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or SCENES:
        with tempfile.TemporaryDirectory() as folder:
            draw(name, Path(folder))
    jobs.end()
