"""Level folders: made in shards, restartable after any kill, played from disk as if they were in memory."""

import os
import pickle
import signal
import subprocess
import sys
import time
import weakref

import gymnasium as gym
import numpy as np
import pytest
from helpers import same
from row_mutants import change_row

from gridpuzzles_gym import cli
from gridpuzzles_gym.agents.identity import key_of
from gridpuzzles_gym.agents.level_sources.known_levels import KnownLevels
from gridpuzzles_gym.commands.generation import shards as level_shards
from gridpuzzles_gym.engine.levels import folder as level_folder
from gridpuzzles_gym.engine.levels import shard_copies
from gridpuzzles_gym.engine.levels.folder import LevelFolder, damages, read_contents
from gridpuzzles_gym.engine.levels.sources import find_levels, level_source
from gridpuzzles_gym.engine.puzzle import LevelError, load_puzzle
from gridpuzzles_gym.engine.system.stores import open_store

SMALL = ["--size", "7", "--boxes", "2", "--simulations", "10", "--evaluation", "displacement"]
OF = {
    "sokoban": ("Sokoban-v0", SMALL),
    "bait": ("Bait-v0", ["--size", "7"]),
    "wumpus": ("Wumpus-v0", ["--size", "5"]),
    "15-puzzle": ("FifteenPuzzle-v0", ["--set", "scramble=20"]),
    "cat-mouse": ("CatMouse-v0", ["--size", "9"]),
}


