"""The window's screens, driven by the events of keys and mouse: start, levels, game, pause, victory, settings, help."""

import itertools
import json
import math
import random

import pygame
import pytest
from app_driver import Driver

from gridpuzzles_gym.agents.puzzle_agents import key_of
from gridpuzzles_gym.play.arguments import all_puzzles
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.preferences import TEXT_SIZES, THEMES, Preferences
from gridpuzzles_gym.play.progress import Best, Progress
from gridpuzzles_gym.play.scores import status_line
from gridpuzzles_gym.play.window.levels import StartScreen
from gridpuzzles_gym.play.window.screen import can

PUZZLES = [puzzle.name for puzzle in all_puzzles() if puzzle.module.startswith("gridpuzzles_gym.")]
CTRL = pygame.KMOD_CTRL
CORRIDOR = "; one\n#######\n#@ $ .#\n#######\n\n; two\n######\n#@ $.#\n######\n"


@pytest.fixture
def corridor(driver, tmp_path):
    """A file of two tiny levels, dropped onto the window, and the first of them opened."""
    file = tmp_path / "corridor.txt"
    file.write_text(CORRIDOR)
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
    driver.settle()
    assert driver.name == "LevelsScreen"
    driver.click(driver.top.pages.cell(0).center)
    assert driver.name == "PlayingScreen"
    return driver


def picture(driver):
    driver.app.draw()
    return pygame.image.tobytes(driver.app.surface, "RGB")


@pytest.mark.parametrize("number", range(len(PUZZLES)))
def test_every_puzzle_is_played_from_the_start_screen(driver, number):
    start = picture(driver)
    driver.press(str(number + 1))
    assert driver.name == "LevelsScreen"
    assert driver.top.puzzle.name == PUZZLES[number]
    driver.click(driver.top.pages.cell(0).center)
    assert driver.name == "PlayingScreen"
    game = driver.top.game
    for key in random.Random(number).choices(list(driver.top.actions), k=12):
        if not game.over:
            driver.press(key)
    if driver.name == "VictoryScreen":
        driver.press("escape")
    taken = game.actions
    assert taken
    driver.press("backspace")
    assert game.actions == taken[:-1]
    driver.press("f4")
    assert game.actions == taken
    driver.press("escape")
    assert driver.name == "PauseScreen"
    driver.press("escape")
    assert driver.name == "PlayingScreen"
    driver.press("escape", "q")
    assert driver.name == "StartScreen"
    driver.push("Continue")
    assert driver.top.game.actions == taken
    driver.press("escape", "q")
    assert picture(driver) != start  # there is a game to continue


def test_a_level_is_solved_by_a_drag_and_the_next_one_follows(corridor):
    driver = corridor
    driver.drag(driver.square(1, 3), driver.square(1, 5))
    assert driver.top.playing.game.moves == 3
    assert driver.name == "VictoryScreen"
    assert driver.app.progress.best("sokoban", driver.top.playing.game.key).moves == 3
    driver.push("Next level")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 1)
    driver.click(driver.square(1, 2))
    assert driver.top.game.actions == [3]
    driver.press("right")
    assert driver.name == "VictoryScreen"
    assert "Next level" not in driver.labels()
    driver.push("Levels")
    assert driver.name == "LevelsScreen"
    assert [driver.top.is_solved(number) for number in (0, 1)] == [True, True]


def test_undo_by_the_wheel_restart_and_redo(corridor):
    driver = corridor
    game = driver.top.game
    driver.press("right", "left", "right")
    driver.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-2))
    assert game.actions == [3]
    driver.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
    assert game.actions == [3, 2]
    driver.press("home")
    assert game.actions == []
    driver.press("f4", "f4", "f4", "f4")
    assert game.actions == [3, 2, 3]


def test_a_solution_that_is_undone_at_once_is_no_victory(corridor):
    corridor.press("right", "right")
    for key in (pygame.K_RIGHT, pygame.K_BACKSPACE):
        corridor.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode="", scancode=0))
    corridor.settle()
    assert (corridor.name, corridor.top.game.actions) == ("PlayingScreen", [3, 3])


