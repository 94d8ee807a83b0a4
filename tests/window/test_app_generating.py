"""Generating in the window: levels appear while they are made, stay when it is stopped, are played, saved, printed."""

import pygame
import pytest
from app_driver import Driver, until
from helpers import PUZZLES
from processes import children, gone

from gridpuzzles_gym.agents.identity import key_of
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, make_candidates, settings_of
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.session import jobs
from gridpuzzles_gym.window.model.level_making import LevelMaking
from gridpuzzles_gym.window.model.option_presets import OWN, label_of, maker_presets
from gridpuzzles_gym.window.model.progress import Progress
from gridpuzzles_gym.window.screens.generating import GeneratingScreen

ALL = sorted(PUZZLES)


pytestmark = pytest.mark.usefixtures("only_the_spare_process_is_left")


@pytest.fixture
def driver(tmp_path):
    driver = Driver(tmp_path / "progress")
    yield driver
    driver.app.quit()


def made(making):
    until(lambda: not making.busy, making.poll)
    assert not making.error
    return making


def quick(name, count=3):
    making = LevelMaking(PUZZLES[name])
    making.count = count
    if name == "sokoban":
        making.chosen |= {"size": 7, "boxes": 1, "simulations": 50, "least_pushes": None}
    return making


def screen_of(driver, name, count=3):
    driver.app.push(GeneratingScreen(driver.app, PUZZLES[name]))
    screen = driver.top
    screen.making.count, screen.making.chosen = count, quick(name).chosen
    screen.open(screen.size)
    return screen


# -- the model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_every_value_offered_is_valid(name):
    puzzle = PUZZLES[name]
    offered, bounds = agents_record(puzzle).generator_values, bounds_of(puzzle)
    assert "size" in offered
    assert set(offered) <= {*settings_of(puzzle), *bounds}
    first = {setting: values[0] for setting, values in offered.items()}
    for setting, values in offered.items():
        assert len(values) > 1
        for value in values:
            chosen = {each: one for each, one in {**first, setting: value}.items() if one is not None}
            own = {each: one for each, one in chosen.items() if each not in bounds}
            make_candidates(puzzle, own, {each: one for each, one in chosen.items() if each in bounds})


@pytest.mark.parametrize("name", ALL)
def test_the_menus_show_what_is_chosen_and_choose_values_that_are_offered(name):
    making, menus = LevelMaking(PUZZLES[name]), maker_presets(PUZZLES[name])
    assert list(menus) == ["size", "difficulty"]
    assert list(menus["difficulty"]) == ["easy", "medium", "hard"]
    for labels in menus.values():
        assert label_of(labels, making.chosen) != OWN
        for label, settings in labels.items():
            assert all(value in making.offered[setting] for setting, value in settings.items())
            assert label_of(labels, making.chosen | settings) == label
    assert label_of(menus["size"], making.chosen | {"size": 99}) == OWN


@pytest.mark.parametrize("name", ALL)
def test_generated_levels_are_kept_until_they_are_cleared(name, tmp_path):
    making = LevelMaking(PUZZLES[name], Progress(tmp_path))
    making.count, making.chosen = 2, quick(name).chosen
    making.start()
    made(making)
    again = LevelMaking(PUZZLES[name], Progress(tmp_path))
    assert again.levels == making.levels
    for one, other in zip(making.save(tmp_path / "a.txt"), again.save(tmp_path / "b.txt"), strict=True):
        assert one.read_text().replace("a ", "") == other.read_text().replace("b ", "")
    again.clear()
    assert LevelMaking(PUZZLES[name], Progress(tmp_path)).levels == []


