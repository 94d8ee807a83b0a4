"""The end of a game: its moment, what was hidden, and what an agent would have done with the same seed."""

import time

import pygame
import pytest
from app_driver import until
from helpers import PUZZLES
from processes import children, gone, rest

from gridpuzzles_gym.agents.puzzle_agents import Advisor
from gridpuzzles_gym.agents.registry import advising_agents
from gridpuzzles_gym.session import jobs
from gridpuzzles_gym.session.arguments import environment
from gridpuzzles_gym.session.choices import playing_settings
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.watching import PACES
from gridpuzzles_gym.window.model.advice import Position, Request, advise
from gridpuzzles_gym.window.model.hindsight import Hindsight, has_hindsight

CAVE = "....\n..W.\n....\nAG.P\n"
LEFT, RIGHT, FORWARD, GRAB = range(4)


def known(hindsight, seconds=60.0):
    """Wait until it is known."""
    deadline = time.monotonic() + seconds
    while not hindsight.known:
        assert time.monotonic() < deadline, "it is never known"
        hindsight.poll()
        time.sleep(0.002)
    return hindsight


@pytest.fixture(autouse=True)
def jobs_rest_between_tests():
    yield
    rest()


def dead(driver, level=CAVE, actions=(FORWARD, FORWARD, FORWARD), env_id="Wumpus-v0", **settings):
    """Open a game and die in it, with nothing settled after the last key."""
    own = playing_settings(driver.app.preferences, PUZZLES["wumpus"]) if env_id == "Wumpus-v0" else {}
    driver.app.show("playing", Game(env_id, level, seed=3, **{**own, **settings}))
    driver.settle()
    for action in actions[:-1]:
        driver.top.act([action])
        driver.settle()
    driver.top.act([actions[-1]])
    return driver.top


def picture(driver):
    driver.app.draw()
    return pygame.image.tobytes(driver.app.surface, "RGB")


# -- what an agent would have done ---------------------------------------------------------------------


def test_puzzles_with_hidden_information_or_chance_have_hindsight():
    assert {name for name, puzzle in PUZZLES.items() if has_hindsight(puzzle)} == {"wumpus", "cat_mouse"}


@pytest.mark.parametrize(
    ("env_id", "level", "number", "settings"),
    [
        ("Wumpus-v0", None, 7, {}),
        ("Wumpus-v0", CAVE, 0, {"show": "knowledge"}),
        ("CatMouse-v0", "classic", 0, {}),
        ("CatMouse-v0", None, 5, {"maze": "random", "size": 7}),
    ],
)
def test_it_is_what_the_agent_does_with_the_same_seed(env_id, level, number, settings):
    game = Game(env_id, level, number, seed=4, **settings)
    game.play(0)
    before = game.scene().state.tobytes()
    hindsight = known(Hindsight(game))
    assert game.scene().state.tobytes() == before
    assert hindsight.agent == advising_agents(game.puzzle)[0]
    limit = environment(env_id)[0].max_episode_steps
    episode = Game(env_id, level, number, limit, 4, **settings)
    while not episode.over:
        advice = advise(Request(Position.of(episode), (Advisor(hindsight.agent),)))
        episode.play(advice.action)
    words = hindsight.words()
    assert words.startswith(f"{hindsight.agent}, ")
    assert words.endswith(f"{episode.scene().steps} steps: return {episode.scene().score:g}")
    assert ("random numbers" in words) == (env_id == "CatMouse-v0")
    assert hindsight.path == [game.puzzle.gestures.actor(episode.scene().level, state) for state in episode.states]
    hindsight.close()


def test_who_cannot_play_is_followed_by_the_next():
    game = Game("CatMouse-v0", number=1, limit=9, maze="random", size=15, cats=3)
    hindsight = known(Hindsight(game))
    assert hindsight.agent == "uct"
    assert "9 steps" in hindsight.words()
    hindsight.close()


