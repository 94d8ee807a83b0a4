"""What a person can switch on: only pictures and keys change, in the game, its help and its settings alike."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, ROWS, puzzle_of
from pictures import picture

from gridpuzzles_gym.play.preferences import Preferences, as_markdown, controls
from gridpuzzles_gym.puzzles.sokoban import boards, rules

UP, DOWN, LEFT, RIGHT = range(4)
TILES, SOKOBAN = PUZZLES["n_puzzle"], PUZZLES["sokoban"]
TURNED = Preferences().choosing("n_puzzle", "arrows_move_tile", True)
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


def test_the_help_follows_the_keys():
    options = TILES.read_options()
    plain, turned = (dict(controls(TILES, options, preferences)) for preferences in (None, TURNED))
    assert plain["↑ or W"] == "move the blank up"
    assert turned["↑ or W"] == "move a tile up"
    assert turned["→ or D"] == "move a tile right"
    assert [turned[gesture] for gesture in ("click", "drag")] == [plain[gesture] for gesture in ("click", "drag")]
    assert "arrows move the tile" in as_markdown(TILES)


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
