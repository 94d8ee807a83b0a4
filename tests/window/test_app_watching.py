"""Watching agents: what they think, forwards and backwards, side by side and against a person; and the screen."""

import time

import app_driver
import gymnasium as gym
import numpy as np
import pygame
import pytest
from app_driver import Driver
from helpers import PUZZLES, piped
from tiny_models import tiny_model, write_tiny_model

from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.thoughts import Explaining, Thoughts, shares, thoughts_of
from gridpuzzles_gym.session import watching as model
from gridpuzzles_gym.session.choices import Choice
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.players import YOU, Decision, RecordedActions, Show, deciding
from gridpuzzles_gym.session.watch_options import WatchOptions
from gridpuzzles_gym.session.watching import PACES, Watching, path_of, targets_of
from gridpuzzles_gym.window.app import App
from gridpuzzles_gym.window.screens.watching import NOBODY, WatchingScreen, default_agent

LEVELS = "; one\n#######\n#@ $ .#\n#######\n\n; two\n########\n#@ $  .#\n########\n"
CAVES = "....\n....\nP...\nA.GW\n"


@pytest.fixture
def levels(tmp_path):
    file = tmp_path / "two.txt"
    file.write_text(LEVELS)
    return str(file)


def decisions_of(env_id, agent, level=None, number=0, **settings):
    """The decisions of an episode made in this process, and the game at its start."""
    game = Game(env_id, level, number, 60, 3, **settings)
    return list(deciding(Show(game.env.spec, agent, game.seed, game.limit))), game


def until(watching, condition):
    """Let time pass until something is so."""
    app_driver.until(condition, lambda: watching.tick(0.05))


def decide(watching):
    """Wait for all decisions of the episode, without a step."""
    watching.paused = True
    until(watching, lambda: all(player._job.done for player in watching.players if player is not watching.person))


def states_of(watching):
    return [player.game.scene().state.tobytes() for player in watching.players]


# -- what agents tell --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env_id", "agent", "shown"),
    [
        ("Sokoban-v0", "astar", {"plan", "figures"}),
        ("EightPuzzle-v0", "ida-star", {"plan", "figures"}),
        ("Bait-v0", "original-mcts", {"plan", "figures"}),
        ("CatMouse-v0", "value-iteration", {"notes", "legend", "values", "values_name", "path", "figures"}),
        ("CatMouse-v0", "shortest-path", {"legend", "path", "figures"}),
        ("CatMouse-v0", "wall-follower", {"legend", "path", "figures"}),
        ("CatMouse-v0", "uct", {"probabilities", "figures"}),
        ("Wumpus-v0", "bayesian", {"notes", "legend", "values", "values_name"}),
        ("Wumpus-v0", "online-search", {"notes", "legend"}),
        ("Wumpus-v0", "random", set()),
    ],
)
def test_thoughts_of_agents(env_id, agent, shown):
    env = gym.make(env_id)
    observation, _ = env.reset(seed=1)
    policy = make_agent(agent, env)
    assert thoughts_of(policy, observation, None) == Thoughts()  # before its first decision
    _, state = policy.predict(observation, None, np.ones(1, bool))
    if agent == "online-search":  # it has no marks at once in every cave
        observation = env.step(2)[0]
        _, state = policy.predict(observation, state, np.zeros(1, bool))
    thoughts = thoughts_of(policy, observation, state)
    empty = Thoughts()
    found = {name for name in vars(empty) if getattr(thoughts, name) != getattr(empty, name)}
    assert found == shown
    assert isinstance(policy, Explaining) == bool(shown)


def test_a_plan_is_what_is_done_next():
    decisions, game = decisions_of("Sokoban-v0", "astar", "starter")
    for k, decision in enumerate(decisions):
        assert decision.thoughts.plan == tuple(each.action for each in decisions[k:])
        assert decision.thoughts.figures == decisions[0].thoughts.figures
        game.play(decision.action)
    assert game.solved


def test_plans_of_a_batch_are_distinguished():
    envs = gym.make_vec("EightPuzzle-v0", num_envs=3, scramble=8)
    observations, _ = envs.reset(seed=0)
    agent = make_agent("astar", envs)
    actions, state = agent.predict(observations)
    for i, action in enumerate(actions):
        thoughts = agent.thoughts(observations[i], state, i)
        assert thoughts.plan[0] == action
        assert thoughts.figures["plan"].startswith(f"{len(thoughts.plan)} moves, solved")


