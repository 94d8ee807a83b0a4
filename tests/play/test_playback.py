"""Playing back: what agents think, solving, replays, watching, and what an agent would have done at the end."""

import time

import gymnasium as gym
import numpy as np
import pygame
import pytest
from app_driver import until
from helpers import PUZZLES

from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.thoughts import Thoughts, shares, thoughts_of
from gridpuzzles_gym.play import jobs, playback
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.playback import (
    BEST,
    PACES,
    Hindsight,
    Playback,
    RecordedActions,
    WatchedEpisodes,
    has_hindsight,
    play_agent,
    replay,
    solve,
)
from gridpuzzles_gym.play.preferences import playing_settings
from gridpuzzles_gym.play.session import WatchOptions
from gridpuzzles_gym.play.window.app import App
from gridpuzzles_gym.play.window.playback import default_agent

LEVELS = "; one\n#######\n#@ $ .#\n#######\n\n; two\n########\n#@ $  .#\n########\n"
CAVE = "....\n..W.\n....\nAG.P\n"
HARD = "15 2 12 11\n14 13 9 5\n1 3 8 7\n0 10 6 4\ngoal: blank-first\n"
"""A board that takes more than a minute without pattern databases."""
LEFT, RIGHT, FORWARD, GRAB = range(4)


@pytest.fixture
def levels(tmp_path):
    file = tmp_path / "two.txt"
    file.write_text(LEVELS)
    return str(file)


def finished(play):
    """Let it play to its end."""
    play.pace = PACES[-1]
    until(lambda: play.ended, lambda: play.tick(0.05))
    return play


def decided(play):
    """Wait for all actions, without a step."""
    play.paused = True
    until(lambda: not play.busy, lambda: play.tick(0.05))
    return play


# -- what agents think -------------------------------------------------------------------------------------


def test_what_agents_tell():
    """Which thoughts each kind of agent has; none before its first decision."""
    wrong, empty = [], Thoughts()
    for env_id, agent, shown in (
        ("EightPuzzle-v0", "greedy", {"plan", "figures"}),
        ("CatMouse-v0", "shortest-path", {"legend", "path", "figures"}),
        ("CatMouse-v0", "wall-follower", {"figures"}),
        ("Wumpus-v0", "bayesian", {"notes", "legend", "values", "values_name"}),
        ("Wumpus-v0", "online-search", {"notes", "legend"}),
        ("Wumpus-v0", "random", set()),
    ):
        env = gym.make(env_id, **({"scramble": 5} if env_id == "EightPuzzle-v0" else {}))
        observation, _ = env.reset(seed=1)
        policy = make_agent(agent, env)
        before = thoughts_of(policy, observation, None)
        _, state = policy.predict(observation, None, np.ones(1, bool))
        if agent == "online-search":  # it has no marks at once in every cave
            observation = env.step(2)[0]
            _, state = policy.predict(observation, state, np.zeros(1, bool))
        thoughts = thoughts_of(policy, observation, state)
        found = {name for name in vars(empty) if getattr(thoughts, name) != getattr(empty, name)}
        if (before, found) != (empty, shown):
            wrong.append((env_id, agent, found))
    assert not wrong
    assert shares(np.array([1, 3, 0])) == (0.25, 0.75, 0.0)
    assert shares(np.zeros(4)) == ()


# -- forwards and backwards --------------------------------------------------------------------------------


def test_steps_forwards_and_backwards_show_the_same(levels):
    game = PlaySession.of("Sokoban-v0", levels)
    game.play(3)
    play = Playback(game, "mine", None, [3, 3])
    seen = [(game.scene().state.tobytes(), play.thoughts)]
    while play.forward():
        seen.append((game.scene().state.tobytes(), play.thoughts))
    assert game.solved
    assert [thoughts.plan for _, thoughts in seen] == [(3, 3), (3,), ()]
    for expected in reversed(seen[:-1]):
        assert play.back()
        assert (game.scene().state.tobytes(), play.thoughts) == expected
    assert not play.back(), "what was played before is not undone"
    assert game.actions == [3]
    play.seek(2)
    assert play.at == 2
    play.seek(0)
    assert game.undone == [3, 3]


def test_time_takes_steps_at_its_pace(levels):
    play = replay(PlaySession.of("Sokoban-v0", levels, 0), "mine")
    assert play.ended
    play = Playback(PlaySession.of("Sokoban-v0", levels), "mine", None, [3, 3, 3])
    play.pace = 2.0
    play.tick(0.3)
    assert play.at == 0
    play.tick(0.3)
    assert play.at == 1
    play.faster()
    assert play.pace == 4.0
    play.faster(-100)
    assert play.pace == PACES[0]
    play.faster(100)
    play.tick(1.0)
    assert play.ended
    assert play.words().startswith("Solved")


# -- solving -----------------------------------------------------------------------------------------------


