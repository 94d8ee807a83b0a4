"""Solving: a search or an agent goes on with the game; the screen that shows it, and taking over."""

import pygame
import pytest
from app_driver import Driver, until
from processes import children, gone

from gridpuzzles_gym.session import jobs
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.model.demonstrating import BEST, Demonstration, choices_for
from gridpuzzles_gym.window.screens.playing import PlayingScreen
from gridpuzzles_gym.window.screens.solving import SolvingScreen

IDS = [
    ("Wumpus-v0", None),
    ("CatMouse-v0", None),
    ("EightPuzzle-v0", None),
    ("Bait-v0", "lessons"),
    ("Sokoban-v0", "first"),
]
HARD = "15 2 12 11\n14 13 9 5\n1 3 8 7\n0 10 6 4\ngoal: blank-first\n"  # takes 66 moves
"""A board that takes more than a minute without pattern databases."""


pytestmark = pytest.mark.usefixtures("only_the_spare_process_is_left")


@pytest.fixture
def driver(tmp_path):
    driver = Driver(tmp_path)
    yield driver
    driver.app.quit()


def played(show, seconds=60.0):
    """Let it play to its end."""
    show.pace = 64.0
    until(lambda: show.ended, lambda: show.tick(0.05), seconds)


def hard_game():
    return Game("FifteenPuzzle-v0", HARD)


def solving(driver, game):
    """The solving screen above a game's; nothing is settled yet."""
    driver.app.push(PlayingScreen(driver.app, game))
    driver.top.solve()
    assert driver.name == "SolvingScreen"
    return driver.top


def wait(driver, condition):
    until(condition, lambda: driver.app.frame(pygame.event.get(), 1 / 60))


# -- the model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("env_id", "level"), [each for each in IDS if each[0] != "Wumpus-v0"])
def test_it_plays_to_the_goal_forwards_and_backwards(env_id, level):
    game = Game(env_id, level)
    own = next(action for action in range(4) if game.env.action_masks()[action])
    game.play(own)
    start = game.env.scene().state.tobytes()
    show = Demonstration(game, BEST)
    played(show)
    assert game.over
    ending, outcome, taken = game.env.scene().state.tobytes(), game.outcome, list(game.taken)
    assert outcome == "solved" or env_id == "CatMouse-v0"
    assert show.at == len(taken) - 1
    assert show.length in (show.at, None)
    while show.back():
        pass
    assert (show.at, game.taken) == (0, [own])
    assert game.env.scene().state.tobytes() == start
    while show.forward():
        pass
    assert game.env.scene().state.tobytes() == ending  # where chance decided, too
    assert (game.taken, game.outcome) == (taken, outcome)
    show.withdraw()
    assert game.taken == [own]
    assert game.undo()
    show.close()


def test_hidden_information_stays_hidden_and_the_agent_goes_on_from_what_was_felt():
    game = Game("Wumpus-v0", "....\n....\nPW..\nAG..\n")
    game.play(2)
    game.play(3)  # the gold
    show = Demonstration(game, BEST)
    played(show)
    assert game.solved
    assert show.words().startswith("Solved")
    assert show.length is None
    assert show.at < 8


def test_an_agent_is_asked_in_one_process():
    game = Game("CatMouse-v0")
    show = Demonstration(game, "value-iteration")
    until(lambda: show.at >= 1, lambda: show.tick(0.05))
    before = children()
    show.pace = 64.0
    until(lambda: show.at >= 12 or game.over, lambda: show.tick(0.05))
    assert children() == before
    show.close()


def test_an_agent_that_walks_into_walls_goes_on():
    game = Game("Sokoban-v0", "first")
    show = Demonstration(game, "random")
    show.pace = 64.0
    until(lambda: show.at >= 30 or game.over, lambda: show.tick(0.05))
    assert not game.every_action
    show.close()


def test_paused_it_waits_for_steps():
    game = Game("Sokoban-v0", "first")
    show = Demonstration(game, "sokoban-moves")
    show.paused = True
    until(lambda: not show.thinking, lambda: show.tick(10.0))
    assert show.at == 0
    assert show.plan == list(show.hint.plan)
    assert show.forward()
    assert (show.at, len(show.plan)) == (1, show.length - 1)
    assert show.words().startswith(f"sokoban-moves: {show.length} moves, ")
    assert show.back()
    assert not show.back()


def test_a_search_reports_progress_and_can_be_stopped():
    game = hard_game()
    show = Demonstration(game, "tile-ida-star")
    until(lambda: show.snapshot is not None, lambda: show.tick(0.01))
    assert show.searching
    assert "million a second; nearest to the goal: " in show.words()
    show.stop()
    until(lambda: not show.thinking, lambda: show.tick(0.01))
    assert show.hint.message == "tile-ida-star was stopped"
    assert 0 < show.length < 80
    assert "moves to the best position" in show.words()
    played(show)
    assert not game.over
    assert show.at == show.length


