"""Files of rows: played as their levels are; and no row reaches a kernel, which checks no array bounds, unchecked.

``ROW_MUTANTS=200000`` tries so many rows with faults for each puzzle instead of 8,000.
"""

import io
import os
import pickle
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, python, same
from row_mutants import LEVELS, guarded, mutants, valid_rows

from gridpuzzles_gym.cli.pack_rows import large_packs
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.levels import bundled
from gridpuzzles_gym.engine.levels.bundled import bundled_files, bundled_levels, pack_levels, write_pack_rows
from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.engine.levels.rows import StoredLevels, check_level, make_row_check, read_row_file, write_rows
from gridpuzzles_gym.engine.levels.sources import find_levels, write_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.bait import rules as bait
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_mouse
from gridpuzzles_gym.puzzles.n_puzzle import rules as n_puzzle
from gridpuzzles_gym.puzzles.sokoban import rules as sokoban
from gridpuzzles_gym.puzzles.wumpus import rules as wumpus

MUTANTS = int(os.environ.get("ROW_MUTANTS", "8000"))
each_puzzle = pytest.mark.parametrize("name", LEVELS)

# For each puzzle, the numbers of a level row and of a state row that are changed: a piece off the board, a corrupt
# square, a corrupt size, a corrupt counter.
ATTACKS = {
    "sokoban": [
        ({}, {sokoban.PLAYER: 30_003}),
        ({sokoban.CELLS + 3: sokoban.GOAL}, {}),
        ({sokoban.STRIDE: 1_000}, {}),
        ({}, {sokoban.ASTRAY: 0}),
    ],
    "bait": [({}, {bait.AVATAR: -9}), ({bait.CELLS: 0}, {}), ({bait.STRIDE: -1}, {}), ({}, {bait.GOALS: 0})],
    "wumpus": [
        ({}, {wumpus.SQUARE: 30_003}),
        ({wumpus.CELLS: 511}, {}),
        ({wumpus.WIDTH: 30_000}, {}),
        ({}, {wumpus.ENDING: wumpus.HOME}),
    ],
    "n_puzzle": [
        ({}, {n_puzzle.BLANK: 30_003}),
        ({}, {n_puzzle.TILES: 16}),
        ({n_puzzle.HOMES_AT: 20_000}, {}),
        ({}, {n_puzzle.MISPLACED: 0}),
    ],
    "cat_mouse": [
        ({}, {cat_mouse.MOUSE: 30_003}),
        ({cat_mouse.CELLS: 15}, {}),
        ({cat_mouse.AHEAD: -30_000}, {}),
        ({cat_mouse.CATS: 7}, {}),
    ],
}


def write(path, puzzle, extent, rows):
    with path.open("wb") as stream:
        write_rows(stream, puzzle, extent, rows, [f"level {number}" for number in range(len(rows))])
    return path


# -- what is played --------------------------------------------------------------------------------------


@each_puzzle
def test_a_file_is_played_as_its_levels_are(name, tmp_path):
    puzzle, _, extent, rows = valid_rows(name)
    rows = rows[:12]
    path = write(tmp_path / "levels.npz", puzzle, extent, rows)
    found = find_levels(puzzle, path)
    assert [level.name for level in found] == [f"level {number}" for number in range(len(rows))]
    both = [gym.make_vec(LEVELS[name][0], num_envs=5, levels=levels) for levels in (str(path), found)]
    assert isinstance(both[0].unwrapped.config.levels, StoredLevels)
    assert same(*(env.reset(seed=5) for env in both))
    moves = np.random.default_rng(0)
    for _ in range(20):
        actions = moves.integers(both[0].single_action_space.n, size=5)
        assert same(*(env.step(actions) for env in both))
    levels = both[0].unwrapped.config.levels
    assert pickle.loads(pickle.dumps(levels)) is read_row_file(puzzle, path)
    assert [levels[-1].name, len(levels[:2])] == [found[-1].name, min(2, len(rows))]
    with pytest.raises(IndexError, match=f"there is no level {len(rows)}"):
        levels[len(rows)]


def test_other_options_and_levels_of_several_sizes(tmp_path):
    puzzle = PUZZLES["sokoban"]
    boards = ["\n".join(level.content) for level in find_levels(puzzle, "first")[:5]]
    path = tmp_path / "some.npz"
    write_levels(puzzle, path, list("abcde"), boards)
    env, plain = (
        gym.make("Sokoban-v0", levels=levels, reward="boxoban") for levels in (path, find_levels(puzzle, path))
    )
    for seed in range(5):
        assert same(env.reset(seed=seed), plain.reset(seed=seed))
        assert same(env.step(1)[1], plain.step(1)[1])
    stored = read_row_file(puzzle, path)
    assert stored.rows_for((30, 30), puzzle.read_options()) is None
    with pytest.raises(LevelError, match="levels of the puzzle 'sokoban', not of Bait"):
        gym.make("Bait-v0", levels=path)


# -- bundled packs ---------------------------------------------------------------------------------------


