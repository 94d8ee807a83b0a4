"""What all screens share: the keyboard's choice, text that fits, messages, and where one returns to."""

import dataclasses

import pygame
import pytest
from app_driver import Driver

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.play.arguments import all_puzzles
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.playback import RecordedActions
from gridpuzzles_gym.play.preferences import Preferences, key_name
from gridpuzzles_gym.play.window.levels import StartScreen
from gridpuzzles_gym.play.window.playing import PlayingScreen

SIZES = [(700, 500), (1280, 800)]
CORRIDOR = "; one\n#######\n#@ $ .#\n#######\n\n; two\n######\n#@ $.#\n######\n"


@pytest.fixture(autouse=True)
def _no_processes(inline_jobs):
    """All jobs run in this process."""


def opened(tmp_path, name, size=(1280, 800), percent=100):
    """A screen above the start screen, with a text size."""
    driver = Driver(tmp_path / "progress", size)
    chosen = dataclasses.replace(driver.app.preferences, text_size=percent)
    driver.app.progress.save_preferences(chosen)
    driver.app.push(StartScreen(driver.app))
    sokoban = next(puzzle for puzzle in all_puzzles() if puzzle.name == "sokoban")
    if name in ("playing", "pause", "solving"):
        game = PlaySession.of("Sokoban-v0", levels=CORRIDOR)
        driver.app.push(PlayingScreen(driver.app, game))
        arguments = {"pause": [driver.top], "solving": [game]}.get(name)
        if arguments is not None:
            driver.app.show(name, *arguments)
    elif name != "start":
        if name == "watching":
            driver.app.show(name, Game.of("Sokoban-v0"), players=["random", RecordedActions("mine", {})])
        else:
            driver.app.show(name, *([sokoban] if name in ("levels", "editor", "generating") else []))
    driver.app.frame([], 0.0)
    return driver


SCREENS = ["start", "levels", "playing", "pause", "solving", "editor", "generating", "watching", "settings"]


# -- the keyboard ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCREENS)
def test_tab_reaches_everything_that_can_be_pressed_and_shows_where_it_is(tmp_path, name):
    driver = opened(tmp_path, name)
    if name == "solving":
        driver.settle()  # other buttons appear when the search ends
    screen = driver.top
    spots = screen.spots()
    reached = set()
    for _ in range(len(spots) + 1):
        driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_TAB, mod=0, unicode="\t", scancode=0))
        spot = screen.focus.spot(screen.spots())
        reached.add(tuple(spot.rect))
        driver.app.draw()
        left, centre = spot.rect.left - 1, spot.rect.centery
        assert driver.app.surface.get_at((max(left, 0), centre))[:3] == pygame.Color(screen.theme.accent)[:3]
    assert reached == {tuple(spot.rect) for spot in spots}
    driver.app.quit()


@pytest.mark.parametrize("name", SCREENS)
def test_keys_are_on_the_buttons_and_in_the_list_of_keys(tmp_path, name):
    driver = opened(tmp_path, name)
    listed = dict(driver.top.keys())
    keys = [(key_name(entry.key), entry.label.lower()) for _, entry in driver.top._buttons if entry.key]
    shown = [button.text.endswith(f"  {key_name(entry.key)}") for button, entry in driver.top._buttons if entry.key]
    assert all(shown) or name in ("editor", "watching", "playing"), "there is space for the key on each button"
    assert {key: listed[key] for key, _ in keys} == dict(keys)
    screen = driver.top
    driver.press("f1")
    assert driver.name == "HelpScreen"
    assert set(keys) <= {(key, words) for joined, words in driver.top.keys_listed for key in joined.split(", ")}
    driver.press("f1")
    assert driver.top is screen
    driver.app.quit()


def test_a_key_that_is_held_does_nothing_on_the_next_screen(tmp_path):
    driver = opened(tmp_path, "pause")
    enter = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)
    driver.post(enter, enter, enter)
    driver.settle()
    assert driver.name == "PlayingScreen"
    driver.app.quit()


