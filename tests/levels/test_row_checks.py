"""Rows from elsewhere: none reaches a kernel, which checks no array bounds, before the check of its puzzle.

``ROW_MUTANTS=200000`` tries so many rows with faults for each puzzle instead of 8,000.
"""

import contextlib
import json
import os
import pickle
import re
import weakref

import gymnasium as gym
import numpy as np
import pytest
from helpers import python, same
from row_mutants import LEVELS, change_row, guarded, mutants, valid_rows, write_folder

from gridpuzzles_gym.engine.compile.compilation import compiling_at_once
from gridpuzzles_gym.engine.levels import folder as level_folder
from gridpuzzles_gym.engine.levels import shard_copies
from gridpuzzles_gym.engine.levels.folder import LevelFolder
from gridpuzzles_gym.engine.levels.pool import pool_rows
from gridpuzzles_gym.engine.levels.row_check import check_digest, check_level, unsure
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Level, LevelError
from gridpuzzles_gym.puzzles.bait import rules as bait
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_mouse
from gridpuzzles_gym.puzzles.n_puzzle import rules as n_puzzle
from gridpuzzles_gym.puzzles.sokoban import rules as sokoban
from gridpuzzles_gym.puzzles.wumpus import rules as wumpus

MUTANTS = int(os.environ.get("ROW_MUTANTS", "8000"))
STEPS = 200
each_puzzle = pytest.mark.parametrize("name", LEVELS)

# For each puzzle and kind of attack, the numbers of a level row and of a state row that are changed.
ATTACKS = {
    "sokoban": {
        "a piece off the board": ({}, {sokoban.PLAYER: 30_003}),
        "a corrupt square": ({sokoban.CELLS + 3: sokoban.GOAL}, {}),
        "a corrupt size": ({sokoban.STRIDE: 1_000}, {}),
        "a corrupt counter": ({}, {sokoban.ASTRAY: 0}),
    },
    "bait": {
        "a piece off the board": ({}, {bait.AVATAR: -9}),
        "a corrupt square": ({bait.CELLS: 0}, {}),
        "a corrupt size": ({bait.STRIDE: -1}, {}),
        "a corrupt counter": ({}, {bait.GOALS: 0}),
    },
    "wumpus": {
        "a piece off the board": ({}, {wumpus.SQUARE: 30_003}),
        "a corrupt square": ({wumpus.CELLS: 511}, {}),
        "a corrupt size": ({wumpus.WIDTH: 30_000}, {}),
        "a corrupt counter": ({}, {wumpus.ENDING: wumpus.HOME}),
    },
    "n_puzzle": {
        "a piece off the board": ({}, {n_puzzle.BLANK: 30_003}),
        "a corrupt square": ({}, {n_puzzle.TILES: 16}),
        "a corrupt size": ({n_puzzle.HOMES_AT: 20_000}, {}),
        "a corrupt counter": ({}, {n_puzzle.MISPLACED: 0}),
    },
    "cat_mouse": {
        "a piece off the board": ({}, {cat_mouse.MOUSE: 30_003}),
        "a corrupt square": ({cat_mouse.CELLS: 15}, {}),
        "a corrupt size": ({cat_mouse.AHEAD: -30_000}, {}),
        "a corrupt counter": ({cat_mouse.CATS: 7}, {}),
    },
}


@pytest.fixture(autouse=True)
def no_copies(tmp_path, monkeypatch):
    """There are no copies of levels in the folder of the disk cache, nor open ones; machine code stays loaded."""
    monkeypatch.setattr(shard_copies, "cache_root", lambda: tmp_path / "cache")
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())
    (tmp_path / "cache").mkdir()


def attacked(folder, name, kind):
    puzzle, _, extent, _ = valid_rows(name)
    in_level, in_state = ATTACKS[name][kind]
    size = puzzle.sizes(extent)[0]
    change_row(folder, 13, in_level | {size + place: value for place, value in in_state.items()})


# -- attacks ---------------------------------------------------------------------------------------------


def by_path(id, folder):
    return lambda: gym.make_vec(id, num_envs=2, levels=str(folder))


def by_url(id, folder):
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for path in folder.iterdir():
        files.pipe_file(f"/attack/{folder.parent.name}/{path.name}", path.read_bytes())
    return lambda: gym.make(id, levels=f"memory://attack/{folder.parent.name}")


def by_pickle(id, folder):
    pickled = (folder / "pickle").read_bytes()  # of the folder before the attack, as another process receives it
    return lambda: pickle.loads(pickled)


