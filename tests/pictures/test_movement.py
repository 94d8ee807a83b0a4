"""Pictures between two states: what moves is on its way, everything else is as before."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from pictures import TILE, at, board, scenes

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.engine.pictures.canvas import Canvas
from gridpuzzles_gym.puzzles.cat_mouse import picture as cat_picture
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_rules

UP, DOWN, LEFT, RIGHT = range(4)
TURN_LEFT, _, FORWARD, GRAB, _, SHOOT = range(6)


def differing(one, other, level):
    """The squares on which two boards of a level differ."""
    height = level.count("\n")
    tile = one.shape[0] // height
    width = one.shape[1] // tile
    differ = (one != other).any(axis=2).reshape(height, tile, width, tile).any(axis=(1, 3))
    return {tuple(square) for square in np.argwhere(differ).tolist()}


def unmoved(scene):
    """The scene before, as if it were the last, with what moves facing as in this one."""
    return dataclasses.replace(scene, state=scene.before, before=None)


MOVES = {
    "a walk": ("Sokoban-v0", "######\n#@ $.#\n######\n", (RIGHT,), {(1, 1), (1, 2)}),
    "a push": ("Sokoban-v0", "######\n#    #\n# @$ #\n#  . #\n#    #\n######\n", (RIGHT,), {(2, 2), (2, 3), (2, 4)}),
    "a push to a goal": ("Sokoban-v0", "######\n# @$.#\n######\n", (RIGHT,), {(1, 2), (1, 3), (1, 4)}),
    "a tile": ("EightPuzzle-v0", "123\n405\n786\n", (RIGHT,), {(1, 1), (1, 2)}),
    "the last tile": ("EightPuzzle-v0", "123\n456\n708\n", (RIGHT,), {(2, 1), (2, 2)}),
    "a step": ("Bait-v0", "wwwww\nwA.kg\nwwwww\n", (RIGHT,), {(1, 1), (1, 2)}),
    "a step to the key": ("Bait-v0", "wwwww\nwAk.g\nwwwww\n", (RIGHT,), {(1, 1), (1, 2)}),
    "a box": ("Bait-v0", "wwwwwww\nwA1..kg\nwwwwwww\n", (RIGHT,), {(1, 1), (1, 2), (1, 3)}),
    "a box on the key": ("Bait-v0", "wwwwwww\nwA1k..g\nwwwwwww\n", (RIGHT,), {(1, 1), (1, 2), (1, 3)}),
    "a box off the key": ("Bait-v0", "wwwwwww\nwA%...g\nwwwwwww\n", (RIGHT,), {(1, 1), (1, 2), (1, 3)}),
    "a box into a hole": ("Bait-v0", "wwwwwww\nwA10.kg\nwwwwwww\n", (RIGHT,), {(1, 1), (1, 2), (1, 3)}),
    "a fall": ("Bait-v0", "wwwww\nwA0kg\nwwwww\n", (RIGHT,), {(1, 1), (1, 2)}),
    "a box off the closed goal": ("Bait-v0", "wwwwwww\nwA*..kw\nwwwwwww\n", (RIGHT,), {(1, 1), (1, 2), (1, 3)}),
    "the mouse": ("CatMouse-v0", "#####\n#M..#\n###E#\n#C###\n#####\n", (RIGHT,), {(1, 1), (1, 2)}),
    "to the cheese": ("CatMouse-v0", "####\n#ME#\n####\n#C##\n####\n", (RIGHT,), {(1, 1), (1, 2)}),
}

each_move = pytest.mark.parametrize(("id", "level", "actions", "squares"), MOVES.values(), ids=MOVES)
each_name = pytest.mark.parametrize("name", MOVES)


@each_move
def test_at_the_end_it_is_the_usual_picture(id, level, actions, squares):
    puzzle, (*_, last) = scenes(id, actions, levels=level)
    env = gym.make(id, levels=level, render_mode="rgb_array", tile_size=TILE)
    env.reset(seed=0)
    for action in actions:
        env.step(action)
    np.testing.assert_array_equal(Canvas(puzzle, TILE).picture(at(last, 1.0)), env.render())


@each_move
def test_at_the_beginning_everything_is_where_it_was(id, level, actions, squares):
    puzzle, (*_, last) = scenes(id, actions, levels=level)
    start, before = board(puzzle, at(last, 0.0)), board(puzzle, unmoved(last))
    if id == "Sokoban-v0":
        assert differing(start, before, level) <= {min(squares)}, "he may be pushing already"
    elif id == "EightPuzzle-v0":
        assert (start != before).any(axis=2).sum() < 0.08 * TILE**2, "only round corners show what is under the tile"
    else:
        np.testing.assert_array_equal(start, before)


@each_name
def test_on_the_way_only_what_moves_is_elsewhere(name):
    id, level, actions, squares = MOVES[name]
    puzzle, (*_, last) = scenes(id, actions, levels=level)
    before, after = board(puzzle, unmoved(last)), board(puzzle, last)
    pictures = [board(puzzle, at(last, phase)) for phase in (0.2, 0.5, 0.8)]
    shaded = squares | {(row + 1, column) for row, column in squares}
    for picture in pictures:
        assert differing(picture, before, level) <= shaded
        assert differing(picture, after, level) <= shaded or "last" in name, "a solved tray is green"
    assert len({picture.tobytes() for picture in (before, *pictures, after)}) == 5


def cat_steps(scene):
    """The squares of each cat before and after."""
    starts, cats = np.full(cat_rules.MOST_CATS, -1), int(scene.level[cat_rules.CATS])
    cat_picture.cat_starts(scene.level, scene.before, scene.state, starts)
    return list(zip(starts[:cats].tolist(), scene.state[cat_rules.CAT :][:cats].tolist(), strict=True))


def test_cats_are_paired_with_where_they_were():
    """The one on the right takes the place of the other, which moves on."""
    level = "M.E\n###\n.cc\n"
    puzzle, (first,) = scenes("CatMouse-v0", (), levels=level.replace("cc", "CC"))
    before, after = first.state.copy(), first.state.copy()
    before[cat_rules.CAT : cat_rules.CAT + 2] = (7, 8)
    after[cat_rules.CAT : cat_rules.CAT + 2] = (6, 7)
    moved = dataclasses.replace(first, before=before, state=after)
    assert cat_steps(moved) == [(7, 6), (8, 7)]
    pictures = [board(puzzle, at(moved, phase)) for phase in (0.0, 0.5, 1.0)]
    assert len({picture.tobytes() for picture in pictures}) == 3
    stayed = dataclasses.replace(moved, state=before)
    assert cat_steps(stayed) == [(7, 7), (8, 8)]
    elsewhere = dataclasses.replace(moved, before=np.where(before == 8, 1, before))
    assert cat_steps(elsewhere) == [(6, 6), (7, 7)], "it cannot have come through a wall"
