"""A whole evening in the app, by keys alone, with real processes."""

import numpy as np
import pytest
from app_driver import Driver

from gridpuzzles_gym.play.editing import own_folder
from gridpuzzles_gym.play.window.start import StartScreen
from gridpuzzles_gym.puzzles.sokoban.boards import squares_of


def box_and_goal(game):
    """The squares of the only box and the only goal of a level."""
    scene = game.scene()
    _, goals, boxes = squares_of(scene.level, scene.state)
    return tuple(np.argwhere(boxes)[0]), tuple(np.argwhere(goals)[0])


def _pages(screen):
    """The pages of levels of a screen."""
    return screen.pages if hasattr(screen, "pages") else screen.grid


class Keyboard:
    """How a person uses the app by keys alone."""

    def __init__(self, driver):
        self.driver = driver

    @property
    def top(self):
        return self.driver.top

    def press(self, label):
        self.driver.choose(label)

    def pick(self, label):
        """Choose an entry of the menu that is open."""
        entries = [entry.label for entry in self.top.entries]
        self.driver.press(*["up"] * len(entries), *["down"] * entries.index(label), "return")

    def play_cell(self, number):
        for _ in range(200):
            if self.top.focus.spot(self.top.spots()).rect == _pages(self.top).cell(number):
                break
            self.driver.press("tab")
        self.driver.press("return")

    def solve(self):
        game = self.top.game
        scene, (box, goal) = game.scene(), box_and_goal(game)
        actions = game.puzzle.gestures.drag(scene.level, scene.state, scene.options, box, goal)
        self.driver.press(*(("up", "down", "left", "right")[action] for action in actions))

    def draw(self, piece, square):
        self.driver.press(str(piece), "up")
        row, column = self.top._hovered
        keys = ["down"] * (square[0] - row) + ["up"] * (row - square[0])
        keys += ["right"] * (square[1] - column) + ["left"] * (column - square[1])
        self.driver.press(*keys, "space")


@pytest.mark.extended
def test_an_evening_by_keys_alone(tmp_path):
    driver = Driver(tmp_path / "progress")
    driver.app.push(StartScreen(driver.app))
    driver.settle()
    hand = Keyboard(driver)
    # A level of a pack, and the next one, which is left unfinished.
    hand.press("Sokoban")
    hand.press("starter")
    hand.press("first")
    hand.play_cell(0)
    first = driver.top.game.key
    hand.solve()
    assert driver.name == "VictoryScreen"
    hand.press("Next level")
    assert (driver.name, driver.top.game.number) == ("PlayingScreen", 1)
    hand.press("Hint")
    hand.press("Hint")
    assert len(driver.top.game.actions) == 1
    hand.press("Pause")
    hand.press("Levels")
    # A level of one's own, saved and played.
    hand.press("Editor")
    hand.draw(3, (2, 2))
    hand.draw(4, (3, 3))
    hand.draw(5, (3, 5))
    assert driver.top.fault is None
    hand.press("Save")
    hand.press("Save")
    assert driver.name == "EditorScreen"
    assert own_folder(driver.app.progress, driver.top.puzzle).joinpath("my level.txt").is_file()
    hand.press("Play")
    mine = driver.top.game.key
    hand.solve()
    assert driver.name == "VictoryScreen"
    hand.press("Start screen")
    # A new level.
    hand.press("Generate")
    hand.press("Sokoban")
    hand.pick("Sliding tiles")
    hand.press("10")
    hand.pick("1")
    hand.press("Generate")
    driver.settle()
    hand.play_cell(0)
    assert driver.name == "PlayingScreen"
    hand.press("Pause")
    hand.press("Back to the new levels")
    hand.press("Back")
    # An agent is watched.
    hand.press("Watch")
    hand.press(driver.top.player)
    hand.pick("online-search")
    assert driver.top.playback.name == "online-search"
    hand.press("Pause")
    hand.press("Step")
    hand.press("Back")
    hand.press("Settings")
    hand.press("Theme: dark")
    hand.press("Back")
    hand.press("Quit")
    hand.press("Quit")
    assert not driver.app.stack
    # At the next start everything is there.
    again = Driver(tmp_path / "progress")
    again.app.push(StartScreen(again.app))
    again.settle()
    hand = Keyboard(again)
    assert again.app.preferences.theme == "light"
    assert all(again.app.progress.best("sokoban", key) for key in (first, mine))
    hand.press("Continue")
    assert (again.top.game.number, len(again.top.game.actions)) == (1, 1)
    again.app.quit()
