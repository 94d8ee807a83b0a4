"""Packs read and encoded at once: equal to level by level, and left to that where anything is unusual."""

import importlib.resources

import numpy as np
import pytest

from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE, packs

TEXT = (importlib.resources.files("gridpuzzles_gym.levels") / "sokoban" / "starter-test.txt").read_text()
FIRST = "; one\n########\n#@ $. ##\n#  #   #\n########\n\n"


@pytest.fixture
def eager(monkeypatch):
    """Even small packs are read at once."""
    monkeypatch.setattr(packs, "MANY", 10)
    monkeypatch.setattr(packs, "WORTH", 0)


def one_by_one(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "MANY", 10**9)
        return PUZZLE.parse(text, "here")


def test_a_pack_is_read_as_its_levels_are(eager):
    text = TEXT + "\n" + FIRST
    assert packs.read_pack(text) == one_by_one(text) == PUZZLE.parse(text, "here")
    assert len(packs.read_pack(text)) == 101


@pytest.mark.parametrize("options", [{}, {"reward": "boxoban", "deadlocks": True}])
def test_a_pack_is_encoded_as_its_levels_are(eager, options, monkeypatch):
    options, levels = PUZZLE.read_options(**options), one_by_one(TEXT)
    monkeypatch.setattr(packs, "_SLICE", 30)
    rows = packs.encode_many(levels, (9, 11), options)
    for k, level in enumerate(levels):
        for row, wanted in zip(rows, PUZZLE.encode(level, (9, 11), options), strict=True):
            assert (row[k] == wanted).all()
    assert np.array_equal(pool_rows(PUZZLE, levels, (9, 11), options), np.concatenate(rows, axis=1))


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("#@ $. ##", "#@ $.@##", True),  # a second player
        ("#@ $. ##", "#  $. ##", True),  # none
        ("#@ $. ##", "#@ *  ##", True),  # solved
        ("#@ $. ##", "#@ $..##", True),  # a goal too many
        ("#@ $. ##", "#$@ . ##", True),  # stuck
        ("#@ $. ##", "#@ $.   ", True),  # open
        ("#@ $. ##", "#@ $.x##", True),  # an unknown symbol
        ("#@ $. ##", "#@ $.## ", False),  # a row that ends in a blank
        ("#  #   #", "#  # # #", False),  # floor that nobody reaches
        ("; one", "; Author: me", False),
        ("; one\n", "", False),
    ],
)
def test_what_is_unusual_is_left_to_the_parser(eager, old, new, wrong):
    text = TEXT + "\n" + FIRST.replace(old, new)
    assert packs.read_pack(text) is None
    if wrong:
        with pytest.raises(LevelError, match=r"^here:\d+:\d+: "):
            PUZZLE.parse(text, "here")
    else:
        assert PUZZLE.parse(text, "here") == one_by_one(text)