@pytest.mark.parametrize("kind", ATTACKS["sokoban"])
@each_puzzle
def test_a_folder_with_invalid_rows_is_refused(name, kind, tmp_path):
    puzzle, _, extent, rows = valid_rows(name)
    rows = np.concatenate([rows] * (1 + 25 // len(rows)))[:25]
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows)
    gym.make_vec(LEVELS[name][0], num_envs=2, levels=str(folder)).reset(seed=0)  # with its copies, nothing is left
    (folder / "pickle").write_bytes(pickle.dumps(LevelFolder(puzzle, folder)))
    attacked(folder, name, kind)
    for compiled in (False, True):
        for route in (by_path, by_url, by_pickle):
            opened = route(LEVELS[name][0], folder)
            with compiling_at_once() if compiled else contextlib.nullcontext(), pytest.raises(LevelError) as error:
                opened()
            assert re.search(r"000001\.rows: level 4 in it is invalid: .", str(error.value))
            assert len(str(error.value).splitlines()) == 1
    digits = json.loads((folder / "levels.json").read_text())["shards"][1]["files"][".rows"]
    assert not [*(tmp_path / "cache" / "levels").glob(f"{digits}*")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extent": [10, 10, 10]}, "level 1 in it is invalid: the board has another size"),
        ({"extent": [10, 10, 10], "puzzle": "wumpus"}, "is damaged: there are no boards of extent (10, 10, 10)"),
        ({"extent": [10**9, 10**9]}, "there are no boards of extent"),
        ({"extent": [10**9, 10**9], "row": 10**18}, "is damaged: it is not a description of levels"),
        ({"extent": [1, 100]}, "level 1 in it is invalid"),
        ({"files": {".rows": "../../../etc/passwd"}}, "is damaged: it is not a description of levels"),
        ({"files": {".rows": "0" * 64, "/../x": "0" * 64}}, "is damaged: it is not a description of levels"),
        ({"levels": 2**31}, "is damaged: it is not a description of levels"),
    ],
)
def test_a_false_description_is_refused(change, message, tmp_path):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:10])
    contents = json.loads((folder / "levels.json").read_text())
    for key, value in change.items():
        (contents if key in contents else contents["shards"][0])[key] = value
    contents["shard_size"] = contents["shards"][0]["levels"]
    (folder / "levels.json").write_text(json.dumps(contents))
    with pytest.raises(LevelError, match=re.escape(message)):
        gym.make("Wumpus-v0" if contents["puzzle"] == "wumpus" else "Sokoban-v0", levels=str(folder))


def test_a_pipe_is_not_waited_for(tmp_path):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:10])
    (folder / "000000.rows").unlink()
    os.mkfifo(folder / "000000.rows")
    with pytest.raises(LevelError, match="cannot be read: it is not a file"):
        gym.make("Sokoban-v0", levels=str(folder))


BAD_BOARDS = [("@$.",), ("     ", "@$.  ", "     "), ("#####", "#.$.#", "#####"), ("#####", "#@$ #", "#####")]


@pytest.mark.parametrize("rows", BAD_BOARDS)
def test_a_level_that_no_text_describes_is_refused(rows):
    """A `Level` can have any content: it may come from a program, or from a pickle."""
    puzzle = valid_rows("sokoban")[0]
    good = find_levels(puzzle, "first")
    for count, at_once in ((0, False), (2_000, True)):
        levels = [*good[:1], *good[:1] * count, Level((3, 5), rows)]
        with pytest.raises(LevelError), compiling_at_once() if at_once else contextlib.nullcontext():
            gym.make_vec("Sokoban-v0", num_envs=1, levels=levels)


# -- the check -------------------------------------------------------------------------------------------


def accepted(puzzle, rows, extent, options):
    with compiling_at_once():
        rejected = set(unsure(puzzle, rows, len(rows), extent, options))
    return [k not in rejected for k in range(len(rows))]


def is_valid(puzzle, row, extent, options):
    size = puzzle.sizes(extent)[0]
    try:
        check_level(puzzle, row[:size], row[size:], extent, options)
    except ValueError:
        return False
    return True


@each_puzzle
def test_rows_of_levels_are_accepted(name):
    puzzle, options, extent, rows = valid_rows(name)
    assert all(accepted(puzzle, rows, extent, options))
    assert all(is_valid(puzzle, row, extent, options) for row in rows)


OPTIONS = {
    "sokoban": [{"reward": "boxoban"}, {"deadlocks": True}],
    "bait": [{"reward": "gvgai"}],
    "wumpus": [{"climb": True}, {"climb": True, "reward": "textbook"}],
    "n_puzzle": [{"goal": "spiral"}, {"goal": "blank-first"}],
    "cat_mouse": [{"cat_blocked": True}, {"cats": 1}, {"cats": 0}],
}


