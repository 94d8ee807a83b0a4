"""Level text, whatever the puzzle: the ways to write it, and that any text is levels or an error that says where.

Sokoban's, which comes in many formats, has tests of its own.
"""

import contextlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import pytest
from helpers import rows_of, same
from hypothesis import given, settings
from hypothesis import strategies as st
from level_texts import SPIRAL_TILES, TEXTBOOK_CAVE, bait_boards, caves, mazes, tile_boards

from gridpuzzles_gym.engine.levels import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError, Puzzle
from gridpuzzles_gym.puzzles import bait, cat_mouse, n_puzzle, wumpus

NOISE = " \n\n\r\t;:?^xZé²\x00\u2028"
"""What gets into texts by mistake."""


def check_cave(level, state):
    rules = wumpus.rules
    assert state[rules.SEEN :].sum() == 1
    assert not level[rules.CELLS + state[rules.SQUARE]] & (rules.PIT | rules.WUMPUS | rules.WALL)


def check_tiles(level, state):
    rules = n_puzzle.rules
    tiles = state[rules.TILES :]
    assert np.array_equal(np.sort(tiles), np.arange(len(tiles)))
    assert tiles[state[rules.BLANK]] == 0
    assert level[rules.HOMES_AT] == rules.MOVES + len(tiles)


def text_of_tiles(board):
    height, width, goal, tiles = board
    return n_puzzle.PUZZLE.format(*n_puzzle.boards.make_rows(tiles, goal, (height, width)))


class Texts(NamedTuple):
    """What a puzzle's level text is tried with."""

    puzzle: Puzzle
    symbols: str
    """Of its levels."""
    levels: st.SearchStrategy[str]
    """Text of one level."""
    samples: tuple[str, ...]
    """Texts that are changed in a few places."""
    titled: tuple[int, list[tuple[int, int]]]
    """Of the last sample, three levels: the line that the second begins in, and the extent of each."""
    check: Callable[[Any, Any], None] = lambda level, state: None
    """Asserts what holds for the rows of any level."""


TEXTS = {
    "Bait": Texts(
        bait.PUZZLE,
        "w.A01kgm%*KxX",
        bait_boards(8),
        ("wAw\nk.g\n", "; about all\n; one\nAkg\n\n\nA.\nkg\n;three\nK0g\n"),
        (6, [(1, 3), (2, 2), (1, 3)]),
    ),
    "CatMouse": Texts(
        cat_mouse.PUZZLE,
        "##..MCEcmxX",
        mazes(7),
        ("M.#\nC.E\n", "; about all\n; one\nM.E\n\n\nM.\nEC\n;three\nM.c\n"),
        (6, [(1, 3), (2, 2), (1, 3)]),
    ),
    "Wumpus": Texts(
        wumpus.PUZZLE,
        "AGWP.#^>v<",
        caves(),
        (
            TEXTBOOK_CAVE,
            "A.G\n",
            "; a cave\nA . G\n. PW #\n\nv.#\n..G\n",
            "; about all\n; one\nA.\n.G\n\n\nA.\n.G\n;three\nG.\n.A\n\n",
        ),
        (7, [(2, 2)] * 3),
        check_cave,
    ),
    "EightPuzzle": Texts(
        n_puzzle.PUZZLE,
        "0123456789 _.g",
        tile_boards().map(text_of_tiles),
        (
            SPIRAL_TILES,
            "; one\n1 2 3\n4 5 6\n7 _ 8\n\n1203\n",
            "134862705\n281043765\n",
            "; about all\n; one\n123\n456\n7_8\n\n\n123\n456\n_78\n;three\n12\n_3\n",
        ),
        (8, [(3, 3), (3, 3), (2, 2)]),
        check_tiles,
    ),
}
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


@settings(max_examples=200, deadline=None)
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


@settings(max_examples=400, deadline=None)
@each_puzzle
@given(st.data())
def test_any_text_is_levels_or_a_level_error(texts, data):
    text = data.draw(st.text(st.sampled_from(texts.symbols + NOISE), max_size=60) | st.text(max_size=60))
    read(texts, text)
    read(texts, text + "\n")
    if not os.path.exists(text):
        with contextlib.suppress(LevelError):
            find_levels(texts.puzzle, text)


@settings(max_examples=200, deadline=None)
@each_puzzle
@given(st.data())
def test_a_level_with_one_letter_changed_is_a_level_or_a_level_error(texts, data):
    level = data.draw(texts.levels)
    place = data.draw(st.integers(0, len(level) - 1))
    changed = level[:place] + data.draw(st.sampled_from(2 * texts.symbols + NOISE)) + level[place + 1 :]
    assert len(read(texts, changed)) <= 2


@settings(max_examples=300, deadline=None)
@each_puzzle
@given(st.data(), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=4))
def test_mutated_text_is_levels_or_a_level_error(texts, data, changes):
    text = data.draw(st.sampled_from(texts.samples))
    for place, remove in changes:
        text = text[:place] + data.draw(st.sampled_from(2 * texts.symbols + NOISE)) + text[place + remove :]
    read(texts, text)