def test_a_search_plays_to_the_goal_and_takes_it_back(levels, inline_jobs):
    game = PlaySession.of("Sokoban-v0", levels, 1)
    game.play(3)
    play = decided(solve(game, BEST))
    assert play.words().startswith("sokoban: 3 moves, ")
    assert not play.searching
    play.paused = False
    finished(play)
    assert (game.solved, game.actions, game.hints) == (True, [3] * 4, 3)
    play.seek(0)
    assert game.actions == [3]
    for name, words in (("greedy", "greedy: 3 moves"), ("no-such-thing", "no agent 'no-such-thing'")):
        assert words in decided(solve(game, name)).words()


def test_an_agent_goes_on_from_what_was_felt_and_chance_stays_the_same(inline_jobs):
    game = PlaySession.of("Wumpus-v0", "....\n....\nPW..\nAG..\n")
    game.play(FORWARD)
    game.play(GRAB)
    play = finished(solve(game, BEST))
    assert game.solved
    assert play.at < 8
    game = PlaySession.of("CatMouse-v0", "classic", limit=60, seed=2)
    game.play(3)
    play = finished(solve(game, "shortest-path"))
    assert game.over
    states = [state.tobytes() for state in game.states]
    play.seek(0)
    play.seek(1000)
    assert [state.tobytes() for state in game.states] == states


def test_what_cannot_be_solved_is_reported(inline_jobs):
    game = PlaySession.of("Sokoban-v0", "#####\n#@  #\n# $.#\n#   #\n#####\n")
    for action in (3, 1):
        game.play(action)
    assert "cannot be solved any more" in decided(solve(game, BEST)).words()


def test_the_screen_of_a_solution(driver, levels):
    game = PlaySession.of("Sokoban-v0", levels)
    driver.app.show("playing", game)
    driver.top.solve()
    screen = driver.top
    driver.press("space")
    play = decided(screen.playback)
    driver.press("home", "right", "right", "left")
    assert (play.at, play.paused) == (1, True)
    bar = screen.slider.rect
    driver.drag(bar.midleft, (bar.right - 1, bar.centery))
    assert play.at == 3
    driver.pick(BEST, "greedy")
    assert (screen.chosen, game.actions) == ("greedy", [])
    driver.press("space", "right")
    driver.press("home", "right", "p")
    assert (driver.name, game.actions) == ("PlayingScreen", [3])
    driver.press("f3", "escape")
    assert game.actions == [3], "what the search has played is taken back"


def test_the_screen_of_a_replay(driver, levels):
    game = PlaySession.of("Sokoban-v0", levels)
    driver.app.show("playing", game)
    driver.press("right", "left", "right")
    driver.press("r", mod=pygame.KMOD_CTRL)
    assert driver.name == "SolvingScreen"
    driver.press("end", "left")
    assert driver.top.game.actions == [3, 2]
    driver.press("escape")
    assert (driver.top.game, game.actions) == (game, [3, 2, 3]), "the game itself has not moved"


# -- watching ----------------------------------------------------------------------------------------------


def test_episodes_follow_each_other(levels, inline_jobs):
    """The levels of a pack are played in turn, with the seeds that a comparison gives to its episodes."""
    found = RecordedActions("me", {0: [3, 3, 3], 1: [3, 3, 3, 3]})
    watching = WatchedEpisodes(Game.of("Sokoban-v0", levels=levels), found, WatchOptions(seed=5, episodes=3, fps=120))
    until(lambda: len(watching.returns) == 3, lambda: watching.tick(0.1))
    watching.tick(10.0)
    assert watching.playback.ended  # there is no fourth
    assert watching.log == [
        "Solved after 3 steps, return 997 (one, seed 5)",
        "Solved after 4 steps, return 996 (two, seed 6)",
        "Solved after 3 steps, return 997 (one, seed 7)",
    ]
    assert watching.tally() == "solved 3 of 3, mean return 996.667"
    watching.go_to(1)
    assert watching.game.actions == []
    with pytest.raises(ValueError, match="no level 3"):
        watching.go_to(2)
    watching.close()
    watching = WatchedEpisodes(Game.of("Sokoban-v0", levels=levels), "nonsense", WatchOptions())
    until(lambda: watching.playback.ended, lambda: watching.tick(0.1))
    assert "nonsense" in watching.playback.error
    assert (watching.continues, watching.log) == (False, [])


def picture(driver):
    driver.app.draw()
    return pygame.image.tobytes(driver.app.surface, "RGB")


def watch(driver, **named):
    driver.app.show("watching", **named)
    decided(driver.top.playback)
    driver.top._draw_scene()
    driver.settle()
    return driver.top


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "CatMouse-v0"])
def test_an_agent_is_watched(driver, env_id):
    screen = watch(driver, game=Game.of(env_id, max_episode_steps=9), number=0)
    assert screen.player == default_agent(screen.puzzle)
    driver.top.slider.length = len(screen.playback.decisions)
    start = picture(driver)
    assert screen.view.rect.height > 0.7 * screen._board.height, "thoughts are next to the board in a wide window"
    driver.press("right", "right", "left", "left")
    assert (screen.playback.at, picture(driver)) == (0, start)
    driver.press("+")
    assert screen.playback.pace == 8.0