@each_puzzle
def test_rows_are_those_of_the_options(name):
    puzzle, plain, extent, rows = valid_rows(name)
    levels = [level for some in LEVELS[name][1] for level in find_levels(puzzle, some)]
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


@each_puzzle
def test_what_is_accepted_is_valid_and_can_be_played(name):
    """The two checks agree on rows with faults, and no index leaves its array in those that they accept."""
    puzzle, options, extent, rows = valid_rows(name)
    random, tried, played, count = np.random.default_rng(0), 0, 0, 0
    for seed in range(-(-MUTANTS // 20_000)):
        found = mutants(name, puzzle.sizes(extent)[0], rows, min(MUTANTS, 20_000), seed)
        good = accepted(puzzle, found, extent, options)
        for k, row in enumerate(found):
            if good[k] or tried < 500:
                assert good[k] == is_valid(puzzle, row, extent, options), (seed, k)
                tried += 1
        unchanged = {row.tobytes() for row in rows}
        new = [row for row, is_good in zip(found, good, strict=True) if is_good and row.tobytes() not in unchanged]
        for row in new[:12]:
            play(puzzle, row, extent, options, random)
            played += 1
        count += len(new)
    print(f"{name}: {MUTANTS:,} rows, {count:,} of them valid; {tried:,} checked twice, {played} played")
    assert tried > 500
    assert played > 10


def play(puzzle, row, extent, options, random):
    """Step a level with rules as plain Python and every index checked, observe it in all ways, and show it as text."""
    size, rules = puzzle.sizes(extent)[0], puzzle.rules
    level, start, rng = guarded(row[:size]), guarded(row[size:]), np.ones(1, np.uint64)
    actions = len(puzzle.actions(options))
    views = {}
    for name, observation in puzzle.observations.items():
        space = observation.space(extent)
        flat = (space.shape[0], -1) if len(space.shape) == 3 else space.shape
        views[name] = guarded(np.zeros(space.shape, space.dtype).reshape(flat))
    with np.errstate(over="ignore"):
        state = start.copy()
        if rules.begin is not None:
            rules.begin(level, state, rng)
        for observation, view in zip(puzzle.observations.values(), views.values(), strict=True):
            observation.observe(level, state, view)
        for _ in range(STEPS):
            before, action = state.copy(), int(random.integers(actions))
            for each in range(actions):
                rules.legal(level, state, each)
            _, done = rules.step(level, state, action, rng)
            rules.outcome(level, state)
            if puzzle.metrics is not None:
                puzzle.metrics.count(level, before, state, guarded(np.zeros(9, np.int64)))
            for observation, view in zip(puzzle.observations.values(), views.values(), strict=True):
                if observation.refresh is not None:
                    observation.refresh(level, before, state, view)
            puzzle.check_rows(np.array(level), np.array(state), options)
            if done:
                state = start.copy()
                for observation, view in zip(puzzle.observations.values(), views.values(), strict=True):
                    observation.observe(level, state, view)


@pytest.mark.extended
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.extended] * (name != "bait")) for name in LEVELS]
)
def test_machine_code_with_checked_bounds_plays_what_is_accepted(name, tmp_path):
    puzzle, options, extent, rows = valid_rows(name)
    found = mutants(name, puzzle.sizes(extent)[0], rows, min(MUTANTS, 20_000), 99)
    good = found[accepted(puzzle, found, extent, options)][:500]
    folder = write_folder(tmp_path / "levels", puzzle, extent, good, 100)
    code = f"""
import gymnasium as gym, numpy as np, gridpuzzles_gym
env = gym.make_vec({LEVELS[name][0]!r}, num_envs=64, levels={str(folder)!r}, max_episode_steps=30)
env.reset(seed=0)
random = np.random.default_rng(0)
for _ in range({STEPS} * 5):
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


# -- copies ----------------------------------------------------------------------------------------------


def counted(monkeypatch):
    """Count the shards that are checked."""
    calls, check = [], shard_copies.first_invalid
    monkeypatch.setattr(shard_copies, "first_invalid", lambda *given: calls.append(1) or check(*given))
    return calls


def test_a_shard_is_checked_once(tmp_path, monkeypatch):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:30])
    calls = counted(monkeypatch)
    first = LevelFolder(puzzle, folder)
    assert len(calls) == 3
    LevelFolder(puzzle, folder)
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())
    again = LevelFolder(puzzle, folder)  # as in another process
    assert len(calls) == 3
    assert all(np.array_equal(one, other) for one, other in zip(first._blocks, again._blocks, strict=True))
    moved = write_folder(tmp_path / "elsewhere", puzzle, extent, np.concatenate([rows[10:30], rows[:5]]))
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())
    LevelFolder(puzzle, moved)  # two of its shards are known
    assert len(calls) == 4


def test_an_edited_check_checks_again(tmp_path, monkeypatch):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:30])
    calls = counted(monkeypatch)
    LevelFolder(puzzle, folder)
    monkeypatch.setattr(shard_copies, "check_digest", lambda puzzle: check_digest(puzzle) + "edited")
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())
    LevelFolder(puzzle, folder)
    assert len(calls) == 6


def test_what_is_noted_in_the_folder_itself_is_not_believed(tmp_path):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:30])
    LevelFolder(puzzle, folder)
    attacked(folder, "sokoban", "a piece off the board")
    for file in (tmp_path / "cache" / "levels").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    with pytest.raises(LevelError, match="level 4 in it is invalid: the player's square is 30003"):
        LevelFolder(puzzle, folder)


def test_old_copies_are_removed(tmp_path, monkeypatch):
    puzzle, _, extent, rows = valid_rows("sokoban")
    one, other = (write_folder(tmp_path / name, puzzle, extent, rows[k : k + 10]) for k, name in enumerate("ab"))
    LevelFolder(puzzle, one)
    (copy,) = (tmp_path / "cache" / "levels").glob("*.rows")
    os.utime(copy, (0, 0))
    LevelFolder(puzzle, other)
    assert not copy.exists()
    assert len([*(tmp_path / "cache" / "levels").iterdir()]) == 2
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())
    assert len(LevelFolder(puzzle, one)) == 10


def test_a_folder_of_copies_that_others_can_write_to_is_not_used(tmp_path):
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:10])
    (tmp_path / "cache" / "levels").mkdir()
    (tmp_path / "cache" / "levels").chmod(0o777)
    with pytest.raises(LevelError, match="must belong to this user, and no other user may write to it"):
        LevelFolder(puzzle, folder)


def test_files_that_change_under_an_environment_do_not_matter(tmp_path):
    """In a process of its own: a read of a truncated file's memory map ends it with SIGBUS."""
    puzzle, _, extent, rows = valid_rows("sokoban")
    folder = write_folder(tmp_path / "levels", puzzle, extent, rows[:30])
    code = f"""
import glob, os, gymnasium as gym, numpy as np, gridpuzzles_gym
def steps(env):
    random = np.random.default_rng(0)
    seen = [env.reset(seed=3)[0]]
    return np.array(seen + [env.step(random.integers(4, size=16))[0] for _ in range(300)])
make = lambda: gym.make_vec("Sokoban-v0", num_envs=16, levels={str(folder)!r}, max_episode_steps=20)
wanted = steps(make())
env = make()
env.reset(seed=0)
truncated, rewritten, removed = glob.glob({str(folder / "*.rows")!r})
os.truncate(truncated, 0)
open(rewritten, "r+b").write(b"\\x7f" * os.path.getsize(rewritten))
os.remove(removed)
assert np.array_equal(steps(env), wanted)
print(len({{int(place) for place in env.unwrapped.batch.counters[0]}}) > 3)
"""
    assert python(code).strip() == "True"