def test_a_closed_window_loses_nothing(corridor, tmp_path):
    corridor.press("right", "left")
    corridor.post(pygame.event.Event(pygame.QUIT))
    assert not corridor.app.stack
    again = Driver(tmp_path / "progress")
    again.app.push(StartScreen(again.app))
    again.press("c")
    assert again.top.game.actions == [3, 2]
    assert again.top.game.title == "one"
    again.app.quit()


def test_a_damaged_game_is_reported_and_removed(driver):
    driver.app.progress.save_game("sokoban", {"version": 99})
    driver.top.resume()
    driver.press("c")
    assert driver.name == "StartScreen"
    assert "cannot be continued" in driver.app.message
    assert driver.app.progress.latest_games() == []


def test_a_dropped_file_that_is_no_level_is_reported(driver, tmp_path):
    file = tmp_path / "bad.txt"
    for content in (b"", b"hello\n", b"\x00\xff\xfe", b"####\n#@ #\n####\n"):
        file.write_bytes(content)
        driver.app.message = ""
        driver.post(pygame.event.Event(pygame.DROPFILE, file=str(file)))
        assert driver.name == "StartScreen"
        assert driver.app.message
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "nowhere")))
    assert "nowhere" in driver.app.message


def test_settings_are_kept_and_applied(driver, tmp_path):
    before = picture(driver)
    driver.press("s")
    for size in (*TEXT_SIZES[1:], *TEXT_SIZES[:2]):
        assert driver.app.preferences.text_size == size
        driver.push(f"Text size: {size}")
    driver.push("Sokoban: style: warehouse")
    driver.press("escape")
    assert picture(driver) != before
    again = Driver(tmp_path / "progress")
    assert again.app.preferences.text_size == TEXT_SIZES[2]
    assert again.app.preferences.chosen("sokoban", "style", "") == "paper"


def test_asking_for_a_hint_again_plays_it(corridor):
    corridor.press("f2")
    assert corridor.app.message == "hint: right, 3 moves to the goal (ask again to play it)"
    corridor.press("f2")
    assert corridor.top.game.actions == [3]


def test_a_puzzle_of_somebody_else_is_played_too(driver):
    """It declares no palette or advisors, and is played by keys and the mouse."""
    import helpers  # registers it

    toy = helpers.puzzle_of(helpers.TOY.id)
    driver.app.push(StartScreen(driver.app))
    driver.settle()
    driver.push(toy.title)
    driver.click(driver.top.pages.cell(0).center)
    driver.press("right")
    assert driver.top.game.actions == [3]
    driver.click(driver.top.view.rect.center)
    assert driver.top.game.actions[1:] == [3, 1]


# -- more that can be done with a game ---------------------------------------------------------------------


def test_the_best_solution_is_replayed(corridor):
    driver = corridor
    assert "Replay my best solution" not in [entry.label for entry in driver.top._more if can(entry)]
    driver.press("right", "left", "right", "right", "right", "escape", "home", "right", "right", "right", "escape")
    driver.press("home")
    driver.press("b", mod=CTRL)
    assert driver.name == "SolvingScreen"
    driver.settle()
    assert (driver.top.game.actions, driver.top.playback.words()) == ([3, 3, 3], driver.top.game.summary())
    driver.press("escape")
    assert driver.top.game.actions == []


