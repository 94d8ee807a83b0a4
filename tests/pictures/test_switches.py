"""What a person can switch on: only pictures and keys change, in the game, its help and its settings alike."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, ROWS, puzzle_of
from pictures import picture

from gridpuzzles_gym.puzzles.sokoban import boards, rules
from gridpuzzles_gym.session.choices import picture_settings, playing_settings, switched_on
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.preferences import Preferences
from gridpuzzles_gym.window.model.controls import as_markdown, controls, keys_of
from gridpuzzles_gym.window.model.score_line import status_line
from gridpuzzles_gym.window.screens.playing import PlayingScreen

UP, DOWN, LEFT, RIGHT = range(4)
TILES, SOKOBAN = PUZZLES["n_puzzle"], PUZZLES["sokoban"]
TURNED = Preferences().choosing("n_puzzle", "arrows_move_tile", True)
UNWARNED = Preferences().choosing("sokoban", "warn", False)
ROOM = "########\n#     .#\n#  @  .#\n# $$ $ #\n#   $ .#\n#  $$ .#\n#    ..#\n########\n"
"""A step down freezes four boxes; then a step to the left pushes a fifth to the wall."""


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_a_switch_changes_only_pictures_and_keys(id):
    puzzle = puzzle_of(id)
    names = [switch.name for switch in puzzle.switches]
    assert len(set(names)) == len(names)
    assert "style" not in names
    for switch in puzzle.switches:
        envs = [gym.make(id, **options).unwrapped for options in ({}, switch.options)]
        np.testing.assert_array_equal(*(env.reset(seed=3)[0] for env in envs))
        scenes = [env.scene() for env in envs]
        assert (scenes[0].level == scenes[1].level).all()
        assert (scenes[0].state == scenes[1].state).all()
        assert scenes[0].options != scenes[1].options or not switch.options
        if switch.keys is not None:
            assert switch.keys.keys() == puzzle.keys.keys()
            assert sorted(switch.keys.values()) == sorted(puzzle.keys.values())


def test_what_is_on_at_first_can_be_off_and_on_again():
    for puzzle in PUZZLES.values():
        assert switched_on(Preferences(), puzzle) == [switch for switch in puzzle.switches if switch.at_first]
        assert keys_of(puzzle, puzzle.read_options(), Preferences()) == keys_of(puzzle, puzzle.read_options())
    assert picture_settings(Preferences(), SOKOBAN)["warn"] is True, "beginners are warned"
    assert picture_settings(UNWARNED, SOKOBAN)["warn"] is False
    assert playing_settings(TURNED, TILES) == {"arrows": "tile"}
    assert switched_on(UNWARNED, SOKOBAN) == []
    assert switched_on(Preferences().choosing("sokoban", "warn", "no"), SOKOBAN) == [*SOKOBAN.switches]


def test_the_help_follows_the_keys():
    options = TILES.read_options()
    plain, turned = (dict(controls(TILES, options, preferences)) for preferences in (None, TURNED))
    assert plain["↑ or W"] == "move the blank up"
    assert turned["↑ or W"] == "move a tile up"
    assert turned["→ or D"] == "move a tile right"
    assert [turned[gesture] for gesture in ("click", "drag")] == [plain[gesture] for gesture in ("click", "drag")]
    assert "arrows move the tile" in as_markdown(TILES)


def test_pictures_say_what_the_arrows_move_until_the_first_move():
    pictures = [
        [picture("EightPuzzle-v0", film, levels="123\n405\n786\n", arrows=arrows) for arrows in ("blank", "tile")]
        for film in ((), (RIGHT,))
    ]
    assert (pictures[0][0] != pictures[0][1]).any()
    np.testing.assert_array_equal(*pictures[1])


def test_stuck_boxes_are_those_of_the_rule():
    env = gym.make("Sokoban-v0", levels=ROOM, deadlocks=True).unwrapped
    env.batch.interpret()
    deadlocks = [env.reset(seed=0)[1]["deadlock"], *(env.step(action)[4]["deadlock"] for action in (DOWN, LEFT, DOWN))]
    assert deadlocks == [False, True, True, True]
    numbers, seen = np.random.default_rng(0), set()
    for _ in range(40):
        env.reset()
        for action in numbers.integers(4, size=25).tolist():
            _, _, terminated, _, info = env.step(action)
            scene = env.scene()
            marked = boards.stuck_boxes(scene.level, scene.state)
            assert marked.any() == info["deadlock"] == bool(rules.stuck(scene.level, scene.state))
            walls, goals, boxes = boards.squares_of(scene.level, scene.state)
            assert not (marked & (goals | walls | ~boxes)).any()
            seen.add(int(marked.sum()))
            if terminated:
                break
    assert {0, 1, 4} <= seen


def test_stuck_boxes_are_marked_and_named():
    options = [SOKOBAN.read_options(warn=warn) for warn in (False, True)]
    counts = []
    for film in ((), (DOWN,), (DOWN, LEFT)):
        env = gym.make("Sokoban-v0", levels=ROOM).unwrapped
        env.batch.interpret()
        env.reset(seed=0)
        for action in film:
            env.step(action)
        scene = env.scene()
        counts.append(int(boards.stuck_boxes(scene.level, scene.state).sum()))
        said = [SOKOBAN.warning(scene.level, scene.state, each) for each in options]
        assert said == ["", f"no solution from here: {counts[-1]} boxes are stuck" if counts[-1] else ""]
        plain, warned = (picture("Sokoban-v0", film, levels=ROOM, tile_size=32, warn=warn) for warn in (False, True))
        assert (plain != warned).any() == (counts[-1] > 0)
    assert counts == [0, 4, 5]
    corner = "######\n#    #\n# $@ #\n#   .#\n######\n"
    level, state = SOKOBAN.encode(SOKOBAN.parse(corner, "")[0], (5, 6), options[1])
    rules.step(level, state, LEFT, None)
    assert SOKOBAN.warning(level, state, options[1]) == "no solution from here: a box is stuck"


def keys_in_game(driver, *keys):
    """Play keys, and return the state after each."""
    states = []
    for key in keys:
        driver.press(key)
        states.append(driver.top.game.scene().state.tolist())
    return states


def test_a_setting_turns_the_arrows_also_during_a_game(driver):
    driver.app.push(PlayingScreen(driver.app, Game("EightPuzzle-v0", "123\n405\n786\n")))
    driver.settle()
    blank, *_ = keys_in_game(driver, "right", "left")
    driver.press("escape", "s")
    driver.push("Sliding tiles: arrows move the tile: off")
    assert any(button.text == "Sliding tiles: arrows move the tile: on" for button in driver.buttons())
    driver.press("escape", "escape")
    assert driver.name == "PlayingScreen"
    assert keys_in_game(driver, "left", "d")[0] == blank
    driver.press("f1")
    assert dict(driver.top.entries)["← or A"] == "move a tile left"
    driver.press("escape", "escape", "s")
    driver.push("Sliding tiles: arrows move the tile: on")
    driver.press("escape", "escape")
    assert keys_in_game(driver, "right")[0] == blank


def test_a_game_shows_the_style_and_the_warning_that_are_chosen_meanwhile(driver):
    driver.app.progress.save_preferences(driver.app.preferences.choosing("sokoban", "warn", False))
    driver.app.push(PlayingScreen(driver.app, Game("Sokoban-v0", ROOM, style="warehouse")))
    driver.settle()
    keys_in_game(driver, "down")
    assert "stuck" not in status_line(driver.top.game, driver.app.progress)
    driver.press("escape", "s")
    driver.push("Sokoban: warn of stuck boxes: off")
    driver.push("Sokoban: style warehouse")
    driver.press("escape", "escape")
    assert status_line(driver.top.game, driver.app.progress).startswith(
        "no solution from here: 4 boxes are stuck: undo or restart"
    )
    assert driver.top.view.scene.options == SOKOBAN.read_options(warn=True, style="paper")
    driver.press("backspace")
    assert "stuck" not in status_line(driver.top.game, driver.app.progress)
    driver.app.home()
    driver.push("Continue")
    assert driver.top.view.scene.options == SOKOBAN.read_options(warn=True, style="paper")


def test_full_screen_is_kept(driver):
    driver.press("s")
    driver.push("Full screen: off")
    assert driver.app.preferences.full_screen
    assert any(button.text == "Full screen: on" for button in driver.buttons())
    driver.press("f11")
    assert not driver.app.preferences.full_screen
    assert driver.app.surface.get_size() == (1280, 800)
    driver.app.progress.save_preferences(dataclasses.replace(driver.app.preferences, full_screen=True))
    again = type(driver)(driver.app.progress.folder)
    assert again.app.surface.get_size() != (1280, 800), "as large as the screen of this driver"
    again.app.toggle_full_screen()
    assert again.app.surface.get_size() == (1280, 800)