@pytest.mark.parametrize("option", [{"cats": 2}, {"cats": 1}, {"cat_blocked": True, "cats": 2}])
@pytest.mark.parametrize("odd", [0, 3, 24])
def test_options_that_change_only_some_levels(option, odd, tmp_path):
    """Whether the rows suit the options depends on every one of them, also on those of the first few or the last."""
    puzzle = valid_rows("cat_mouse")[0]
    boards = ["; two\nMC.C.\n.....\n...E.\n", "; one\nMC...\n.....\n...E.\n"]
    texts = [boards[k == odd] for k in range(25)]
    levels = [level for text in texts for level in find_levels(puzzle, text)]
    plain = pool_rows(puzzle, levels, (3, 5), puzzle.read_options())
    folder = write_folder(tmp_path / "levels", puzzle, (3, 5), plain)
    envs = [gym.make_vec("CatMouse-v0", num_envs=30, levels=each, **option) for each in (str(folder), levels)]
    assert same(*(env.reset(seed=5) for env in envs))
    pools = [np.array([env.unwrapped.batch.pool.rows(k)[1] for k in range(25)]) for env in envs]
    assert np.array_equal(*pools)
    assert ((pools[0][:, cat_mouse.CAT :] >= 0).sum(1) == option["cats"]).all()