def test_rows_of_bundled_packs_are_those_of_their_texts():
    puzzle = PUZZLES["sokoban"]
    names = [Path(file.name).stem for file in bundled.pack_folder(puzzle).iterdir() if file.name.endswith(".npz")]
    assert len(names) == 4
    for name in names:
        stored = pack_levels(puzzle, name)
        assert isinstance(stored, StoredLevels), f"the text was edited since the last `make rows`: {name}"
        text = "\n\n".join(bundled_files(puzzle)[name].read_text().split("\n\n")[:20]) + "\n"
        levels = puzzle.parse(text, name)
        assert list(stored.titles[:20]) == [level.name for level in levels]
        expected = pool_rows(puzzle, levels, stored.extent, puzzle.read_options())
        assert np.array_equal(stored.rows[:20], expected), f"the rules were edited: `make rows`: {name}"
    assert pickle.loads(pickle.dumps(stored)) is stored
    assert pack_levels(puzzle, "first") == bundled_levels(puzzle, "first")


@pytest.mark.compiled
@pytest.mark.extended
def test_all_rows_of_bundled_packs_and_rows_of_another_text():
    assert len(list(large_packs())) == 4
    for puzzle, name in large_packs():
        stored, levels = pack_levels(puzzle, name), bundled_levels(puzzle, name)
        for given in {}, {"reward": "boxoban", "deadlocks": True}:
            options = puzzle.read_options(**given)
            expected = pool_rows(puzzle, levels, stored.extent, options)
            assert np.array_equal(stored.rows_for(stored.extent, options), expected)
    stream, puzzle = io.BytesIO(), PUZZLES["sokoban"]
    write_pack_rows(puzzle, "starter", stream)
    text = bundled_files(puzzle)["starter"].read_bytes()
    for content, used in ((text, True), (text + b"\n", False)):
        found = bundled._read_rows(puzzle, "starter", content, io.BytesIO(stream.getvalue()))
        assert (found is not None) == used


# -- attacks ---------------------------------------------------------------------------------------------


@each_puzzle
def test_a_file_with_invalid_rows_is_refused(name, tmp_path):
    puzzle, _, extent, rows = valid_rows(name)
    size = puzzle.row_lengths(extent)[0]
    for number, (in_level, in_state) in enumerate(ATTACKS[name]):
        attacked = np.array(rows[:3])
        for place, value in (in_level | {size + place: value for place, value in in_state.items()}).items():
            attacked[len(attacked) - 1, place] = value
        path = write(tmp_path / f"{number}.npz", puzzle, extent, attacked)
        with pytest.raises(LevelError) as error:
            gym.make(LEVELS[name][0], levels=path)
        assert re.search(rf"{number}\.npz: level {len(attacked)} in it is invalid: .", str(error.value))
        assert len(str(error.value).splitlines()) == 1


def test_a_damaged_file_is_refused(tmp_path):
    puzzle, _, extent, rows = valid_rows("sokoban")
    rows = rows[:3]
    good = {"rows": rows, "titles": np.array(list("abc")), "extent": np.array(extent), "puzzle": np.array("sokoban")}
    path = tmp_path / "levels.npz"
    found = []
    for number, (change, message) in enumerate(
        (
            ({"extent": np.array([10, 10, 10])}, "level 1 in it is invalid: the board has another size"),
            ({"extent": np.array([10**9, 10**9])}, "there are no boards of extent"),
            ({"extent": np.array([extent[1] * extent[0], 1])}, "level 1 in it is invalid"),
            ({"rows": rows[:, :-1]}, "its rows must be int16"),
            ({"rows": rows.astype(np.int32)}, "its rows must be int16"),
            ({"rows": rows[:0], "titles": np.array([], "U1")}, "has no levels"),
            ({"titles": np.array(list("ab"))}, "is damaged"),
            ({"titles": np.array([{}, {}, {}], object)}, "is not a file of levels, or is damaged"),
            ({"puzzle": np.array("chess")}, "levels of the puzzle 'chess', not of Sokoban"),
        )
    ):
        np.savez(path, **{**good, **change, "number": np.array([0] * number)})  # another size: no cached levels
        with pytest.raises(LevelError) as error:
            read_row_file(puzzle, path)
        found += [] if message in str(error.value) else [(message, str(error.value))]
    assert found == []
    for content in (b"", b"PK\x03\x04", path.read_bytes()[:-100]):
        path.write_bytes(content)
        with pytest.raises(LevelError, match="is not a file of levels, or is damaged"):
            gym.make("Sokoban-v0", levels=path)


# -- the check -------------------------------------------------------------------------------------------


def accepted(puzzle, rows, extent, options):
    """Which rows the check of many rows accepts: as machine code, or as plain Python with every index checked."""
    check = kernel(make_row_check, puzzle)
    own = [np.zeros(size, np.int16) for size in puzzle.row_lengths(extent)]
    settings, found, place = puzzle.row_check.settings(options, extent), [], -1
    with np.errstate(over="ignore"):
        while (place := check(settings, rows, *own, place + 1)) < len(rows):
            found.append(place)
    return [k not in found for k in range(len(rows))]


