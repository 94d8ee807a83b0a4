"""Caves as text: both ways, and what is said of one that cannot be."""

import functools

import helpers
import numpy as np
from helpers import same
from hypothesis import given
from hypothesis import strategies as st
from level_texts import TEXTBOOK_CAVE, caves

from gridpuzzles_gym.puzzles.wumpus import PUZZLE, rules

OPTIONS = PUZZLE.read_options()
rows_of = functools.partial(helpers.rows_of, PUZZLE)


@given(caves())
def test_text_and_rows_go_round(text):
    level, state = rows_of(text)
    again = PUZZLE.format(level, state)
    assert same(rows_of(again), (level, state))
    assert PUZZLE.format(*rows_of(again)) == again
    assert again.replace(">", "A").split() == text.replace(">", "A").split()


@given(caves(), st.integers(0, 3), st.integers(0, 3))
def test_a_smaller_cave_is_padded_with_rock(text, more_rows, more_columns):
    (level,) = PUZZLE.parse(text, "text")
    extent = (level.extent[0] + more_rows, level.extent[1] + more_columns)
    row, state = PUZZLE.encode(level, extent, OPTIONS)
    grid = row[rules.CELLS :].reshape(extent)
    own = PUZZLE.encode(level, level.extent, OPTIONS)[0][rules.CELLS :].reshape(level.extent)
    assert same(grid[: level.extent[0], : level.extent[1]].copy(), own)
    assert (grid[level.extent[0] :] == rules.WALL).all()
    assert (grid[:, level.extent[1] :] == rules.WALL).all()
    assert same(rows_of(PUZZLE.format(row, state)), (row, state))


def test_things_that_share_a_square():
    level, _ = rows_of(". GPW\n^ .\n")
    assert level[rules.CELLS + 1] & rules.PIT
    assert level[rules.CELLS + 1] & rules.WUMPUS
    assert level[rules.GOLD_AT] == 1


def test_what_a_cave_may_be_written_with():
    plain = rows_of(TEXTBOOK_CAVE)
    assert same(rows_of("\n".join(" ".join(line) for line in TEXTBOOK_CAVE.split("\n"))), plain)
    assert same(rows_of(TEXTBOOK_CAVE.replace("A", ">")), plain)
    assert same(rows_of("..P.\nA..G\n")[0][rules.CELLS + 2] & rules.PIT, np.int16(rules.PIT))