def generate(puzzle, out, *more, count=25, size=10, given=None):
    own = OF[puzzle][1] if given is None else given
    words = ["generate", puzzle, *own, "--count", count, "--shards", "--shard-size", size, "--out", out, *more]
    return cli.run([*map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("levels") / "small"
    assert generate("sokoban", out, "--workers", 1) == 0
    return out


@pytest.fixture
def no_copies(tmp_path, monkeypatch):
    """There are no copies of levels in the folder of the disk cache, nor open ones."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(shard_copies, "cache_root", lambda: tmp_path / "cache")
    monkeypatch.setattr(level_folder, "_OPEN", weakref.WeakValueDictionary())


SOKOBAN = load_puzzle("gridpuzzles_gym.puzzles.sokoban")


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("puzzle", OF)
def test_a_folder_is_played_as_its_levels_are(puzzle, tmp_path):
    id, _ = OF[puzzle]
    out = tmp_path / "made"
    assert generate(puzzle, out, "--workers", 1) == 0
    record = load_puzzle(gym.spec(id).kwargs["puzzle"])
    texts = [file.read_text() for file in sorted(out.glob("*.txt"))]
    assert [len(record.parse(text, "shard")) for text in texts] == [10, 10, 5]
    found = [level for text in texts for level in record.parse(text, "shard")]
    both = [gym.make_vec(id, num_envs=40, levels=levels) for levels in (str(out), found)]
    assert isinstance(both[0].unwrapped.config.levels, LevelFolder)
    seen = [env.reset(seed=5) for env in both]
    assert same(*seen)
    moves = np.random.default_rng(0)
    for _ in range(200):
        actions = moves.integers(both[0].single_action_space.n, size=40)
        assert same(*(env.step(actions) for env in both))
    places = {int(place) for place in both[0].unwrapped.batch.counters[0]}
    assert len(places) > 10
    assert max(places) > 19  # of all shards
    single = gym.make(id, levels=str(out))
    single.reset(seed=1)
    assert (
        record.format(*single.unwrapped.batch.pool.rows(3)).split()
        == record.format(*single.unwrapped.batch.encode(found[3])).split()
    )


def test_a_folder_is_one_file_in_parts(folder, tmp_path):
    out = tmp_path / "small.txt"
    assert cli.run(["generate", "sokoban", *SMALL, "--count", "25", "--out", str(out), "--workers", "1"]) == 0
    assert "".join(file.read_text() for file in sorted(folder.glob("*.txt"))).split() == out.read_text().split()
    table = out.with_suffix(".csv").read_text().splitlines()
    rows = [row for file in sorted(folder.glob("*.csv")) for row in file.read_text().splitlines()[1:]]
    assert [table[0], *rows] == table
    assert read_contents(open_store(folder)).levels == 25
    assert damages(open_store(folder)) == []


def test_other_options_are_encoded(folder):
    env, plain = (
        gym.make("Sokoban-v0", levels=levels, reward="boxoban") for levels in (str(folder), list(levels_of(folder)))
    )
    for seed in range(5):
        assert same(env.reset(seed=seed), plain.reset(seed=seed))
        assert same(*(each.step(1)[1] for each in (env, plain)))
    options = [SOKOBAN.read_options(**kwargs) for kwargs in ({}, {"deadlocks": True})]
    mapped, copied = (levels_of(folder).blocks((7, 7), each) for each in options)
    assert isinstance(mapped[0], np.memmap)
    assert not isinstance(copied[0], np.memmap)
    assert levels_of(folder).blocks((8, 8), options[0]) is None
    with pytest.raises(LevelError, match="levels of the puzzle 'sokoban', not of Bait"):
        gym.make("Bait-v0", levels=str(folder))


def levels_of(folder):
    return LevelFolder(SOKOBAN, folder)


def test_it_is_a_sequence_of_levels(folder):
    levels, texts = levels_of(folder), find_levels(SOKOBAN, folder)
    assert len(levels) == len(texts) == 25
    assert [level.name for level in levels[8:12]] == ["small 9", "small 10", "small 11", "small 12"]
    rows = [[SOKOBAN.encode(level, (7, 7), SOKOBAN.read_options()) for level in each] for each in (levels, texts)]
    assert same(*rows)
    assert levels[-1].content == levels[24].content
    with pytest.raises(IndexError):
        levels[25]
    again = pickle.loads(pickle.dumps(levels))
    assert again[3].content == levels[3].content
    env = gym.make("Sokoban-v0", levels=str(folder))
    env.reset(seed=0, options={"level": 17})
    assert env.unwrapped.batch.level_played(0).name == "small 18"
    state = env.unwrapped.get_state()
    env.reset()
    env.unwrapped.set_state(pickle.loads(pickle.dumps(state)))
    assert env.unwrapped.batch.level_played(0).name == "small 18"


def test_more_are_added_and_the_first_stay(folder, tmp_path, capsys):
    out, at_once = tmp_path / "small", tmp_path / "at_once" / "small"
    assert generate("sokoban", out, "--workers", 1, count=13) == 0
    assert generate("sokoban", out, "--workers", 1, count=25) == 1
    assert "the folder is not empty; use --resume to go on, --force to start again" in capsys.readouterr().err
    assert generate("sokoban", out, "--workers", 1, "--resume", count=25) == 0
    assert content(out) == content(folder)
    assert generate("sokoban", out, "--workers", 1, "--resume", count=25) == 0
    assert content(out) == content(folder)
    assert generate("sokoban", out, "--workers", 1, "--resume", count=15) == 0  # there are more already
    assert len(levels_of(out)) == 25
    capsys.readouterr()
    assert generate("sokoban", out, "--workers", 1, "--resume", count=22) == 0  # nor is the last shard cut
    assert "levels   25" in capsys.readouterr().out
    assert len(levels_of(out)) == 25
    assert generate("sokoban", out, "--workers", 1, "--force", count=5) == 0
    assert sorted(content(out)) == ["000000.csv", "000000.keys", "000000.rows", "000000.txt", "levels.json"]
    assert not at_once.exists()


@pytest.mark.parametrize("begun", [b"", b'{"puzzle": "sok'])
def test_a_kill_as_the_journal_begins_leaves_nothing_to_compare(folder, tmp_path, begun):
    out = tmp_path / "small"
    out.mkdir()
    (out / "000000.unfinished").write_bytes(begun)
    assert generate("sokoban", out, "--workers", 1, "--resume") == 0
    assert content(out) == content(folder)


def files_of(out):
    """The files that are there, but for locks and what is being written."""
    names = os.listdir(out) if out.exists() else []
    return [name for name in names if name[0] != "." and not name.endswith(".lock")]


@pytest.mark.extended
def test_a_kill_at_any_time_changes_nothing(tmp_path):
    wanted, out = tmp_path / "wanted" / "small", tmp_path / "small"
    assert generate("sokoban", wanted, "--workers", 1, count=160, size=20) == 0
    words = ["generate", "sokoban", *SMALL, "--count", "160", "--shards", "--shard-size", "20", "--out", str(out)]
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *words, "--workers", "1"]
    for number in range(3):
        process = subprocess.Popen(command + ["--resume"] * (number > 0), stderr=subprocess.PIPE, text=True)
        before, deadline = len(files_of(out)), time.monotonic() + 60
        while process.poll() is None and len(files_of(out)) <= before + 4 * number:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait() in (-signal.SIGKILL, 0), process.stderr.read()
    assert subprocess.run([*command, "--resume"], capture_output=True, check=False).returncode == 0
    assert content(out) == content(wanted)
    levels = levels_of(out)
    assert len({key_of(SOKOBAN, level) for level in levels}) == len(levels) == 160


def test_a_folder_elsewhere(tmp_path, monkeypatch, capsys):
    pytest.importorskip("fsspec")
    monkeypatch.setattr(shard_copies, "cache_root", lambda: tmp_path)
    url, here = "memory://bucket/small", tmp_path / "small"
    assert generate("sokoban", url, "--workers", 1, count=13) == 0
    assert generate("sokoban", url, "--workers", 1) == 1
    assert "memory://bucket/small: the folder is not empty" in capsys.readouterr().err.replace("\n", " ")
    assert generate("sokoban", url, "--workers", 1, "--resume") == 0
    assert generate("sokoban", here, "--workers", 1) == 0
    store = open_store(url)
    assert {name: store.read(name) for name in store.names()} == content(here)
    env = gym.make_vec("Sokoban-v0", num_envs=5, levels=url)
    assert same(env.reset(seed=0), gym.make_vec("Sokoban-v0", num_envs=5, levels=str(here)).reset(seed=0))
    assert [level.name for level in find_levels(SOKOBAN, url)][-1] == "small 25"
    assert generate("sokoban", "nowhere://x/y") == 2
    assert "nowhere://x/y: Protocol not known: nowhere" in capsys.readouterr().err
    with pytest.raises(LevelError, match="memory://bucket/none cannot be read"):
        level_source(SOKOBAN, "memory://bucket/none", SOKOBAN.read_options())


def damaged(name, change):
    def spoil(folder):
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            damaged("000001.rows", lambda found: found[:-7]),
            "000001.rows has 1,233 bytes, must have 1,240: it is damaged",
        ),
        (
            damaged("000002.rows", lambda found: found[:-2] + b"zz"),
            "000002.rows is damaged: its checksum is not the one",
        ),
        (damaged("levels.json", lambda found: found[:50]), "levels.json is damaged: it is not a description of levels"),
        (
            damaged("levels.json", lambda found: found.replace(b'"format": 1', b'"format": 2')),
            "levels.json has format 2;",
        ),
        (damaged("levels.json", lambda found: found.replace(b'"row": 62', b'"row": 61')), "has rows of 61 numbers"),
        (damaged("levels.json", lambda found: found.replace(b'"row": 62', b'"row": "62"')), "is damaged"),
        (damaged("levels.json", lambda found: found.replace(b'".rows"', b'".more"')), "is damaged"),
        (damaged("levels.json", lambda found: found.replace(b'"levels": 10', b'"levels": 9')), "is damaged"),
        (lambda folder: (folder / "000001.rows").unlink(), "cannot be read: No such file or directory"),
    ],
)
@pytest.mark.usefixtures("no_copies")
def test_a_damaged_folder_is_refused(folder, tmp_path, spoil, message):
    copied = tmp_path / "small"
    copied.mkdir()
    for name, found in content(folder).items():
        (copied / name).write_bytes(found)
    spoil(copied)
    with pytest.raises(LevelError, match=message):
        gym.make("Sokoban-v0", levels=str(copied))


def test_levels_check_compares_all_checksums(folder, tmp_path, capsys):
    assert cli.run(["levels", "check", str(folder)]) == 0
    (tmp_path / "copied").mkdir()
    for name, found in content(folder).items():
        (tmp_path / "copied" / name).write_bytes(found)
    with (tmp_path / "copied" / "000001.csv").open("a") as file:
        file.write("more\n")
    capsys.readouterr()
    assert cli.run(["levels", "check", str(tmp_path / "copied")]) == 1
    assert "000001.csv is damaged: its checksum is not the one" in "".join(capsys.readouterr()).replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shards"], "--shards needs a folder: --out FOLDER"),
        (["--shard-size", "5", "--out", "x.txt"], "--shard-size applies to a folder: it needs --shards"),
        (
            ["--shards", "--out", "x", "--shard-size", "0"],
            "--shard-size 0: must be from 1 to 66,666",
        ),
        (["--shards", "--out", "x", "--shard-size", "66667"], "must be from 1 to 66,666 for boards of 7 rows"),
        (["--shards", "--out", "x", "--count", "3000000000"], "a folder has at most 2,147,483,647 levels"),
        (["--out", "memory://x/y.txt"], "only a folder can be elsewhere: it needs --shards"),
        (["--shards", "--out", "x", "--sheet", "x.png"], "--sheet draws the levels of a file"),
        (["--shards", "--out", "x", "--resume"], "x: there is nothing to resume; start without --resume"),
        (["--shards", "--out", "x", "--resume", "--force"], "--resume and --force cannot be combined"),
    ],
)
def test_options_that_do_not_fit(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["generate", "sokoban", *SMALL, *words]) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("option", ["--force", "--resume"])
def test_files_of_others_stay(option, tmp_path, capsys):
    for name in ("thesis.txt", "data.csv", "other.txt.unfinished", "notes.lock"):
        (tmp_path / name).write_text("mine")
    before = content(tmp_path)
    assert generate("sokoban", tmp_path, "--workers", 1, option) in (1, 2)
    printed = capsys.readouterr().err.replace("\n", " ")
    assert ("nothing to resume" if option == "--resume" else "not empty and has no shards; choose another") in printed
    assert content(tmp_path) == before


def test_environments_share_what_is_open(folder):
    one, other = levels_of(folder), levels_of(folder)
    blocks = [levels.blocks((7, 7), SOKOBAN.read_options()) for levels in (one, other)]
    assert all(first is second for first, second in zip(*blocks, strict=True))


def test_another_request_cannot_go_on(folder, capsys):
    given = [*SMALL[:-2], "--evaluation", "original"]
    before = content(folder)
    assert generate("sokoban", folder, "--resume", given=given) == 2
    message = 'cannot be resumed with other options: evaluation was "displacement", now it is "original"'
    assert message in capsys.readouterr().err.replace("\n", " ")
    assert content(folder) == before


def test_keys_are_known_once_added():
    """More of them than are kept in a set before they are sorted."""
    known, plain = KnownLevels([b"first"]), {b"first"}
    random = np.random.default_rng(0)
    for number in random.integers(300_000, size=150_000).tolist():
        key = number.to_bytes(3, "big")
        assert (key in known) == (key in plain)
        known.add(key) if key not in known else None
        plain.add(key)
    assert len(known) == len(plain)
    other = KnownLevels()
    other.add_numbers(np.array([level_shards.number_of(key) for key in plain], np.uint64))
    assert all(key in other for key in plain)
    assert b"another" not in other


def test_levels_check_finds_invalid_rows(folder, tmp_path, capsys):
    copied = tmp_path / "copied"
    copied.mkdir()
    for name, found in content(folder).items():
        (copied / name).write_bytes(found)
    change_row(copied, 12, {sum(SOKOBAN.sizes((7, 7))) - 1: 77})
    assert cli.run(["levels", "check", str(copied)]) == 1
    assert "000001.rows: level 3 in it is invalid: " in "".join(capsys.readouterr()).replace("\n", " ")
