"""Sliding-tile boards as text: both ways, and what is said of one that cannot be."""

import functools

import gymnasium as gym
import helpers
import naive
from helpers import same
from hypothesis import given
from hypothesis import strategies as st
from level_texts import SPIRAL_TILES, tile_boards

from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, boards

OPTIONS = PUZZLE.read_options()
rows_of = functools.partial(helpers.rows_of, PUZZLE)


@given(tile_boards())
def test_text_and_rows_go_round(board):
    height, width, goal, tiles = board
    level, state = boards.make_rows(tiles, goal, (height, width))
    text = PUZZLE.format(level, state)
    assert same(rows_of(text), (level, state))
    assert PUZZLE.format(*rows_of(text)) == text
    assert ("goal:" in text) == (goal != boards.arrange("rows", height, width))
    assert boards.goal_tiles(level) == goal


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


def test_parity_holds_for_exactly_the_boards_that_sliding_reaches():
    for goal in boards.GOALS:
        solution = boards.arrange(goal, 2, 3)
        reached = naive.reachable_boards(solution, 3)
        assert len(reached) == 360
        assert all(not boards.why_unsolvable(tiles, solution, 3) for tiles in reached)
        for tiles in reached:
            exchanged = tuple({1: 2, 2: 1}.get(tile, tile) for tile in tiles)
            assert boards.why_unsolvable(exchanged, solution, 3)


def test_what_a_board_may_be_written_with():
    plain = rows_of(SPIRAL_TILES)
    for text in (
        "\n".join(" ".join(line) for line in SPIRAL_TILES.split("\n")[:3]) + "\nGOAL:1 2 3 8 0 4 7 6 5\n",
        "  134\n  862\n  705\ngoal: 123804765",
        "goal:spiral\n134862705\n",
        "goal:spiral\n3x3:1,3,4,8,6,2,7,0,5\n",
        "01 3 4\n8 06 2\n7 00 5\ngoal: spiral\n",
    ):
        assert same(rows_of(text), plain), text


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
