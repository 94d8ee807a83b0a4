"""Sliding-tile boards as text: both ways, and what is said of one that cannot be."""

import functools

import gymnasium as gym
import helpers
import naive
import pytest
from helpers import same
from hypothesis import given, settings
from hypothesis import strategies as st
from level_texts import SPIRAL_TILES, tile_boards

from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, boards

OPTIONS = PUZZLE.read_options()
rows_of = functools.partial(helpers.rows_of, PUZZLE)


@settings(max_examples=150, deadline=None)
@given(tile_boards())
def test_text_and_rows_go_round(board):
    height, width, goal, tiles = board
    level, state = boards.make_rows(tiles, goal, (height, width))
    text = PUZZLE.format(level, state)
    assert same(rows_of(text), (level, state))
    assert PUZZLE.format(*rows_of(text)) == text
    assert ("goal:" in text) == (goal != boards.arrange("rows", height, width))
    assert boards.goal_tiles(level) == goal


@settings(max_examples=100, deadline=None)
@given(tile_boards(), st.sampled_from("0_."), st.booleans(), st.booleans())
def test_the_ways_to_write_a_board(board, blank, in_one_line, run_together):
    height, width, goal, tiles = board
    words = [str(tile) if tile else blank for tile in tiles]
    space = "" if run_together and len(words) <= 10 else "  "
    lines = [space.join(words[row * width : (row + 1) * width]) for row in range(height)]
    if in_one_line and height == width:
        lines = [space.join(words)]
    stated = f"goal: {boards.describe(goal)}"
    for text in ("\n".join([*lines, stated]), "\n".join(["; title", f"  {stated}", *lines, ""])):
        assert same(rows_of(text), boards.make_rows(tiles, goal, (height, width)))


@settings(max_examples=60, deadline=None)
@given(tile_boards())
def test_what_is_seen_of_a_board_decodes_to_it(board):
    height, width, goal, tiles = board
    rows = boards.make_rows(tiles, goal, (height, width))
    env = gym.make("EightPuzzle-v0", levels=PUZZLE.format(*rows), observation="symbols").unwrapped
    seen, _ = env.reset(seed=0)
    assert same(PUZZLE.decode("symbols", seen, env.batch.extent, env.options), rows)


def test_parity_tells_just_the_boards_that_sliding_reaches():
    for goal in boards.GOALS:
        solution = boards.arrange(goal, 2, 3)
        reached = naive.reachable_boards(solution, 3)
        assert len(reached) == 360
        assert all(not boards.why_unsolvable(tiles, solution, 3) for tiles in reached)
        for tiles in reached:
            exchanged = tuple({1: 2, 2: 1}.get(tile, tile) for tile in tiles)
            assert boards.why_unsolvable(exchanged, solution, 3)


def test_a_list_of_boards_one_a_line():
    levels = PUZZLE.parse("; three\n134862705\n281043765\n281463075\ngoal: spiral\n", "list.txt")
    assert [level.name for level in levels] == ["three 1", "three 2", "three 3"]
    assert [level.content.where for level in levels] == ["list.txt:2", "list.txt:3", "list.txt:4"]
    assert {level.content.goal for level in levels} == {"spiral"}
    korf = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3\n13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6\n"
    env = gym.make("FifteenPuzzle-v0", levels=korf, goal="blank-first")
    assert len(env.unwrapped.batch.source.levels) == 2
    assert [level.name for level in PUZZLE.parse(korf, "korf")] == ["korf:1", "korf:2"]


