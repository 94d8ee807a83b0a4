"""Input of megabytes: refused soon, before anything is built of it, by a readable message."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES, run

from gridpuzzles_gym.engine.levels import text_files
from gridpuzzles_gym.engine.levels.sources import MAX_LINES, find_levels
from gridpuzzles_gym.engine.levels.text_files import level_files
from gridpuzzles_gym.engine.messages import LONGEST, one_line, plural, quote, shorten
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


@pytest.mark.parametrize("puzzle", PUZZLES)
@pytest.mark.parametrize("case", HUGE)
def test_a_huge_text_is_refused(puzzle, case):
    with pytest.raises(LevelError) as error:
        find_levels(PUZZLES[puzzle], HUGE[case]() + "\n")
    assert len(str(error.value)) <= LONGEST


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


def test_a_folder_of_many_files_is_refused(tmp_path):
    for number in range(text_files.MAX_FILES):
        (tmp_path / f"{number}.dat").touch()
    assert level_files(tmp_path) == []
    (tmp_path / "more.dat").touch()
    with pytest.raises(LevelError, match="over 20,000 files in this folder"):
        level_files(tmp_path)


def test_a_folder_of_many_bytes_is_refused(tmp_path):
    with (tmp_path / "x.txt").open("wb") as file:
        file.truncate(text_files.MAX_FOLDER_BYTES + 1)
    with pytest.raises(LevelError, match="over 512 MiB of level files"):
        level_files(tmp_path)


def test_the_whole_machine_is_no_folder_of_levels(capsys):
    code, _, err = run(capsys, "levels", "convert", "/")
    assert code == 2
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_huge_file_of_no_known_puzzle_is_refused(capsys, tmp_path, command):
    (tmp_path / "wide.txt").write_text("#" * SIZE + "\n")
    code, out, err = run(capsys, "levels", command, tmp_path / "wide.txt")
    assert code in (1, 2)
    assert len(out + err) < 2 * LONGEST + 500


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


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_messages_that_quote_options_are_short(puzzle):
    options = [field.name for field in dataclasses.fields(PUZZLES[puzzle].options) if field.name != "style"]
    for name in [*options, MUCH]:
        assert len(message_of(lambda name=name: PUZZLES[puzzle].read_options(**{name: MUCH}))) <= LONGEST, name[:20]


@pytest.mark.parametrize("value", VALUES)
def test_messages_that_quote_arguments_are_short(value):
    env = gym.make("Sokoban-v0").unwrapped
    calls = [
        lambda: gym.make("Sokoban-v0", levels=VALUES[value]),
        lambda: env.reset(options={"level": VALUES[value]}),
        lambda: env.reset(options={MUCH: 1}),
        lambda: gym.make("Sokoban-v0", tile_size=VALUES[value]),
    ]
    assert [len(message_of(call)) <= LONGEST for call in calls] == [True] * len(calls)


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "Sokoban-v0", "--levels", MUCH),
        ("play", MUCH),
        ("play", "Sokoban-v0", "--set", f"{MUCH}=1"),
        ("play", "Sokoban-v0", "--set", f"reward={MUCH}"),
        ("watch", "Sokoban-v0", "--agent", MUCH),
        ("solve", "Sokoban-v0", MUCH),
        ("solve", "Sokoban-v0", "--search", MUCH),
        ("levels", "check", MUCH),
        ("levels", "convert", MUCH),
        ("levels", "convert", "first", "--to", MUCH),
        ("levels", "import", MUCH),
        ("levels", "show", MUCH, "--puzzle", MUCH),
    ],
    ids=lambda arguments: " ".join(argument[:12] for argument in arguments),
)
def test_what_the_command_line_says_is_short(capsys, arguments):
    code, _, err = run(capsys, *arguments)
    assert code != 0
    assert (len(err) < LONGEST + 100, err.count("\n")) == (True, 1)


def test_what_messages_are_made_of():
    assert shorten("short") == "short"
    assert shorten("a" * 1000 + "b" * 1000, 20) == "a" * 10 + "…" + "b" * 9
    assert quote("it's") == '"it\'s"'
    assert quote([1, 2]) == "[1, 2]"
    assert len(quote(MUCH)) == len(quote([MUCH])) == 80
    assert quote(10**5000) == "<int>"
    assert [plural(n, "level") for n in (0, 1, 2, 1234)] == ["0 levels", "1 level", "2 levels", "1,234 levels"]
    assert plural(2, "box", "boxes") == "2 boxes"
    assert one_line(" a\x1b[31m\n\x00b\u2028 ") == "a [31m b"
