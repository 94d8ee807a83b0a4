"""A whole evening in the app, in one test."""

import time

import numpy as np
import pygame
from app_driver import FRAME, Driver

from gridpuzzles_gym.puzzles.sokoban.boards import squares_of
from gridpuzzles_gym.session import jobs
from gridpuzzles_gym.window.screens.start import StartScreen


def until(driver, condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{driver.name}: it never happens"
        driver.app.frame(pygame.event.get(), FRAME)
        time.sleep(0.002)


def box_and_goal(game):
    """The squares of the only box and the only goal of a level."""
    scene = game.scene()
    _, goals, boxes = squares_of(scene.level, scene.state)
    return tuple(np.argwhere(boxes)[0]), tuple(np.argwhere(goals)[0])


def test_an_evening(tmp_path):
    driver = Driver(tmp_path / "progress")
    driver.app.push(StartScreen(driver.app))
    driver.settle()
    # A level by mouse, and the next one.
    driver.push("Sokoban")
    driver.push("first")
    driver.click(driver.top.grid.cell(0).center)
    first = driver.top.game
    box, goal = box_and_goal(first)
    driver.drag(driver.square(*box), driver.square(*goal))
    assert driver.name == "VictoryScreen"
    key = first.key
    best = driver.app.progress.best("sokoban", key)
    assert best.moves == first.moves
    driver.push("Next level")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 1)
    # The solver at work, watched for eight moves, then taken over.
    driver.press("escape")
    driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3, mod=0, unicode="", scancode=0))
    assert driver.name == "SolvingScreen"
    until(driver, lambda: driver.top.show.at >= 8)
    driver.press("p")
    assert driver.name == "PlayingScreen"
    game = driver.top.game
    moves = game.moves
    assert moves >= 8
    driver.press(*["backspace"] * 5)
    assert game.moves == moves - 5
    driver.press(*["f4"] * 3)
    assert game.moves == moves - 2
    driver.press("home")
    assert game.moves == 0
    # A level of one's own: a fault, mended; solved, saved and played.
    driver.press("escape", "l")
    assert driver.name == "LevelsScreen"
    driver.push("Editor")
    driver.press("3")
    driver.click(driver.top.view.square((2, 2)).center)
    driver.press("4")
    driver.click(driver.top.view.square((3, 3)).center)
    assert driver.top.fault is not None
    driver.press("5")
    driver.click(driver.top.view.square((3, 5)).center)
    assert driver.top.fault is None
    driver.press("f3")
    until(driver, lambda: not driver.top.actions.busy)
    driver.settle()
    assert driver.top.actions.verdict.solvable
    driver.push("Save")
    driver.push("Save")
    driver.push("Play")
    mine = driver.top.game
    box, goal = box_and_goal(mine)
    driver.drag(driver.square(*box), driver.square(*goal))
    assert driver.name == "VictoryScreen"
    # The window is closed in the middle of a game; at the next start everything is there.
    driver.push("Start screen")
    driver.press("c", "right", "left")
    driver.post(pygame.event.Event(pygame.QUIT))
    assert not driver.app.stack
    jobs.end()
    again = Driver(tmp_path / "progress")
    again.app.push(StartScreen(again.app))
    again.settle()
    assert again.app.progress.best("sokoban", key) == best
    assert again.app.progress.best("sokoban", mine.key).moves == mine.moves
    again.push("Continue")
    assert again.name == "PlayingScreen"
    again.press("escape", "q")
    again.push("Sokoban")
    again.push("first")
    assert [again.top.is_solved(number) for number in (0, 1)] == [True, False]
    again.app.quit()
    assert not list((tmp_path / "progress").glob("*damaged*"))