def test_the_dangers_are_probabilities():
    decisions, game = decisions_of("Wumpus-v0", "bayesian")
    for thoughts in (decision.thoughts for decision in decisions):
        assert thoughts.values.keys() == thoughts.notes.keys()
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in thoughts.values.values())
        for square, words in thoughts.notes.items():
            assert words.startswith("safe") == (thoughts.values[square] < 1e-9)
    assert game.puzzle.name == "wumpus"


def test_shares_add_up():
    assert shares(np.array([1, 3, 0])) == (0.25, 0.75, 0.0)
    assert shares(np.zeros(4)) == ()
    decisions, _ = decisions_of("CatMouse-v0", "uct")
    for decision in decisions:
        probabilities = decision.thoughts.probabilities
        assert sum(probabilities) == pytest.approx(1)
        assert decision.action == np.argmax(probabilities)


@pytest.mark.parametrize("masks", [False, True])
def test_a_model_shows_its_probabilities(masks):
    env = gym.make("EightPuzzle-v0")
    observation, _ = env.reset(seed=0)
    probabilities = thoughts_of(TrainedAgent(tiny_model(masks=masks), env), observation, None).probabilities
    assert sum(probabilities) == pytest.approx(1)
    assert len(probabilities) == 4
    legal = env.unwrapped.action_masks()
    assert [probability > 1e-6 for probability in probabilities] == (legal.tolist() if masks else [True] * 4)


def test_decisions_are_those_of_the_same_episode():
    """What an agent decides in its own environment leads through the same states in the window's."""
    for env_id, agent in (("CatMouse-v0", "shortest-path"), ("Wumpus-v0", "online-search"), ("CatMouse-v0", "random")):
        decisions, game = decisions_of(env_id, agent, number=5 if env_id == "Wumpus-v0" else 0)
        assert all(isinstance(decision, Decision) for decision in decisions)
        for decision in decisions:
            assert not game.over
            game.play(decision.action)
        assert game.over


def test_a_step_limit_ends_a_show():
    game = Game("Wumpus-v0", None, 2, 7)
    assert len(list(deciding(Show(game.env.spec, "random", 0, 7)))) <= 7


# -- plans and probabilities on the board ------------------------------------------------------------


def test_the_path_of_a_plan(levels):
    game = Game("Sokoban-v0", levels)
    assert path_of(game.scene(), game.puzzle, [3, 3, 3]) == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert path_of(game.scene(), game.puzzle, [3, 3, 3, 3, 3]) == [(1, 1), (1, 2), (1, 3), (1, 4)]  # solved by then
    assert path_of(game.scene(), game.puzzle, []) == []
    assert len(path_of(game.scene(), game.puzzle, [2] * 1000)) == model.LONGEST_PATH + 1
    mouse = Game("CatMouse-v0")
    assert path_of(mouse.scene(), mouse.puzzle, [3, 3]) == []  # the cat moves at random


def test_the_targets_of_probabilities(levels):
    game = Game("Sokoban-v0", levels)
    assert targets_of(game.scene(), game.puzzle, (0.1, 0.2, 0.3, 0.4)) == {(1, 2): 0.4}
    cave = Game("Wumpus-v0", level=None, levels=CAVES)
    assert targets_of(cave.scene(), cave.puzzle, (0.1, 0.2, 0.3, 0.1, 0.1, 0.2)) == {(3, 1): 0.3}


# -- forwards and backwards --------------------------------------------------------------------------


def test_steps_forwards_and_backwards_show_the_same(levels):
    watching = Watching("Sokoban-v0", ["astar"], WatchOptions(levels, seed=5))
    (player,) = watching.players
    decide(watching)
    seen = [(states_of(watching), player.thoughts)]
    while watching.forward():
        seen.append((states_of(watching), player.thoughts))
    assert len(seen) == 4
    assert watching.over
    assert not watching.forward()
    for expected in reversed(seen[:-1]):
        assert watching.back()
        assert (states_of(watching), player.thoughts) == expected
    assert not watching.back()
    assert watching.at == 0
    for expected in seen[1:]:
        assert watching.forward()
        assert (states_of(watching), player.thoughts) == expected
    assert player.thoughts == Thoughts()
    assert watching.results == {5: [("solved", 3, 997.0)]}
    assert watching.tally(player) == "solved 1 of 1, mean return 997"
    watching.close()


