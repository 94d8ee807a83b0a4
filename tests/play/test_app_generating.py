"""Generating in the window: levels appear while they are made, stay when it is stopped, are played, saved, printed."""

import pytest
from app_driver import until
from helpers import PUZZLES

from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play.level_maker import OWN, LevelMaker, label_of, maker_presets
from gridpuzzles_gym.play.window.generating import GeneratingScreen

ALL = sorted(PUZZLES)


pytestmark = pytest.mark.usefixtures("inline_jobs")


def made(maker):
    until(lambda: not maker.busy, maker.poll)
    assert not maker.error
    return maker


def quick(name, count=3):
    maker = LevelMaker(PUZZLES[name])
    maker.count = count
    if name == "sokoban":
        maker.chosen |= {"size": 7, "boxes": 1, "simulations": 50, "least_pushes": None}
    return maker


def screen_of(driver, name, count=3):
    driver.app.push(GeneratingScreen(driver.app, PUZZLES[name]))
    screen = driver.top
    screen.maker.count, screen.maker.chosen = count, quick(name).chosen
    screen.open(screen.size)
    return screen


# -- the model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_menus_show_what_is_chosen_and_choose_values_that_are_offered(name):
    maker, menus = LevelMaker(PUZZLES[name]), maker_presets(PUZZLES[name])
    assert list(menus) == ["size", "difficulty"]
    assert list(menus["difficulty"]) == ["easy", "medium", "hard"]
    for labels in menus.values():
        assert label_of(labels, maker.chosen) != OWN
        for label, settings in labels.items():
            assert all(value in maker.offered[setting] for setting, value in settings.items())
            assert label_of(labels, maker.chosen | settings) == label
    assert label_of(menus["size"], maker.chosen | {"size": 99}) == OWN


@pytest.mark.parametrize("name", ["n_puzzle", "wumpus", "bait"])
def test_levels_are_made_and_can_be_played(name):
    maker = quick(name)
    assert maker.status() == "choose how many, and what they are like"
    maker.start()
    assert maker.busy
    made(maker)
    assert maker.status() == "3 levels"
    keys = {maker.levels[number].key for number in range(3)}
    assert len(keys) == 3
    game = maker.game(1)
    assert game.count == 3
    assert game.number == 1
    maker.count = 100_000
    maker.start()
    until(lambda: len(maker.levels) >= 5, maker.poll)
    assert "of 100003" in maker.status()
    maker.stop()
    assert not maker.busy
    assert len(maker.levels) >= 5


# -- the screen ----------------------------------------------------------------------------------------


def test_levels_appear_as_pictures_and_one_is_saved_and_played(driver, tmp_path):
    screen = screen_of(driver, "wumpus")
    driver.pick(PUZZLES["wumpus"].title, PUZZLES["n_puzzle"].title)
    driver.pick("10", "5")
    driver.pick("3×3", "4×4")
    driver.push("Generate")
    assert screen.maker.game(0).level.extent[:2] == (4, 4)
    assert set(screen.pages._pictures) == set(range(5))
    driver.push("Save as a pack")
    driver.push("Save as a pack")
    for number in (1, 2):
        assert len(find_levels(PUZZLES["n_puzzle"], str(tmp_path / f"levels/n_puzzle/new levels {number}.txt"))) == 5
    driver.click(screen.pages.cell(2).center)
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 2)
    driver.app.pop_to("generating")
    assert len(screen.maker.levels) == 5
    screen.maker.count = 100_000
    screen._start()
    driver.app.frame([], 0.1)
    maker = screen.maker
    assert maker.busy
    screen.back()
    assert not maker.busy