def test_what_cannot_be_solved_is_reported():
    game = Game("Sokoban-v0", "#####\n#@  #\n# $.#\n#   #\n#####\n")
    for action in (3, 1):
        game.play(action)
    show = Demonstration(game, BEST)
    until(lambda: not show.thinking, lambda: show.tick(0.01))
    assert show.ended
    assert "cannot be solved any more" in show.words()


def test_what_refuses_a_level_says_why():
    show = Demonstration(Game("CatMouse-v0", maze="random", size=21, cats=3), "value-iteration")
    until(lambda: not show.thinking, lambda: show.tick(0.01))
    assert show.ended
    assert "needs a table of" in show.words()
    show = Demonstration(Game("Sokoban-v0", "first"), "no-such-thing")
    until(lambda: not show.thinking, lambda: show.tick(0.01))
    assert "no agent 'no-such-thing'" in show.words()


def test_every_choice_is_there_once():
    for env_id, level in IDS:
        names = choices_for(Game(env_id, level))
        assert names[0] == BEST
        assert len(names) == len(set(names))
        assert "random" in names
        assert ("astar" in names) == (env_id not in ("Wumpus-v0", "CatMouse-v0"))


# -- the screen ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("env_id", "level"), IDS)
def test_the_solution_is_shown_and_taken_over(driver, env_id, level):
    game = Game(env_id, level)
    screen = solving(driver, game)
    wait(driver, lambda: screen.show.at >= 2 or game.over)
    driver.push("Pause")
    assert screen.show.paused
    at = screen.show.at
    driver.press("left")
    driver.push("Step back") if at > 1 else None
    assert screen.show.at == max(at - 2, 0)
    driver.press("right", "+", "-")
    assert screen.show.at == max(at - 1, 1)
    taken = list(game.taken)
    driver.push("Take over")
    assert driver.name == "PlayingScreen"
    assert game.taken == taken
    driver.press("backspace")
    assert game.taken == taken[:-1]


def test_back_leaves_the_game_as_it_was(driver):
    game = Game("Sokoban-v0", "first", 3)
    screen = solving(driver, game)
    wait(driver, lambda: screen.show.at >= 2)
    driver.press("escape")
    assert driver.name == "PlayingScreen"
    assert game.taken == []
    driver.press("f4")
    assert len(game.taken) == 1  # it can still be redone


def test_a_search_is_stopped_by_a_button_and_another_chosen(driver):
    game = hard_game()
    screen = solving(driver, game)
    screen.choose("tile-ida-star")
    wait(driver, lambda: screen.show.snapshot is not None)
    assert [button.text for button in driver.buttons() if button.text.startswith(("Back", "Stop"))]
    driver.push("Stop")
    assert not screen.show.searching
    assert screen.show.length
    driver.settle()
    assert screen.show.at == screen.show.length
    screen.choose("weighted-astar")
    assert screen.show.at == 0
    wait(driver, lambda: screen.show.at > 0)
    driver.press("space", "p")
    assert driver.name == "PlayingScreen"
    assert len(game.taken) > 0


def test_the_menu_chooses(driver):
    screen = solving(driver, Game("EightPuzzle-v0", "eight"))
    wait(driver, lambda: not screen.show.searching)
    driver.press("space")
    driver.pick(screen.show.choice, "greedy")
    wait(driver, lambda: screen.show.choice == "greedy")
    wait(driver, lambda: not screen.show.searching)
    assert screen.show.words().startswith("greedy: ")


def test_leaving_ends_the_search(driver):
    before = children()
    screen = solving(driver, hard_game())
    screen.choose("tile-ida-star")
    wait(driver, lambda: screen.show.snapshot is not None)
    driver.press("escape")
    assert driver.name == "PlayingScreen"
    driver.app.quit()
    jobs.end()
    assert all(map(gone, children() - before))


def test_a_file_that_is_no_model_is_reported(driver, tmp_path):
    screen = solving(driver, Game("EightPuzzle-v0", "eight"))
    bad = tmp_path / "model.zip"
    bad.write_text("no model")
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(bad)))
    wait(driver, lambda: not screen.show.thinking)
    assert screen.show.error


@pytest.mark.parametrize("size", [(320, 240), (1920, 1080)])
def test_every_size_is_drawn(tmp_path, size):
    driver = Driver(tmp_path, size)
    screen = solving(driver, Game("Bait-v0", "lessons"))
    wait(driver, lambda: screen.show.at > 0)
    driver.press("space")
    assert driver.app.surface.get_size() == size
    assert isinstance(driver.top, SolvingScreen)
    driver.app.quit()