def test_a_level_is_pasted_into_a_game_and_nothing_is_lost(corridor):
    corridor.press("right")
    pygame.scrap.put_text("As you asked:\n> #####\n> #@$.#\n> #####\n")
    corridor.press("v", mod=CTRL)
    assert corridor.top.game.title != "one"
    pygame.scrap.put_text(CORRIDOR)
    corridor.press("v", mod=CTRL)
    assert corridor.top.game.actions == [3], "it is continued"
    game = corridor.top.game
    for text in ("", "hello", "#####\n#@ .#\n#####\n"):
        pygame.scrap.put_text(text)
        corridor.app.message = ""
        corridor.press("v", mod=CTRL)
        assert corridor.top.game is game
        assert "\n" not in corridor.app.message
        assert 0 < len(corridor.app.message) <= 160
    corridor.app.home()
    corridor.push("Sokoban")
    before = corridor.top.choices
    corridor.press("v", mod=CTRL)
    assert (corridor.name, corridor.top.choices) == ("LevelsScreen", before)
    pygame.scrap.put_text("#######\n#     #\n# $@  #\n#    .#\n#######\n")
    corridor.press("v", mod=CTRL)
    corridor.click(corridor.top.pages.cell(0).center)
    corridor.press("left")
    assert "a box is stuck" in status_line(corridor.top.game, corridor.app.progress)


def test_a_level_is_found_by_its_number(driver):
    driver.push("Sokoban")
    driver.push("starter")
    per_page = driver.top.pages.per_page
    driver.press(*str(per_page + 3))
    assert driver.top.pages.page == 1
    driver.press("return")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", per_page + 2)


def test_levels_are_sorted_and_filtered(driver):
    driver.push("Sokoban")
    driver.push("starter")
    screen, pack = driver.top, driver.top.game.pack
    assert list(screen.columns) == ["number", "title", "size", "difficulty", "fewest moves", "fewest pushes"]
    for column, values in screen.columns.items():
        driver.push(f"{screen.sorted_by} ▾")
        driver.push(column)
        shown = list(screen.pages.numbers)
        assert sorted(shown) == list(range(len(pack))), column
        assert [values[number] for number in shown] == sorted(values), column
    driver.push("all levels ▾")
    driver.push("solved")
    assert (len(screen.pages.numbers), "no level" in driver.app.message) == (0, True)
    driver.app.progress.record("sokoban", key_of(screen.puzzle, pack[3]), Best(moves=5))
    driver.push("solved ▾")
    driver.push("unsolved")
    assert set(screen.pages.numbers) == {*range(len(pack))} - {3}
    driver.click(screen.pages.cell(screen.pages.numbers[0]).center)
    assert driver.top.game.number == screen.pages.numbers[0]


def test_themes_color_the_window_and_the_panel(corridor):
    seen = set()
    for theme in THEMES:
        corridor.app.progress.save_preferences(Preferences(theme=theme))
        corridor.app.apply_preferences()
        picture(corridor)
        panel = corridor.top.view.drawing.colors
        assert corridor.app.surface.get_at((0, 0)) == pygame.Color(corridor.top.theme.ground)
        seen.add((corridor.top.theme, panel))
    assert len(seen) == len({panel for _, panel in seen}) == len(THEMES)


def test_the_window_starts_whatever_is_wrong_in_its_files(tmp_path):
    progress = Progress(tmp_path / "progress")
    game = PlaySession.of("Sokoban-v0", "first", 1)
    for action in range(4):
        game.play(action)
    progress.record("sokoban", game.key, Best(30, {"pushes": 9}, [0, 1], 3))
    progress.save_game("sokoban", game.save(), game.identity)
    progress.save_preferences(Preferences(text_size=125).choosing("sokoban", "style", "paper"))
    hostile = itertools.cycle((None, True, -1, 10**400, 1e308, math.inf, math.nan, "\ud800", [None], {}))
    for name in ("sokoban", "settings"):
        file = tmp_path / "progress" / f"{name}.json"
        content = file.read_text()
        for number in range(len(entries(json.loads(content)))):
            damaged = json.loads(content)
            holder, key = entries(damaged)[number]
            holder[key] = next(hostile)
            file.write_text(json.dumps(damaged))
            driver = Driver(tmp_path / "progress")
            driver.app.push(StartScreen(driver.app))
            driver.press("c")
            driver.app.quit()
        file.write_text(content)


def entries(value):
    """All (list or dict, index or key) pairs in a value of JSON."""
    pairs = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [pair for key, each in pairs for pair in ((value, key), *entries(each))]
