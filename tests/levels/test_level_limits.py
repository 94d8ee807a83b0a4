"""Input of megabytes: refused soon, before anything is built of it, by a readable message."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, run

from gridpuzzles_gym.engine.levels import level_text
from gridpuzzles_gym.engine.levels.level_text import level_files
from gridpuzzles_gym.engine.levels.sources import MAX_LINES, find_levels
from gridpuzzles_gym.engine.messages import LONGEST
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

SIZE = 2_000_000
"""Work that grows with its square would not end."""
SLC = "<SokobanLevels><LevelCollection><Level Id='a'>{}</Level></LevelCollection></SokobanLevels>"


def wide(symbol):
    return lambda: symbol * (SIZE // len(symbol))


def tall(row):
    return lambda: f"{row}\n" * (MAX_LINES + 1)


WIDE = {symbol: wide(symbol) for symbol in ("#", "w", ".", "1", "1 ", "w ", "64#", "#|", "PG ", "A")}
TALL = {f"{row} a row": tall(row) for row in ("#", "w", "ww", "1", "0", "A", "--")}
OTHER = {
    "a wide row inside": lambda: f"####\n#@$.#\n{'#' * SIZE}\n####\n",
    "nothing but line breaks": lambda: "\n" * SIZE,
    "a goal": lambda: f"1 2 3\n4 5 6\n7 8 0\ngoal: {'1 ' * (SIZE // 2)}\n",
    "a number": lambda: "9" * SIZE + "#",
    "a wide row in XML": lambda: SLC.format(f"<L>{'#' * SIZE}</L>"),
    "a wide row of entities in XML": lambda: SLC.format(f"<L>{'&amp;' * 400_000}</L>"),
    "many rows in XML": lambda: SLC.format("<L>#</L>" * 200_000),
}
HUGE = WIDE | TALL | OTHER
"""Texts of megabytes, each made when it is needed."""


def refuse(puzzle, cases):
    for case in cases:
        with pytest.raises(LevelError) as error:
            find_levels(PUZZLES[puzzle], HUGE[case]() + "\n")
        assert len(str(error.value)) <= LONGEST, case


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_a_huge_text_is_refused(puzzle):
    refuse(puzzle, ["#", "1 ", "ww a row"])


@pytest.mark.extended
@pytest.mark.parametrize("puzzle", PUZZLES)
def test_every_huge_text_is_refused(puzzle):
    refuse(puzzle, HUGE)


def test_what_is_just_large_enough_is_read():
    hall = ["#" * 64, "#@$." + "-" * 59 + "#", *["#" + "-" * 62 + "#"] * 61, "#" * 64]
    one = "|".join("".join(f"1{symbol}" for symbol in row) for row in hall)
    (plain,), (runs,) = PUZZLE.parse("\n".join(hall), "t"), PUZZLE.parse(one, "t")
    assert plain.extent == (64, 64)
    assert runs.content == plain.content
    tiles = PUZZLES["n_puzzle"]
    assert len(tiles.parse("123456780\n" * 2000, "t")) == 2000
    text = "; long\n" + "x" * 100_000 + "\n####\n#@.#\n#$.#\n####\n"  # a line of text may be long
    with pytest.raises(LevelError, match="t:4:3: 1 box but 2 goals"):
        PUZZLE.parse(text, "t")


def test_a_folder_of_many_files_or_bytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(level_text, "MAX_FILES", 5)
    for number in range(5):
        (tmp_path / f"{number}.dat").touch()
    assert level_files(tmp_path) == []
    (tmp_path / "more.dat").touch()
    with pytest.raises(LevelError, match="over 5 files in this folder"):
        level_files(tmp_path)
    (tmp_path / "more.dat").rename(tmp_path / "x.txt")
    monkeypatch.setattr(level_text, "MAX_FILES", 99)
    with (tmp_path / "x.txt").open("wb") as file:
        file.truncate(level_text.MAX_FOLDER_BYTES + 1)
    with pytest.raises(LevelError, match="over 512 MiB of level files"):
        level_files(tmp_path)


# -- messages ------------------------------------------------------------------------------------

MUCH = "x" * 100_000
VALUES = {"text": MUCH, "list": [MUCH], "number": 10**4000, "bytes": MUCH.encode(), "array": np.zeros(3_000)}


def message_of(call):
    """What a call that must fail says; not more of it than pytest can print."""
    try:
        call()
    except ValueError as error:
        return str(error)
    return MUCH


def test_messages_that_quote_arguments_are_short(capsys):
    for puzzle in PUZZLES.values():
        options = [field.name for field in dataclasses.fields(puzzle.options) if field.name != "style"]
        for name in [*options, MUCH]:
            said = message_of(lambda name=name, puzzle=puzzle: puzzle.read_options(**{name: MUCH}))
            assert len(said) <= LONGEST, name[:20]
    env = gym.make("EightPuzzle-v0").unwrapped
    for name, value in VALUES.items():
        calls = [
            lambda value=value: gym.make("EightPuzzle-v0", levels=value),
            lambda value=value: env.reset(options={"level": value}),
            lambda: env.reset(options={MUCH: 1}),
            lambda value=value: gym.make("EightPuzzle-v0", tile_size=value),
        ]
        assert [len(message_of(call)) <= LONGEST for call in calls] == [True] * len(calls), name
    for arguments in (
        ("play", "wumpus", "--levels", MUCH),
        ("play", MUCH),
        ("play", "wumpus", "--set", f"{MUCH}=1"),
        ("play", "wumpus", "--set", f"reward={MUCH}"),
        ("watch", "wumpus", "--agent", MUCH),
        ("solve", "8-puzzle", MUCH),
        ("solve", "8-puzzle", "--search", MUCH),
        ("levels", "convert", "first", "--to", MUCH),
        ("levels", "import", MUCH),
        ("levels", "show", "first", "--puzzle", MUCH),
    ):
        code, _, err = run(capsys, *arguments)
        assert (code != 0, len(err) < LONGEST + 100, err.count("\n")) == (True, True, 1), arguments[:2]
