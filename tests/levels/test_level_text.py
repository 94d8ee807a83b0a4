"""Level text, whatever the puzzle: the ways to write it, and that any text is levels or an error that says where.

Sokoban's, which comes in many formats, has tests of its own.
"""

import contextlib
import os
import re

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, rows_of, same
from hypothesis import given
from hypothesis import strategies as st
from invalid_texts import INVALID
from level_texts import TEXTS, texts_of_symbols, texts_with_one_letter_changed

from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError

each_puzzle = pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)


# -- ways to write it ----------------------------------------------------------------------------


@each_puzzle
def test_titles_comments_and_many_levels(texts):
    line, extents = texts.titled
    levels = texts.puzzle.parse(texts.samples[-1], "pack.txt")
    assert [level.name for level in levels] == ["one", f"pack.txt:{line}", "three"]
    assert [level.extent for level in levels] == extents


@each_puzzle
def test_what_a_level_may_be_written_with(texts):
    text = texts.samples[0]
    plain = rows_of(texts.puzzle, text)
    for other in (
        text.replace("\n", "\r\n"),
        text.replace("\n", "  \n"),
        text[:-1],
        text[:-1].replace("\n", "  \n"),
        f"\n\n{text[:-1]}",
        f"\n\n{text}\n\n",
        f"\n\n; a title\n{text}\n\n",
    ):
        assert same(rows_of(texts.puzzle, other), plain), other


@pytest.mark.parametrize(
    ("id", "large", "small", "padded"),
    [
        ("Bait-v0", "A...\nk..g\n1..0\n", "Akg\n", "Akgw\nwwww\nwwww\n"),
        ("CatMouse-v0", "M...\nC..E\n", "M.E\n", "M.E#\n####\n"),
    ],
)
def test_smaller_levels_are_padded_with_walls(id, large, small, padded):
    env = gym.make(id, levels=[small, large]).unwrapped
    env.reset(seed=0, options={"level": small})
    scene = env.scene()
    assert env.puzzle.format(scene.level, scene.state) == padded


@pytest.mark.parametrize("name", ["Bait", "CatMouse", "EightPuzzle"])
@given(st.data(), st.lists(st.integers(0, 3), max_size=20), st.integers(1, 2**60))
def test_text_and_rows_go_round(name, data, actions, word):
    """At the start, and wherever a game goes on from there."""
    puzzle, text = TEXTS[name].puzzle, data.draw(TEXTS[name].levels)
    level, state = rows_of(puzzle, text)
    assert puzzle.format(level, state) == text
    rng = np.array([word], np.uint64)
    for action in actions:
        if puzzle.rules.step(level, state, action, rng)[1]:
            break
        assert same(rows_of(puzzle, puzzle.format(level, state)), (level, state))


# -- invalid text --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INVALID)
def test_what_is_invalid_is_said_with_its_place(name):
    puzzle, wrong = PUZZLES[name], []
    for text, message in INVALID[name]:
        said = ""
        try:
            for level in puzzle.parse(text, "t"):
                puzzle.encode(level, level.extent, puzzle.read_options())
        except LevelError as error:
            said = str(error)
        wrong += [] if re.match(message, said) else [(text, message, said)]
    assert wrong == []


# -- any text ------------------------------------------------------------------------------------


def read(texts, text):
    """The levels in a text, once all is seen to be well with them; none where it is refused. Nothing else is raised."""
    puzzle, options = texts.puzzle, texts.puzzle.read_options()
    levels, rows, fault = [], [], ""
    try:
        levels = puzzle.parse(text, "fuzz")
        rows = [puzzle.encode(level, level.extent, options) for level in levels]
    except LevelError as error:
        fault = str(error)
    assert not fault or fault.startswith("fuzz:")
    for level, state in rows:
        texts.check(level, state)
        assert same(rows_of(puzzle, puzzle.format(level, state)), (level, state))
    return levels


@each_puzzle
@given(st.data())
def test_any_text_is_levels_or_a_level_error(texts, data):
    text = data.draw(texts_of_symbols(texts) | st.text(max_size=60))
    read(texts, text)
    read(texts, text + "\n")
    if not os.path.exists(text):
        with contextlib.suppress(LevelError):
            find_levels(texts.puzzle, text)


@each_puzzle
@given(st.data())
def test_a_level_with_one_letter_changed_is_a_level_or_a_level_error(texts, data):
    assert len(read(texts, data.draw(texts_with_one_letter_changed(texts)))) <= 2