def is_valid(puzzle, row, extent, options):
    size = puzzle.row_lengths(extent)[0]
    try:
        check_level(puzzle, row[:size], row[size:], extent, options)
    except ValueError:
        return False
    return True


OPTIONS = {
    "sokoban": [{"reward": "boxoban"}, {"deadlocks": True}],
    "bait": [{"reward": "gvgai"}],
    "wumpus": [{"climb": True}, {"climb": True, "reward": "textbook"}],
    "n_puzzle": [{"goal": "spiral"}, {"goal": "blank-first"}],
    "cat_mouse": [{"cat_blocked": True}, {"cats": 1}, {"cats": 0}],
}


@each_puzzle
def test_rows_of_levels_are_accepted_with_their_options_only(name):
    puzzle, plain, extent, rows = valid_rows(name)
    rows = rows[:20]
    assert all(accepted(puzzle, rows, extent, plain))
    levels = [level for some in LEVELS[name][1] for level in find_levels(puzzle, some)[:20]]
    for settings in OPTIONS[name]:
        options = puzzle.resolve_options(puzzle.read_options(**settings), extent, ())
        own = []
        for level in levels:
            try:
                own.append(np.concatenate(puzzle.encode(level, extent, options)))
            except LevelError:
                continue
        for each in (np.array(own, np.int16).reshape(-1, rows.shape[1]), rows):
            for asked in (options, plain):
                assert accepted(puzzle, each, extent, asked) == [is_valid(puzzle, row, extent, asked) for row in each]


def check_mutants(name, count, twice, played):
    """The two checks agree on rows with faults, and no index leaves its array in those that they accept."""
    puzzle, options, extent, rows = valid_rows(name)
    random = np.random.default_rng(0)
    for seed in range(-(-count // 20_000)):
        found = mutants(name, puzzle.row_lengths(extent)[0], rows, min(count, 20_000), seed)
        good = accepted(puzzle, found, extent, options)
        for k, row in enumerate(found):
            if good[k] or k < twice:
                assert good[k] == is_valid(puzzle, row, extent, options), (seed, k)
        unchanged = {row.tobytes() for row in rows}
        new = [row for row, is_good in zip(found, good, strict=True) if is_good and row.tobytes() not in unchanged]
        for row in new[:played]:
            play(puzzle, row, extent, options, random)


@each_puzzle
def test_what_is_accepted_is_valid_and_can_be_played(name):
    check_mutants(name, 300, 100, 1)


@pytest.mark.compiled
@pytest.mark.extended
@each_puzzle
def test_what_machine_code_accepts_is_valid_and_can_be_played(name):
    check_mutants(name, MUTANTS, 500, 12)


def play(puzzle, row, extent, options, random, steps=60):
    """Step a level with rules as plain Python and every index checked, observe it in all ways, and check its rows."""
    size, rules = puzzle.row_lengths(extent)[0], puzzle.rules
    level, start, rng = guarded(row[:size]), guarded(row[size:]), np.ones(1, np.uint64)
    actions = len(puzzle.actions(options))
    views = []
    for observation in puzzle.observations.values():
        space = observation.space(extent)
        flat = (space.shape[0], -1) if len(space.shape) == 3 else space.shape
        views.append((observation, guarded(np.zeros(space.shape, space.dtype).reshape(flat))))
    with np.errstate(over="ignore"):
        state = start.copy()
        if rules.begin is not None:
            rules.begin(level, state, rng)
        for observation, view in views:
            observation.observe(level, state, view)
        for _ in range(steps):
            before, action = state.copy(), int(random.integers(actions))
            for each in range(actions):
                rules.legal(level, state, each)
            _, done = rules.step(level, state, action, rng)
            rules.outcome(level, state)
            if puzzle.metrics is not None:
                puzzle.metrics.count(level, before, state, guarded(np.zeros(9, np.int64)))
            for observation, view in views:
                if observation.refresh is not None:
                    observation.refresh(level, before, state, view)
            puzzle.check_rows(np.array(level), np.array(state), options)
            if done:
                state = start.copy()
                for observation, view in views:
                    observation.observe(level, state, view)


@pytest.mark.extended
@each_puzzle
def test_machine_code_with_checked_bounds_plays_what_is_accepted(name, tmp_path):
    puzzle, options, extent, rows = valid_rows(name)
    found = mutants(name, puzzle.row_lengths(extent)[0], rows, 1000, 99)
    good = found[accepted(puzzle, found, extent, options)][:500]
    path = write(tmp_path / "levels.npz", puzzle, extent, good)
    code = f"""
import gymnasium as gym, numpy as np, gridpuzzles_gym
env = gym.make_vec({LEVELS[name][0]!r}, num_envs=64, levels={str(path)!r}, max_episode_steps=30)
env.reset(seed=0)
random = np.random.default_rng(0)
for _ in range(1000):
    env.step(random.integers(env.single_action_space.n, size=64))
env.unwrapped.batch.states[3] = 30_000
env.unwrapped.batch.levels[:] = 3
try:
    env.step(np.full(64, 2))
    print("no error")
except IndexError:
    print("checked")
"""
    assert python(code, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path / "checked")).strip() == "checked"