# -- text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCREENS)
def test_everything_is_in_the_window_and_every_label_in_its_button(tmp_path, name):
    driver = opened(tmp_path, name)
    wrong = []
    for size in SIZES:
        for percent in (100, 200):
            driver.app.progress.save_preferences(dataclasses.replace(driver.app.preferences, text_size=percent))
            driver.resize(size)
            driver.app.apply_preferences()
            driver.app.say("a message")
            driver.app.draw()
            screen, whole = driver.top, driver.app.surface.get_rect()
            for button, _ in screen._buttons:
                if not whole.contains(button.rect) or button.font.size(button.text)[0] > button.rect.width:
                    wrong.append((size, percent, button.text))
            rects = [button.rect for button, _ in screen._buttons]
            wrong += [(size, percent, one) for k, one in enumerate(rects) if one.collidelist(rects[:k]) >= 0]
            board = getattr(getattr(screen, "view", None), "rect", pygame.Rect(0, 0, 0, 0))
            if name != "pause" and screen.message_box.colliderect(board):
                wrong.append((size, percent, "the message covers the board"))
            toolbar = [rect for rect in rects if rect.top >= screen.floor]
            if name not in ("editor", "solving", "pause", "settings") and screen.message_box.collidelist(toolbar) >= 0:
                wrong.append((size, percent, "the message covers buttons"))
    assert not wrong
    driver.app.quit()


# -- messages ----------------------------------------------------------------------------------------------


def test_a_message_stays_on_its_screen_and_ends_with_its_cause(tmp_path):
    driver = opened(tmp_path, "playing")
    driver.app.say("thinking…")
    driver.app.frame([], 0.0)
    driver.press("escape")
    assert not driver.app.message
    driver.press("escape")
    driver.app.say("thinking…")
    driver.app.frame([], 0.0)
    driver.press("right")
    assert not driver.app.message
    driver.app.quit()


# -- unfinished games --------------------------------------------------------------------------------------


@pytest.fixture
def alone(tmp_path):
    """A game that is the only screen, as after ``gridpuzzles play``."""
    driver = Driver(tmp_path / "progress")
    driver.app.show("playing", PlaySession.of("Sokoban-v0", "first", 4))
    driver.settle()
    yield driver
    driver.app.quit()


def test_every_level_keeps_its_position_and_what_was_undone(alone):
    alone.press("right", "down", "down", "backspace")
    left = alone.top.game.actions, alone.top.game.undone
    alone.press("page down", "page down", "down")
    alone.press("page up", "page up")
    assert (alone.top.game.actions, alone.top.game.undone) == left
    alone.press("escape", "l")
    alone.click(alone.top.pages.cell(6).center)
    assert len(alone.top.game.actions) == 1
    alone.press("escape", "q")
    alone.push("Sokoban")
    alone.push("first")
    alone.click(alone.top.pages.cell(4).center)
    assert (alone.top.game.actions, alone.top.game.undone) == left


# -- levels and rules --------------------------------------------------------------------------------------


def test_the_rules_are_shown_before_the_first_game_of_a_puzzle(tmp_path):
    for names in (["RulesScreen", "PlayingScreen"], ["PlayingScreen", "PlayingScreen"]):
        driver = Driver(tmp_path / "progress", teaches=True)
        driver.app.show("playing", PlaySession.of("Wumpus-v0", None, 7))
        driver.app.frame([], 0.0)
        shown = [driver.name]
        if driver.name == "RulesScreen":
            lines = list(driver.top.lines())
            assert (len(lines), "gold" in lines[0], "G: grab" in lines[-1]) == (2, True, True)
            driver.press("r")
            assert any("breeze" in part for part in driver.top.lines())
            driver.press("return")
        shown.append(driver.name)
        assert shown == names
        driver.press("escape", "r")
        assert driver.name == "RulesScreen"
        driver.app.quit()


def test_the_keys_are_listed_in_the_chosen_text_size(tmp_path):
    for percent, size in ((100, (1000, 640)), (200, (1000, 640)), (200, (640, 480))):
        driver = Driver(tmp_path / "progress", size)
        driver.app.progress.save_preferences(Preferences(text_size=percent))
        driver.app.show("playing", PlaySession.of("Wumpus-v0", None, 7))
        driver.press("f1")
        seen = []
        while driver.top.lines()[0] not in seen:
            assert driver.top._text_height > 0.7 * driver.top.text
            seen += driver.top.lines()
            driver.press("space")
        assert seen == driver.top.keys_listed
        driver.app.quit()
