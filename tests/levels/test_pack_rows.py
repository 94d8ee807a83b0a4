"""Large bundled packs come with rows that equal what their text gives, and are used only for that text."""

import io
import pickle

import gymnasium as gym
import numpy as np
import pytest
from helpers import same

from gridpuzzles_gym.commands.pack_rows import large_packs
from gridpuzzles_gym.engine.levels import bundled
from gridpuzzles_gym.engine.levels.bundled import PackRows, bundled_files, bundled_levels, pack_levels, write_rows
from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.puzzles.sokoban import PUZZLE


@pytest.fixture(scope="module")
def saved():
    stream = io.BytesIO()
    write_rows(PUZZLE, "starter", stream)
    return stream.getvalue()


def read(saved, text=b""):
    whole = bundled_files(PUZZLE)["starter"].read_bytes() + text
    return bundled._read_rows(PUZZLE, "starter", whole, io.BytesIO(saved))


def test_the_rows_are_those_of_the_text():
    for puzzle, name in large_packs():
        rows, levels = pack_levels(puzzle, name), bundled_levels(puzzle, name)
        assert isinstance(rows, PackRows), f"the text or the rules were edited since the last `make rows`: {name}"
        assert [level.name for level in rows] == [level.name for level in levels]
        for given in {}, {"reward": "boxoban", "deadlocks": True}:
            options = puzzle.read_options(**given)
            expected = pool_rows(puzzle, levels, rows.extent, options)
            assert np.array_equal(np.concatenate(rows.blocks(rows.extent, options)), expected)
        assert rows.blocks((12, 12), puzzle.read_options()) is None
        assert rows[7].content == levels[7].content


def test_a_pack_is_played_by_its_rows_as_by_its_levels():
    envs = [gym.make("Sokoban-v0", levels=levels) for levels in ("medium", list(bundled_levels(PUZZLE, "medium")))]
    assert isinstance(envs[0].unwrapped.config.levels, PackRows)
    for seed in range(20):
        assert same(*(env.reset(seed=seed) for env in envs))
        assert len({env.unwrapped.batch.scene(0).title for env in envs}) == 1
    again = pickle.loads(pickle.dumps(envs[0].unwrapped.config.levels))
    assert again is pack_levels(PUZZLE, "medium")


def test_rows_of_another_text_are_not_used(saved):
    assert isinstance(read(saved), PackRows)
    assert read(saved, b"\n") is None


def test_rows_by_other_rules_are_not_used(saved, monkeypatch):
    monkeypatch.setattr(bundled, "kernel_digest", lambda *arguments: "edited")
    assert read(saved) is None
    monkeypatch.setattr(bundled, "PYTHON", "2.7")  # whose byte code differs
    assert isinstance(read(saved), PackRows)


def test_levels_are_parsed_if_there_are_no_rows():
    assert pack_levels(PUZZLE, "first") == bundled_levels(PUZZLE, "first")