def test_kept_levels_that_are_invalid_are_left_out_and_another_window_takes_nothing_away(tmp_path):
    ours, theirs = Progress(tmp_path), Progress(tmp_path)
    theirs.generated("wumpus")
    making = LevelMaking(PUZZLES["wumpus"], ours)
    making.count = 2
    making.start()
    made(making)
    theirs.save_game("wumpus", {"a": 1})
    assert Progress(tmp_path).generated("wumpus") == ours.generated("wumpus")
    assert Progress(tmp_path).game("wumpus") == {"a": 1}
    good, bad = ours.generated("wumpus")
    for damaged in ({}, {**bad, "board": "PPP"}, {**bad, "key": 3}, {**bad, "more": 1}, {**bad, "board": None}):
        ours.save_generated("wumpus", [damaged, good])
        assert LevelMaking(PUZZLES["wumpus"], Progress(tmp_path)).levels == making.levels[:1]


@pytest.mark.parametrize("name", ALL)
def test_levels_are_made_and_can_be_played(name):
    making = quick(name)
    assert making.status() == "choose how many, and what they are like"
    making.start()
    assert making.busy
    made(making)
    assert len(making.levels) == 3
    assert making.status() == "3 levels"
    keys = {key_of(PUZZLES[name], making.parsed(number)) for number in range(3)}
    assert len(keys) == 3
    game = making.game(1)
    assert game.count == 3
    assert key_of(PUZZLES[name], game.level) == key_of(PUZZLES[name], making.parsed(1))
    making.count = 2
    making.start()
    made(making)
    assert len(making.levels) == 5


def test_settings_and_bounds_are_obeyed():
    making = quick("sokoban", 2)
    making.chosen |= {"size": 8, "boxes": 2, "least_pushes": 4}
    making.words = "most_pushes=9"
    making.start()
    made(making)
    for number, level in enumerate(making.levels):
        assert making.parsed(number).extent[:2] == (8, 8)
        assert level.boxes == 2
        assert 4 <= level.difficulty.numbers()["pushes"] <= 9
    making = quick("n_puzzle", 2)
    making.chosen |= {"size": 4, "goal": "spiral", "scramble": 5}
    making.start()
    made(making)
    assert making.game(0).env.config.extent == (4, 4)


def test_what_is_stopped_keeps_what_is_made():
    making = quick("wumpus", 100_000)
    making.start()
    until(lambda: len(making.levels) >= 2, making.poll)
    assert "of 100,000" in making.status() or "of 100000" in making.status()
    making.stop()
    assert not making.busy
    assert len(making.levels) >= 2
    making.game(len(making.levels) - 1)
    making.clear()
    assert making.levels == []


def test_invalid_settings_are_reported():
    making = quick("sokoban")
    for words, message in (("sized=3", "no setting 'sized'"), ("boxes=99", "boxes")):
        making.words = words
        making.start()
        until(lambda: not making.busy, making.poll)
        assert message in making.error
        assert making.status() == making.error
    making.words = "size"
    with pytest.raises(ValueError, match="name=value"):
        making.start()
    assert not making.busy


@pytest.mark.extended
def test_it_gives_up_when_there_are_no_more():
    making = quick("cat_mouse", 10)
    making.chosen |= {"size": 5, "loops": 0, "cats": 0}
    making.start()  # there are only so many mazes of that size
    made(making)
    assert 0 < len(making.levels) < 10
    assert "other settings may help" in making.status()


def test_packs_and_sheets_are_written(tmp_path):
    making = quick("sokoban")
    making.start()
    made(making)
    path = tmp_path / "new" / "mine.txt"
    assert making.save(path) == [path, path.with_suffix(".csv")]
    found = find_levels(PUZZLES["sokoban"], str(path))
    assert [level.name for level in found] == ["mine 1", "mine 2", "mine 3"]
    with pytest.raises(OSError, match="exists"):
        making.save(path)
    making.save(path, replace=True)
    with pytest.raises(ValueError, match="must end in"):
        making.save(tmp_path / "mine.doc")
    (sheet,) = making.print(tmp_path / "sheet.png")
    assert pygame.image.load(sheet).get_width() > 100


