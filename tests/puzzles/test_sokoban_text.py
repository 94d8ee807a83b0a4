"""Sokoban boards as text and rows: both ways, and what is said of a level that cannot be."""

import random

import gymnasium as gym
import numpy as np
import pytest
from helpers import REPOSITORY, same
from hypothesis import given
from hypothesis import strategies as st
from sokoban_boards import random_rows

from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE, boards, rules
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd, write_lurd

OPTIONS = PUZZLE.read_options()
DATA = REPOSITORY.parent / "shared" / "data" / "sokoban"
seeds = st.integers(0, 2**32)


def level_of(text, source="text"):
    (level,) = PUZZLE.parse(text, source)
    return level


def rows_of(text, extent=None, options=OPTIONS):
    level = level_of(text)
    return PUZZLE.encode(level, extent or level.extent, options)


def text_of(rows):
    return "".join(f"{row}\n" for row in rows)


# -- both ways -----------------------------------------------------------------------------------


@given(seeds, st.integers(0, 3), st.integers(0, 3))
def test_text_and_rows_go_round(seed, more_rows, more_columns):
    text = text_of(random_rows(seed))
    level = level_of(text)
    extent = (level.extent[0] + more_rows, level.extent[1] + more_columns)
    row, state = PUZZLE.encode(level, extent, OPTIONS)
    again = PUZZLE.format(row, state)
    assert same(rows_of(again, extent), (row, state))
    assert PUZZLE.format(*rows_of(again)) == again


@given(seeds)
def test_rows_are_finished_as_the_rules_have_it(seed):
    """Loading uses them compiled; here they are interpreted."""
    rng = random.Random(seed)
    height, width = rng.randint(3, 8), rng.randint(3, 8)
    walls = np.ones((height, width), bool)
    walls[1:-1, 1:-1] = np.array([[rng.random() < 0.2 for _ in range(width - 2)] for _ in range(height - 2)])
    goals, crates = (
        ~walls & (np.array([rng.random() for _ in range(walls.size)]) < 0.2).reshape(walls.shape) for _ in "ab"
    )
    level, state = boards.make_rows(walls, goals, crates, width + 1, OPTIONS)
    twin, start = level.copy(), state.copy()
    rules.finish(twin, start)
    assert same((level, state), (twin, start))
    assert boards.is_stuck(level, state) == bool(rules.stuck(level, state))
    assert all(map(np.array_equal, boards.squares_of(level, state), (walls, goals, crates)))


def test_what_the_player_cannot_reach_is_wall():
    level, state = rows_of("  ######\n  #@$.####\n  #  # **#\n  #######\n")
    assert PUZZLE.format(level, state) == "#####\n#@$.#\n#  ##\n#####\n"
    assert level[rules.COUNT] == 1
    walls, goals, crates = boards.squares_of(level, state)
    assert (~walls).sum() == 5
    assert (goals.sum(), crates.sum()) == (1, 1)


def test_a_board_in_play_is_formatted_as_it_is_now():
    env = gym.make("Sokoban-v0", levels="######\n#@$ .#\n######\n").unwrapped
    env.reset(seed=0)
    env.step(3)
    scene = env.batch.scene(0)
    assert PUZZLE.format(scene.level, scene.state) == "######\n# @$.#\n######\n"
    env.step(3)
    scene = env.batch.scene(0)
    with pytest.raises(LevelError, match="solved already"):
        PUZZLE.parse(PUZZLE.format(scene.level, scene.state), "text")


# -- solutions -----------------------------------------------------------------------------------


@given(seeds, st.lists(st.integers(0, 3), max_size=40))
def test_solutions_go_round(seed, actions):
    level, state = rows_of(text_of(random_rows(seed)))
    lurd = write_lurd(level, state, actions)
    assert read_lurd(lurd) == actions
    assert lurd.lower() == "".join("udlr"[action] for action in actions)


def test_a_solution_that_cannot_be():
    with pytest.raises(ValueError, match="'q' is not a move"):
        read_lurd("rr\nuq")


# -- loading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("boxoban_unfiltered_test_000-299.xsb", 300),
        ("boxoban_hard_000-199.xsb", 200),
        ("microban_1_155.xsb", 155),
        ("xsokoban_01-15.xsb", 15),
    ],
)
def test_the_collections_of_others_load(name, count):
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not next to this repository")
    levels = find_levels(PUZZLE, DATA / name)
    assert len(levels) == count
    for level in levels:
        row, state = PUZZLE.encode(level, level.extent, OPTIONS)
        assert same(rows_of(PUZZLE.format(row, state), level.extent), (row, state))
    if name.startswith("boxoban"):
        assert {level.extent for level in levels} == {(10, 10)}