def test_why_no_agent_can_play_is_reported(monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.window.model.hindsight.advising_agents", lambda puzzle: ["optimal"])
    hindsight = known(Hindsight(Game("Wumpus-v0", CAVE)))
    assert hindsight.words().startswith("optimal cannot tell: ")
    assert not hindsight.path


# -- on the screen -------------------------------------------------------------------------------------


def test_death_has_its_moment_and_then_the_agents_way_is_shown(driver):
    screen = dead(driver)
    while screen.view.moving:
        driver.app.frame([], 1 / 60)
    assert screen.ending.animated
    places, pictures = set(), set()
    while screen.ending.animated:
        places.add(screen.ending.shaken(screen._board).x)
        pictures.add(picture(driver))
        driver.app.frame([], 1 / 60)
    assert len(places) > 5
    assert len(pictures) > 20
    assert all(abs(x - screen._board.x) <= screen._board.x for x in places)
    assert screen.ending.shaken(screen._board) == screen._board
    known(screen.ending.hindsight)
    driver.settle()
    assert driver.name == "PlayingScreen"
    assert screen.ending.words == "bayesian, knowing as little as you, would have solved it in 5 steps: return 995"
    shown = picture(driver)
    screen.ending.hindsight.known = False  # without the line
    assert picture(driver) != shown
    assert [button.text for button in driver.buttons()] == ["Pause", "Undo", "Restart", "Watch bayesian", "More"]


def test_without_animation_nothing_shakes(driver):
    driver.press("s")
    driver.push("Animation: on")
    driver.press("escape")
    screen = dead(driver)
    assert screen.ending.animated
    assert screen.ending.shaken(screen._board) == screen._board


def test_undo_and_restart_end_it(driver):
    before = children()
    screen = dead(driver)
    driver.press("backspace")
    assert screen.ending is None
    assert screen.game.taken == [FORWARD, FORWARD]
    assert "Hint" in [button.text for button in driver.buttons()]
    driver.press("f4")
    assert screen.ending is not None
    assert not screen.ending.animated  # it has had its moment
    driver.push("Restart")
    assert screen.ending is None
    driver.app.home()
    jobs.end()
    assert all(map(gone, children() - before))


@pytest.mark.parametrize("level", [CAVE, None])
def test_the_agent_is_watched_in_the_same_cave(driver, level):
    screen = dead(driver, level, [FORWARD])
    game = screen.game
    while not game.over:
        screen.act([FORWARD if level or len(game.taken) % 5 else LEFT])
    assert game.scene().options.show == "knowledge"
    driver.settle()
    words = screen.ending.words
    driver.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3, mod=0, unicode="", scancode=0))
    assert driver.name == "WatchingScreen"
    (player,) = driver.top.watching.players
    driver.top.watching.pace = PACES[-1]
    driver.settle()
    scene = driver.top.watching.scene(player)
    assert (scene.level == game.scene().level).all()
    assert scene.options.show == "world"
    assert words.endswith(f"{player.steps} steps: return {player.game.scene().score:g}")
    driver.press("escape")
    assert driver.top is screen


def test_the_victory_card_shows_it_too(driver):
    screen = dead(driver, actions=(FORWARD, GRAB, RIGHT, RIGHT, FORWARD))
    assert screen.game.solved
    driver.settle()
    assert driver.name == "VictoryScreen"
    assert driver.top._hindsight == screen.ending.words
    assert "would have solved it in 5 steps" in screen.ending.words
    driver.push("Watch bayesian")
    assert driver.name == "WatchingScreen"
    driver.press("escape")
    assert driver.top is screen
    assert screen.ending.hindsight.path


def test_where_nothing_is_hidden_the_solver_shows_the_whole_level(driver):
    corridor = "#####\n#@$.#\n#####\n"
    screen = dead(driver, actions=(3,), env_id="Sokoban-v0", level=None, levels=corridor)
    driver.settle()
    assert driver.name == "VictoryScreen"
    assert screen.ending.words == ""
    driver.push("Show the solver's")
    assert driver.name == "SolvingScreen"
    driver.settle()
    assert screen.game.solved
    driver.press("escape")
    assert screen.game.taken == []


def test_a_game_that_had_ended_is_opened_with_its_end(driver):
    game = Game("Wumpus-v0", CAVE)
    for _ in range(3):
        game.play(FORWARD)
    driver.app.show("playing", game)
    assert driver.top.ending is not None
    assert not driver.top.ending.animated
    driver.settle()
    assert driver.top.ending.hindsight.known


@pytest.mark.parametrize("size", [(320, 240), (640, 1000)])
def test_any_size_of_window(driver, size):
    pygame.display.set_mode(size, pygame.RESIZABLE)
    driver.post(pygame.event.Event(pygame.WINDOWSIZECHANGED, x=size[0], y=size[1]))
    screen = dead(driver)
    while screen.view.moving or screen.ending.animated:
        driver.app.frame([], 1 / 60)
        picture(driver)
    driver.settle()
    assert driver.app.surface.get_size() == size


def test_a_cave_that_nobody_could_win_says_so(driver):
    """The gold of seed 0 is behind pits."""
    game = Game("Wumpus-v0", None, 0)
    for number, hopeless in ((0, True), (7, False)):
        game.go_to(number)
        hindsight = Hindsight(game)
        until(lambda hindsight=hindsight: hindsight.poll() or hindsight.known, lambda: None)
        assert hindsight.words().startswith("nobody could have won this; ") == hopeless
        hindsight.close()
