"""Trained models chosen in the window: by a menu entry, with errors shown on the screen that asks."""

import pygame
import pytest
from app_driver import until
from helpers import PUZZLES
from tiny_models import write_tiny_model

from gridpuzzles_gym.session import jobs
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.watch_options import WatchOptions
from gridpuzzles_gym.window.model.trained_models import RUNS, suggested
from gridpuzzles_gym.window.screens.files import MODEL
from gridpuzzles_gym.window.screens.playing import PlayingScreen
from gridpuzzles_gym.window.screens.watching import NOBODY, WatchingScreen


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a model in runs/tiles, and one that is damaged; the working directory."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        jobs.end()  # a process that is ready for jobs has the working directory of its start
        model = write_tiny_model(folder / RUNS / "tiles" / "model.safetensors", masks=True)
        damaged = folder / RUNS / "damaged" / "model.safetensors"
        damaged.parent.mkdir()
        damaged.write_bytes(model.read_bytes()[:-1])
        yield folder
        jobs.end()


def of_steps(limit):
    return WatchOptions(episodes=1, settings={"max_episode_steps": limit})


def wait(driver, condition):
    """Let time pass until something is so."""
    until(condition, lambda: driver.app.frame(pygame.event.get(), 1 / 60))


def type_path(driver, path):
    """Type a path where a model is asked for, and press the button."""
    assert driver.name == "FileScreen"
    driver.top.entry.set_text(str(path))
    driver.top.answer = str(path)
    driver.push("Let it play")


def test_the_newest_model_of_the_puzzle_is_suggested(home):
    assert suggested(PUZZLES["n_puzzle"]) == RUNS / "tiles"
    assert suggested(PUZZLES["wumpus"]) == RUNS


def test_a_model_is_chosen_in_the_menu_and_plays(home, driver):
    driver.app.push(PlayingScreen(driver.app, Game("EightPuzzle-v0", "eight", 2)))
    driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3, mod=0, unicode="", scancode=0))
    screen = driver.top
    wait(driver, lambda: not screen.show.searching)
    driver.press("space")
    driver.pick(screen.show.choice, MODEL)
    assert driver.top.answer == str(RUNS / "tiles")
    driver.press("escape")
    assert driver.top is screen  # cancelled: nothing has changed
    assert any(button.text.startswith(screen.show.choice) for button in driver.buttons())
    driver.pick(screen.show.choice, MODEL)
    driver.push("Let it play")
    assert driver.top is screen
    assert screen.show.choice == str(RUNS / "tiles")
    screen.show.paused = False
    wait(driver, lambda: screen.show.at >= 2 or screen.show.error)
    assert not screen.show.error
    assert screen.show.words().startswith("tiles plays: step ")


def test_a_model_is_watched_next_to_an_agent(home, driver):
    screen = WatchingScreen(driver.app, PUZZLES["n_puzzle"], players=["random"], options=of_steps(4))
    driver.app.push(screen)
    driver.settle()
    driver.pick(NOBODY, MODEL)
    driver.push("Let it play")
    assert driver.top is screen
    assert screen.players == ["random", str(RUNS / "tiles")]
    driver.settle()
    assert len(screen.watching.players[1].decisions) == 4
    for decision in screen.watching.players[1].decisions:
        assert sum(decision.thoughts.probabilities) == pytest.approx(1)


def test_an_unusable_model_is_an_error_on_the_screen_that_asks(home, driver, tmp_path):
    (tmp_path / "theirs.zip").write_bytes(b"PK\3\4")
    (tmp_path / "model.safetensors").write_text("no model")
    driver.app.push(WatchingScreen(driver.app, PUZZLES["n_puzzle"], players=["random"], options=of_steps(2)))
    screen = driver.top
    players = list(screen.players)
    screen.choose("first", MODEL)
    for path, words in (
        (tmp_path / "nothing", "there is no model"),
        (tmp_path, "is not a model"),
        (
            tmp_path / "theirs.zip",
            "theirs.zip is a zip file, and loading a model of Stable-Baselines3 can run any code",
        ),
        (home / RUNS / "damaged", "is damaged"),
    ):
        type_path(driver, path)
        assert words in driver.top.error
    driver.press("escape")
    assert driver.top is screen
    assert screen.players == players
    driver.press("escape")
    driver.app.push(WatchingScreen(driver.app, PUZZLES["wumpus"], players=["random"], options=of_steps(2)))
    driver.top.choose("first", MODEL)
    type_path(driver, home / RUNS / "tiles")
    assert "was trained on EightPuzzle-v0" in driver.top.error
    driver.press("escape")