def test_time_takes_steps_at_its_pace(levels):
    watching = Watching("Sokoban-v0", ["astar"], WatchOptions(levels))
    assert watching.running
    decide(watching)
    assert watching.at == 0
    watching.paused, watching.pace = False, 2.0
    watching.tick(0.3)
    assert watching.at == 0
    watching.tick(0.3)
    assert watching.at == 1
    watching.faster()
    assert watching.pace == 4.0
    watching.faster(-100)
    assert watching.pace == PACES[0]
    watching.faster(100)
    watching.tick(1.0)
    assert watching.over
    assert not watching.running
    watching.close()


def test_two_agents_have_the_same_world():
    watching = Watching("CatMouse-v0", ["shortest-path", "random"], WatchOptions("classic", seed=4))
    one, other = states_of(watching)
    assert one == other
    decide(watching)
    while not watching.over:
        before = watching.at
        if watching.forward():
            assert watching.at == before + 1
            assert all(player.ended or player.steps == watching.at for player in watching.players)
        watching.tick(0)
    lengths = [player.steps for player in watching.players]
    assert max(lengths) == watching.at
    while watching.back():
        for player, length in zip(watching.players, lengths, strict=True):
            assert player.steps == min(length, watching.at)
    watching.go_to(0)
    assert states_of(watching) == [one, one]
    assert list(watching.results) == [4]
    watching.close()


@pytest.mark.extended
def test_the_next_level_and_its_results(levels):
    watching = Watching("Sokoban-v0", ["astar", "random"], WatchOptions(levels, seed=5))
    watching.pace = PACES[-1]
    until(watching, lambda: watching.over)
    assert watching.results[5][0].outcome == "solved"
    watching.go_to(1)
    assert watching.at == 0
    assert not watching.over
    until(watching, lambda: watching.over)
    assert len(watching.results) == 2
    assert watching.tally(watching.players[0]).startswith("solved 2 of 2")
    with pytest.raises(ValueError, match="no level 3"):
        watching.go_to(2)
    watching.close()


def test_whoever_cannot_play_says_why(levels):
    watching = Watching("Sokoban-v0", ["nonsense", "astar"], WatchOptions(levels))
    watching.pace = PACES[-1]
    until(watching, lambda: watching.over)
    wrong, right = watching.players
    assert "nonsense" in wrong.error
    assert not right.error
    assert right.game.solved
    watching.close()


def test_players_are_checked():
    for players in ([], [YOU, YOU]):
        with pytest.raises(ValueError, match="players="):
            Watching("CatMouse-v0", players, WatchOptions())
    with pytest.raises(ValueError, match="nothing"):
        Watching("CatMouse-v0", ["random"], WatchOptions("nothing"))


def test_episodes_follow_each_other(levels):
    """The levels of a pack are played in turn, with the seeds that a comparison gives to its episodes."""
    watching = Watching("Sokoban-v0", ["astar"], WatchOptions(levels, seed=5, episodes=3))
    watching.pace = PACES[-1]
    until(watching, lambda: len(watching.results) == 3)
    watching.tick(1.0)
    assert watching.over  # there is no fourth
    assert list(watching.results) == [5, 6, 7]
    assert watching.log == [
        "Solved after 3 steps, return 997 (one, seed 5)",
        "Solved after 4 steps, return 996 (two, seed 6)",
        "Solved after 3 steps, return 997 (one, seed 7)",
    ]
    watching.close()


def test_an_agent_that_cannot_play_is_not_asked_again(levels):
    watching = Watching("Sokoban-v0", ["nonsense"], WatchOptions(levels, episodes=None))
    until(watching, lambda: watching.over)
    assert not watching.continues
    assert not watching.log
    watching.close()


def test_actions_found_before_are_watched_like_an_agent(levels):
    watching = Watching("Sokoban-v0", [RecordedActions("me", {0: [3, 3, 3], 1: [3]})], WatchOptions(levels, seed=1))
    (player,) = watching.players
    assert player.thoughts.plan == (3, 3, 3)
    assert not watching.thinking
    while watching.forward():
        pass
    assert player.game.solved
    watching.go_to(1)
    assert watching.forward()
    assert watching.over  # nothing more was found
    assert not player.game.over
    watching.close()