# -- the screen ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_levels_appear_as_pictures_and_one_is_played(driver, name):
    screen = screen_of(driver, name)
    driver.push("Generate")
    driver.settle()
    assert len(screen.making.levels) == 3
    assert set(screen.grid._pictures) == {0, 1, 2}
    driver.click(screen.grid.cell(2).center)
    assert driver.name == "PlayingScreen"
    assert driver.top.game.number == 2
    driver.app.pop_to("generating")
    assert driver.top is screen
    assert len(screen.making.levels) == 3


def test_the_window_goes_on_and_stopping_keeps_what_is_done(driver):
    screen = screen_of(driver, "wumpus", 100)
    screen.making.count = 100_000
    screen._start()
    while len(screen.making.levels) < 60:
        driver.app.frame(pygame.event.get(), 1 / 60)
        assert screen.making.busy, "frames are shown while levels are made"
    driver.push("Stop")
    assert not screen.making.busy
    made = len(screen.making.levels)
    assert made >= 60
    assert screen.grid.pages > 1
    driver.press("page down")
    assert screen.grid.page == 1
    driver.press("delete")
    assert screen.making.levels == []


def test_saved_and_printed_by_their_buttons(driver, tmp_path):
    screen = screen_of(driver, "bait")
    driver.push("Generate")
    driver.settle()
    for button, suffix in (("Save as a pack", ".txt"), ("Print a sheet", ".png")):
        driver.push(button)
        assert driver.name == "FileScreen"
        driver.top.entry.set_text(str(tmp_path / f"mine{suffix}"))
        driver.press("return")
        assert driver.top is screen
        assert (tmp_path / f"mine{suffix}").is_file()


def test_another_puzzle_is_chosen_and_bad_settings_are_reported(driver):
    screen = screen_of(driver, "bait")
    screen._set("puzzle", PUZZLES["wumpus"].title)
    assert screen.making.puzzle is PUZZLES["wumpus"]
    screen._set("levels", "5")
    screen._set("size", "6×6")
    screen.making.words = "pits=99"
    driver.push("Generate")
    driver.settle()
    assert "pits" in screen.making.status()
    assert not screen.making.busy
    screen.making.words = ""
    driver.push("Generate")
    driver.settle()
    assert len(screen.making.levels) == 5
    assert screen.making.parsed(0).extent[:2] == (6, 6)


def test_what_is_hidden_is_shown_when_asked_for(driver):
    screen = screen_of(driver, "wumpus", 1)
    driver.push("Generate")
    driver.settle()
    assert PUZZLES["wumpus"].revealed(screen._scene(0)).options != screen._scene(0).options
    hidden = pygame.image.tobytes(screen.grid._pictures[0], "RGB")
    driver.push("Show everything")
    assert PUZZLES["wumpus"].revealed(screen._scene(0)).options == screen._scene(0).options
    assert pygame.image.tobytes(screen.grid._pictures[0], "RGB") != hidden
    driver.press("v")
    assert pygame.image.tobytes(screen.grid._pictures[0], "RGB") == hidden
    screen._set("puzzle", PUZZLES["bait"].title)
    assert "Show everything" not in [button.text for button in driver.buttons()]
    screen._set("puzzle", PUZZLES["wumpus"].title)
    assert len(screen.making.levels) == 1, "they are saved"


def test_leaving_ends_the_job(driver):
    before = children()
    screen = screen_of(driver, "wumpus")
    screen.making.count = 100_000
    screen._start()
    until(lambda: screen.making.levels, lambda: driver.app.frame([], 1 / 60))
    driver.app.quit()
    jobs.end()
    assert all(map(gone, children() - before))


@pytest.mark.parametrize("size", [(320, 240), (1920, 1080)])
def test_every_size_is_drawn(tmp_path, size):
    driver = Driver(tmp_path, size)
    screen = screen_of(driver, "sokoban")
    screen._start()
    driver.settle()
    assert screen.making.levels
    assert driver.app.surface.get_size() == size
    driver.app.quit()
