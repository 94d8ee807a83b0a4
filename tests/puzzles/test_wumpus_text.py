"""Caves as text: both ways, and what is said of one that cannot be."""

import functools

import gymnasium as gym
import helpers
import numpy as np
import pytest
from helpers import same
from hypothesis import given
from hypothesis import strategies as st
from invalid_texts import INVALID_CAVES
from level_texts import TEXTBOOK_CAVE, caves

from gridpuzzles_gym.engine.puzzle import LevelError
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


@given(st.integers(1, 2**64 - 1), st.integers(2, 7), st.integers(2, 7), st.sampled_from([None, 0.3]))
def test_generated_caves_round_trip(seed, width, height, probability):
    options = PUZZLE.read_options(size=(width, height), pits=min(2, width * height - 3), pit_probability=probability)
    level, state = (np.zeros(size, np.int16) for size in PUZZLE.sizes((height, width)))
    rules.generate(PUZZLE.generation.settings(options), np.array([seed], np.uint64), level, state)
    assert same(rows_of(PUZZLE.format(level, state)), (level, state))


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


# -- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "message"), INVALID_CAVES, ids=repr)
def test_a_cave_that_cannot_be(text, message):
    with pytest.raises(LevelError, match=message):
        PUZZLE.parse(text, "t")


@pytest.fixture
def write(tmp_path):
    def written(content, name="cave.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def test_a_file_is_named_in_its_errors(write):
    path = write("A.G\n.x.\n")
    for levels in (path, str(path), [path]):
        with pytest.raises(LevelError, match=r"cave\.txt:2:2: unknown symbol 'x'"):
            gym.make("Wumpus-v0", levels=levels)
        with pytest.raises(LevelError, match=r"cave\.txt:2:2: unknown symbol 'x'"):
            gym.make_vec("Wumpus-v0", num_envs=2, levels=levels)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no level in"),
        (b"; nothing but a comment\n\n", "no level in"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", r"cave\.txt is not UTF-8 text"),
        (b"\x00\x00\x00", r"cave\.txt:1:1: unknown symbol '\\x00'"),
    ],
    ids=["empty", "comment", "binary", "zeros"],
)
def test_a_file_without_a_cave(write, content, message):
    with pytest.raises(LevelError, match=message):
        gym.make("Wumpus-v0", levels=write(content))


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(
        LevelError, match=r"no levels .*missing\.txt.*: not a file or folder; the bundled packs of .* are 'textbook'"
    ):
        gym.make("Wumpus-v0", levels=tmp_path / "missing.txt")


# -- caves in play -------------------------------------------------------------------------------


def test_rectangular_caves():
    env = gym.make("Wumpus-v0", levels="A.....G\n.......\n", observation="planes")
    assert env.observation_space.shape == (14, 2, 7)
    assert gym.make("Wumpus-v0", size=(7, 2), observation="planes").observation_space.shape == (14, 2, 7)