def test_hidden_things_are_shown_unless_the_settings_say_otherwise():
    for settings, shown in (({}, "world"), ({"show": "knowledge"}, "knowledge")):
        watching = Watching("Wumpus-v0", ["random"], WatchOptions(seed=3, settings=settings))
        assert watching.scene(watching.players[0]).options.show == shown
        watching.close()


# -- from the command line ---------------------------------------------------------------------------


def at_the_window(monkeypatch, leaves):
    """Play the person: press Escape as soon as ``leaves(screen)`` is true."""

    def wait(app):
        time.sleep(0.001)
        if leaves(app.top):
            return [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)]
        return []

    monkeypatch.setattr(App, "_wait", wait)
    monkeypatch.setattr(model, "HOLD", 0.0)


def test_watching_from_the_command_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    at_the_window(monkeypatch, lambda screen: len(screen.watching.results) == 2)
    options = ["--seed", "3", "--episodes", "2", "--fps", "120", "--agent", "random", "--agent", "online-search"]
    assert cli.run(["watch", "wumpus", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["random", "online-search"] * 2
    assert [line.rpartition("(")[2] for line in lines] == ["seed 3)", "seed 3)", "seed 4)", "seed 4)"]


def test_piped_levels_have_a_name_in_the_menu(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    titles = []
    at_the_window(monkeypatch, lambda screen: titles.append(screen.choice.title) or True)
    piped(monkeypatch, LEVELS)
    assert cli.run(["watch", "sokoban", "--agent", "random", "--levels", "-"]) == 0
    assert titles[0] == "given levels"


def test_solutions_are_watched_from_the_command_line(monkeypatch, capsys, tmp_path, levels):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    seen = []

    def leaves(screen):
        screen.watching.pace = PACES[-1]
        seen.append(screen.watching.players[0].game.scene().title)
        return len(screen.watching.results) == 2

    at_the_window(monkeypatch, leaves)
    searches = ["--search", "astar", "--search", "breadth-first"]
    assert cli.run(["solve", "sokoban", "--levels", levels, *searches, "--watch"]) == 0
    lines = capsys.readouterr().out.splitlines()[-4:]
    ends = ["3 steps, return 997 (one", "4 steps, return 996 (two"]
    expected = [f"found by {who}: Solved after {end}" for end in ends for who in searches[1::2]]
    assert [line.partition(", seed")[0] for line in lines] == expected
    assert list(dict.fromkeys(seen)) == ["one", "two"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "nonsense"], "no agent 'nonsense'"),
        (["--agent", "random"] * 3, "3 agents: a window shows one or two"),
        (["--agent", "random", "--tile-size", "20"], "--tile-size is for --record"),
        (["--agent", "random", "--agent", "random", "--record", "film.gif"], "a .gif file shows one agent"),
        (["--agent", "random", "--levels", "nothing"], "nothing"),
        (["--agent", "random", "--set", "size=1"], "size="),
    ],
)
def test_what_cannot_be_watched(capsys, options, message):
    assert cli.run(["watch", "wumpus", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("fps", [0, 1e9, float("nan")])
def test_a_pace_has_limits(fps):
    with pytest.raises(ValueError, match="fps="):
        WatchOptions(fps=fps)


# -- a person against an agent -----------------------------------------------------------------------


def test_the_agent_steps_when_the_person_does(levels):
    watching = Watching("Sokoban-v0", [YOU, "astar"], WatchOptions(levels), 1)
    person, agent = watching.players
    assert watching.person is person
    decide(watching)
    watching.paused = False
    watching.tick(10.0)
    assert watching.at == 0  # it waits
    assert not watching.forward()
    assert watching.play(2)  # against the wall: no move
    assert (person.steps, agent.steps) == (0, 0)
    assert watching.play(3)
    assert (person.steps, agent.steps) == (1, 1)
    assert watching.back()
    assert (person.steps, agent.steps) == (0, 0)
    assert watching.forward()  # the same again
    assert watching.back()
    for _ in range(4):
        assert watching.play(3)
    assert person.game.solved
    assert agent.game.solved
    assert watching.over
    assert not watching.play(3)
    watching.close()


def test_the_agent_goes_on_alone():
    watching = Watching("Wumpus-v0", [YOU, "random"], WatchOptions(seed=1, settings={"levels": "P.\nAG\n"}))
    until(watching, lambda: not watching.thinking)
    watching.play(0)
    watching.play(2)  # into the pit
    assert watching.person.ended
    watching.pace = PACES[-1]
    assert watching.running or watching.over
    until(watching, lambda: watching.over)
    watching.close()


def test_nothing_is_given_away_while_a_person_plays():
    watching = Watching("Wumpus-v0", [YOU, "bayesian"], WatchOptions(seed=1, settings={"levels": CAVES}))
    agent = watching.players[1]
    until(watching, lambda: not agent.thinking)
    for player in watching.players:
        scene = watching.scene(player)
        assert scene.options.show == "knowledge"
        assert not scene.notes
    for action in (0, 2):  # into the pit
        watching.play(action)
    for player in watching.players:
        assert watching.scene(player).options.show == "world"
    assert watching.scene(agent).notes == agent.thoughts.notes
    assert not watching.scene(agent, notes=False).notes
    watching.back()
    assert watching.scene(agent).options.show == "knowledge"
    watching.close()


# -- the screen --------------------------------------------------------------------------------------


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path / "progress")
    yield made
    made.app.quit()


def show(driver, **kwargs):
    screen = WatchingScreen(driver.app, **kwargs)
    driver.app.push(screen)
    decide(screen.watching)
    screen._show()
    driver.settle()
    return screen


def picture(driver):
    driver.app.draw()
    return pygame.image.tobytes(driver.app.surface, "RGB")


@pytest.mark.parametrize("name", PUZZLES)
def test_every_puzzle_is_watched(driver, name):
    screen = show(driver, puzzle=PUZZLES[name])
    assert screen.players == [default_agent(PUZZLES[name])]
    start = picture(driver)
    driver.press("t")
    assert picture(driver) != start  # without its thoughts
    driver.press("t")
    assert picture(driver) == start
    driver.press("right", "right")
    assert screen.watching.at == 2
    assert picture(driver) != start
    driver.press("left", ",")
    assert picture(driver) == start
    game = screen.watching.players[0].game
    first, more = game.number, game.has(1)
    driver.press("page down")
    assert game.number == first + more
    driver.press("pageup", "pagedown", "n", "+", "-", "=")
    assert not screen.watching.players[0].error


def test_pace_pause_and_the_end(driver, levels):
    screen = show(driver, puzzle=PUZZLES["sokoban"], choice=Choice("two", "Sokoban-v0", levels), players=["astar"])
    driver.press("+", "+", "+", "space")
    assert screen.watching.over
    assert screen.watching.players[0].game.solved
    driver.press("escape")
    assert not driver.app.stack


@pytest.mark.extended
def test_menus(driver):
    screen = show(driver)
    for menu, text in (("puzzle", "Cat and Mouse"), ("second", "uct"), ("first", "value-iteration")):
        screen.choose(menu, text)
        screen.watching.paused = True
        driver.settle()
    assert screen.puzzle.name == "cat_mouse"
    assert [player.name for player in screen.watching.players] == ["value-iteration", "uct"]
    driver.press("right")
    assert [player.steps for player in screen.watching.players] == [1, 1]
    screen.choose("second", NOBODY)
    assert len(screen.watching.players) == 1
    before = screen.choice
    screen.choose("levels", screen.choices[-1].title)
    assert screen.choice != before
    driver.settle()
    screen.choose("first", "nonsense")
    driver.settle()
    assert "nonsense" in screen.watching.players[0].error


def test_a_menu_is_used_by_the_mouse(driver):
    screen = show(driver, puzzle=PUZZLES["cat_mouse"], players=["random"])
    driver.pick("random", "wall-follower")
    assert screen.players == ["wall-follower"]


def test_a_person_plays_by_keys_and_mouse(driver, levels):
    choice = Choice("two", "Sokoban-v0", levels)
    screen = show(driver, puzzle=PUZZLES["sokoban"], choice=choice, players=["astar", YOU])
    agent, person = screen.watching.players
    driver.press("right")  # his own key, not one step
    assert (person.steps, agent.steps) == (1, 1)
    driver.press(",", ".")
    assert (person.steps, agent.steps) == (1, 1)
    driver.drag(driver.square(1, 3), driver.square(1, 5))
    assert person.game.solved
    assert screen.watching.over


@pytest.mark.parametrize("size", [(320, 240), (700, 500), (1600, 700)])
def test_all_windows_have_their_picture(driver, levels, size):
    driver.app.surface = pygame.display.set_mode(size)
    screen = show(
        driver, puzzle=PUZZLES["wumpus"], choice=Choice("cave", "Wumpus-v0", None), players=["bayesian", "random"]
    )
    driver.press("right", "right")
    picture(driver)
    assert screen.watching.at == 2


def test_a_plan_is_drawn_on_the_squares_it_passes(driver, levels):
    choice = Choice("two", "Sokoban-v0", levels)
    screen = show(driver, puzzle=PUZZLES["sokoban"], choice=choice, number=1, players=["astar"])
    with_plan = np.frombuffer(picture(driver), np.uint8).reshape(*driver.app.surface.get_size()[::-1], 3)
    screen.watching.players[0].decisions[0] = Decision(3, Thoughts())
    without = np.frombuffer(picture(driver), np.uint8).reshape(with_plan.shape)
    changed = (with_plan != without).any(axis=2)
    crossed = set()
    for row in range(3):
        for column in range(8):
            box = screen.view.square(row, column)
            if changed[box.top : box.bottom, box.left : box.right].any():
                crossed.add((row, column))
    assert crossed == {(1, column) for column in range(1, 6)}


def test_taking_over(driver, levels):
    choice = Choice("two", "Sokoban-v0", levels)
    screen = show(driver, puzzle=PUZZLES["sokoban"], choice=choice, number=1, players=["astar"])
    driver.press(".", ".", "p")
    assert driver.name == "PlayingScreen"
    game = driver.top.game
    assert game.taken == [3, 3]
    assert game.limit is None
    assert game.scene().state.tobytes() == states_of(screen.watching)[0]
    driver.press("right", "right")
    assert game.solved
    assert screen.watching.at == 2


def test_taking_over_keeps_ones_own_unfinished_game(driver, levels):
    choice = Choice("two", "Sokoban-v0", levels)
    driver.app.show("playing", choice.game(1))
    driver.press("right", "left", "escape", "q")
    show(driver, puzzle=PUZZLES["sokoban"], choice=choice, number=1, players=["astar"])
    driver.press(".", "p", "right", "escape", "q")
    assert Game.resumed(driver.app.progress.game("sokoban")).taken == [3, 3]  # Continue offers the latest
    driver.app.show("playing", choice.game(1))
    assert driver.top.game.taken == [3, 2]


def test_taking_over_hides_what_a_player_does_not_know(driver):
    show(driver, puzzle=PUZZLES["wumpus"], players=["random"], number=4)
    driver.press(".", "p")
    assert driver.top.game.scene().options.show == "knowledge"


def test_a_model_that_is_dropped_onto_the_window_plays(driver, tmp_path):
    path = write_tiny_model(tmp_path / "tiny" / "model.safetensors", "Wumpus-v0")
    screen = show(driver, puzzle=PUZZLES["wumpus"], players=["random"], number=3)
    driver.post(pygame.event.Event(pygame.DROPFILE, file=str(path.parent)))
    decide(screen.watching)
    (player,) = screen.watching.players
    assert player.name == "tiny"
    assert not player.error
    assert all(sum(decision.thoughts.probabilities) == pytest.approx(1) for decision in player.decisions)
    assert len(player.decisions[0].thoughts.probabilities) == 6
    driver.settle()
    driver.press("right")
    assert screen.watching.at == 1


def test_a_model_plays_every_level_of_the_pack_it_was_trained_on(levels, tmp_path):
    """Its boards are as large as the largest level, whatever the size of the level that is watched."""
    path = write_tiny_model(tmp_path / "model.safetensors", "Sokoban-v0", levels=levels)
    for choice in (levels, f"{levels}:1"):
        watching = Watching("Sokoban-v0", [str(path)], WatchOptions(choice, settings={"max_episode_steps": 5}))
        decide(watching)
        assert not watching.players[0].error
        assert watching.players[0].decisions
        watching.close()


def test_other_files_that_are_dropped_are_levels(driver, levels):
    show(driver, puzzle=PUZZLES["cat_mouse"], players=["random"])
    driver.post(pygame.event.Event(pygame.DROPFILE, file=levels))
    assert driver.name == "LevelsScreen"


def test_leaving_ends_the_agents(driver):
    screen = show(driver, puzzle=PUZZLES["cat_mouse"], players=["random", "uct"])
    jobs = [player._job for player in screen.watching.players]
    assert all(jobs)
    driver.press("escape")
    assert all(job.done for job in jobs)