def test_what_a_board_may_be_written_with():
    plain = rows_of(SPIRAL_TILES)
    for text in (
        "\n".join(" ".join(line) for line in SPIRAL_TILES.split("\n")[:3]) + "\nGOAL:1 2 3 8 0 4 7 6 5\n",
        "  134\n  862\n  705\ngoal: 123804765",
        "goal:spiral\n134862705\n",
        "01 3 4\n8 06 2\n7 00 5\ngoal: spiral\n",
    ):
        assert same(rows_of(text), plain), text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("123\n456\n788\n", r"t:3:3: a second tile 8, the first is at t:3:2; the blank is missing"),
        ("123\n4_6\n7_8\n", r"t:3:2: a second blank, the first is at t:2:2; tile 5 is missing"),
        ("1 2 3\n4 5 6\n7 9 0\n", r"t:3:3: no tile 9 on 3x3 squares; allowed are 1 to 8"),
        ("; c\n\n1 2 3\n4 5 66\n7 8 0\n", r"t:4:5: no tile 66 on 3x3 squares"),
        ("1 2 3\n4 5 x\n7 8 0\n", r"t:2:5: 'x' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
        ("12x\n456\n780\n", r"t:1:3: 'x' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
        ("1 2 3\n4 5 -6\n7 8 0\n", r"t:2:5: '-6' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
        ("1 2 3\n4 5 ٣\n7 8 0\n", r"t:2:5: '٣' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
        ("123\n45\n780\n", r"t:2:3: this row has 2 squares, the level's first has 3; all rows of a level must have"),
        ("1 2 3\n4 5 6 7\n8 0\n", r"t:2:7: this row has 4 squares"),
        (
            "1 2 3\n",
            r"t:1: a board of 3x1 squares; allowed are 2 to 10 per side; a board on one line must have 4, 9",
        ),
        ("123450\n", r"t:1: a board of 6x1 squares"),
        ("1\n2\n0\n", r"t:1: a board of 1x3 squares; allowed are 2 to 10 per side"),
        (" ".join(map(str, range(11))) + "\n" + " ".join(map(str, range(11, 22))), r"t:1: a board of 11x2 squares"),
        ("1234\n5678\n9012\n", r"t:1: tiles without spaces between them; boards of more than 10 squares need spaces"),
        ("goal: spiral\n", r"t:1: a goal without a board"),
        ("1230\ngoal: rows\ngoal: rows\n", r"t:3: a second goal; at most one is allowed"),
        ("1230\ngoal: rings\n", r"t:2: goal='rings' is not known; allowed are 'rows', 'spiral', 'blank-first'"),
        ("1230\ngoal:\n", r"t:2: goal='' is not known"),
        (
            "1230\ngoal: 1233\n",
            r"t:2: goal='1233': must have each tile from 0 \(the blank\) to the number of squares minus 1",
        ),
        ("1 2 3 4\n", r"t:1:7: no tile 4 on 2x2 squares"),
        (
            "5 2 2\n2 1 1\n",
            r"t:1:5: a second tile 2, the first is at t:1:3; the blank and tile 3 and tile 4 are missing",
        ),
        ("1 2 3 3\n", r"t:1:7: a second tile 3, the first is at t:1:5; the blank is missing"),
    ],
    ids=repr,
)
def test_a_board_that_cannot_be_read(text, message):
    with pytest.raises(LevelError, match=message):
        PUZZLE.parse(text, "t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 2 3\n4 5 6\n8 7 0\n",
            r"t:1: this board cannot be solved: .* colour as on a chessboard; the blank's way to its goal "
            r"\(0 squares\) takes an even number of moves, but putting everything in place takes an odd number of "
            r"swaps \(at least 1\); with any two tiles exchanged it could be solved \(the goal is rows\)",
        ),
        (
            "; the first of the classic ones, for another goal\n134862705\n",
            r"t:2: .*\(1 square\) takes an odd number of moves, .* an even number of swaps \(at least 6\)",
        ),
        ("123804765\n", r"t:1: this board cannot be solved"),
        ("123456780\ngoal: spiral\n", r"t:1: this board cannot be solved: .*\(the goal is spiral\)"),
        ("1 2 3\n4 5 0\ngoal: 1230\n", r"t:1: the goal 1230 has 4 squares, but a board of 3x2 has 6"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0\n", r"t:1: .* \(at least 1\)"),
    ],
    ids=repr,
)
def test_a_board_that_cannot_be_played(text, message):
    (level,) = PUZZLE.parse(text, "t")
    with pytest.raises(LevelError, match=message):
        PUZZLE.encode(level, level.extent, OPTIONS)


def test_a_file_is_named_in_its_errors(tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text("123\n456\n708\n\n123\n456\n870\n")
    with pytest.raises(LevelError, match=r"boards\.txt:5: this board cannot be solved"):
        gym.make("EightPuzzle-v0", levels=path)
    path.write_text("1 2 3\n4 5 6\n7 8 8\n")
    with pytest.raises(LevelError, match=r"boards\.txt:3:5: a second tile 8"):
        gym.make("EightPuzzle-v0", levels=path)


def test_ansi_shows_the_board_and_the_last_move():
    env = gym.make("FifteenPuzzle-v0", levels="fifteen", render_mode="ansi").unwrapped
    env.reset(seed=0, options={"level": "12 moves"})
    lines = env.render().splitlines()
    assert lines[:6] == [
        "┌─────────────┐",
        "│  1  2  4  8 │",
        "│  6  7  3 12 │",
        "│  5 10    11 │",
        "│  9 13 14 15 │",
        "└─────────────┘",
    ]
    assert lines[6] == "step 0  return 0  scrambled"
    env.step(1)
    assert env.render().splitlines()[4:] == ["│  9 13    15 │", "└─────────────┘", "step 1  return -1  blank down"]
    env.step(1)
    assert env.render().splitlines()[-1] == "step 2  return -2  cannot move down"