def test_other_levels_agents_and_puzzles_are_chosen(driver, levels, monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.play.window.playback.default_agent", lambda puzzle: "random")
    game, found = Game.of("Sokoban-v0", levels=levels), RecordedActions("found", {1: [3]})
    screen = watch(driver, game=game, number=0, players=["random", found])
    driver.press("page down")
    assert screen.watching.game.number == 1
    driver.pick("random", "found")
    assert (screen.playback.name, screen.watching.game.number) == ("found", 1)
    driver.pick("Sokoban", "Wumpus World")
    assert (screen.puzzle.name, screen.player) == ("wumpus", "random")
    driver.post(pygame.event.Event(pygame.DROPFILE, file=levels))
    assert driver.name == "LevelsScreen"


# -- from the command line ---------------------------------------------------------------------------------


def at_the_window(monkeypatch, tmp_path, leaves):
    """Play the person: press Escape as soon as ``leaves(screen)`` is true."""

    def wait(app):
        time.sleep(0.001)
        if leaves(app.top):
            return [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)]
        return []

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(App, "_wait", wait)
    monkeypatch.setattr(jobs, "prepare", lambda work: None)
    monkeypatch.setattr(playback, "HOLD", 0.0)


def test_solutions_are_watched_from_the_command_line(monkeypatch, capsys, tmp_path, levels):
    names = []

    def leaves(screen):
        screen.playback.pace = PACES[-1]
        names.append([screen.playback.name, *(player.name for player in screen.players)])
        return len(screen.watching.returns) == 2

    at_the_window(monkeypatch, tmp_path, leaves)
    searches = ["--search", "astar", "--search", "breadth-first"]
    assert cli.run(["solve", "sokoban", "--levels", levels, *searches, "--watch"]) == 0
    lines = capsys.readouterr().out.splitlines()[-2:]
    expected = ["Solved after 3 steps, return 997 (one", "Solved after 4 steps, return 996 (two"]
    assert [line.partition(", seed")[0] for line in lines] == expected
    assert names[0] == ["found by astar", "found by astar", "found by breadth-first"]


def test_what_cannot_be_watched(capsys):
    wrong = []
    for options, message in (
        (["--agent", "nonsense"], "no agent 'nonsense'"),
        (["--agent", "random", "--tile-size", "20"], "--tile-size is for --record"),
        (["--agent", "random", "--agent", "random", "--record", "film.gif"], "shows one agent"),
        (["--agent", "random", "--levels", "nothing"], "nothing"),
        (["--agent", "random", "--set", "size=1"], "size="),
        (["--agent", "random", "--fps", "0"], "0.25"),
    ):
        code, printed = cli.run(["watch", "wumpus", *options]), capsys.readouterr().err
        if code != 2 or message not in printed:
            wrong.append((options, code, printed))
    assert not wrong


# -- what an agent would have done -------------------------------------------------------------------------


def known(hindsight):
    until(lambda: hindsight.known, hindsight.poll)
    return hindsight


def test_it_is_what_the_agent_does_with_the_same_seed(inline_jobs):
    assert {name for name, puzzle in PUZZLES.items() if has_hindsight(puzzle)} == {"wumpus", "cat_mouse"}
    for env_id, level, number, settings in (
        ("Wumpus-v0", CAVE, 0, {"show": "knowledge"}),
        ("CatMouse-v0", None, 5, {"maze": "random", "size": 7}),
    ):
        game = PlaySession.of(env_id, level, number, 30, 4, **settings)
        game.play(0)
        before = game.scene().state.tobytes()
        hindsight = known(Hindsight(game))
        assert game.scene().state.tobytes() == before
        episode = PlaySession.of(env_id, level, number, 30, 4, **settings)
        finished(play_agent(episode, hindsight.agent, WatchOptions()))
        assert hindsight.words().startswith(f"{hindsight.agent}, ")
        assert hindsight.words().endswith(f"return {episode.scene().score:g}")
        assert hindsight.path == [game.puzzle.gestures.actor(episode.scene().level, state) for state in episode.states]
        hindsight.close()


def test_the_end_of_a_game(driver):
    settings = playing_settings(driver.app.preferences, PUZZLES["wumpus"])
    driver.app.show("playing", PlaySession.of("Wumpus-v0", CAVE, seed=3, **settings))
    screen = driver.top
    for _ in range(3):  # the last one into the pit
        screen.act([FORWARD])
        driver.settle()
    assert screen.hindsight_words == "bayesian, knowing as little as you: Solved after 5 steps, return 995"
    assert driver.labels() == ["Pause", "Undo", "Restart", "Show the solver's", "More"]
    assert screen.view.scene.options.show == "world", "what was hidden is shown"
    driver.press("backspace")
    assert (screen.hindsight, screen.game.actions) == (None, [FORWARD, FORWARD])
    driver.press("f4", "f3")
    assert driver.name == "SolvingScreen"
    driver.press("end")
    assert screen.game.solved
    driver.press("escape")
    assert driver.top is screen
    for action in (FORWARD, GRAB, RIGHT, RIGHT, FORWARD):
        screen.act([action])
        driver.settle()
    assert driver.name == "VictoryScreen"
    assert "Solved after 5 steps" in driver.top.lines()[-1]
