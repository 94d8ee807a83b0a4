"""Pictures of sliding tiles: everything fits in, and every move is visible."""

import functools

import numpy as np
import pytest
from pictures import part_of, picture

from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE

UP, DOWN, LEFT, RIGHT = range(4)
BOARD = "123\n405\n786\n"
play = functools.partial(picture, "EightPuzzle-v0", levels=BOARD, tile_size=32)


def board_of(frame, tile_size, rows=3, columns=3):
    """The part of a picture that shows the board."""
    return part_of(frame, drawing_of(PUZZLE).layout(rows, columns, tile_size).board).astype(int)


def square_of(frame, tile_size, row, column):
    size = tile_size
    return board_of(frame, tile_size)[row * size : (row + 1) * size, column * size : (column + 1) * size]


@pytest.mark.parametrize("tile_size", [16, 96])
def test_every_move_wall_and_ending_looks_different(tile_size):
    films = [(), (UP,), (DOWN,), (LEFT,), (RIGHT,), (UP, UP), (LEFT, LEFT), (UP, DOWN), (RIGHT, DOWN), (DOWN, RIGHT)]
    frames = {play(film, tile_size=tile_size).tobytes() for film in films}
    assert len(frames) == len(films)


@pytest.mark.parametrize("tile_size", [16, 24, 96, 192])
def test_every_tile_can_be_told_from_every_other(tile_size):
    level = " ".join(map(str, [*range(2, 16), 1, 0])) + "\n"  # none is at home
    frame = play(levels=level, tile_size=tile_size)
    board = board_of(frame, tile_size, 4, 4)
    squares = board.reshape(4, tile_size, 4, tile_size, 3).swapaxes(1, 2).reshape(16, -1)
    assert len({square.tobytes() for square in squares}) == 16


def test_tiles_at_home_are_tinted():
    frame = play(tile_size=64)
    home, away = square_of(frame, 64, 0, 0), square_of(frame, 64, 2, 2)
    redness = [(square[8:14, 8:56, 0] - square[8:14, 8:56, 1]).mean() for square in (home, away)]
    assert redness[0] < 0 < redness[1]


def test_the_tile_that_moved_is_marked_with_a_trail():
    plain, moved = play(levels="1 2 3\n4 5 0\n7 8 6\n", tile_size=64), play((RIGHT,), tile_size=64)
    marked = [
        (row, column)
        for row in range(3)
        for column in range(3)
        if (square_of(plain, 64, row, column) != square_of(moved, 64, row, column)).any()
    ]
    assert marked == [(1, 1), (1, 2)]


def test_the_goal_is_in_the_picture():
    board = "134\n862\n705\n"
    one, other = (play(levels=f"{board}goal: {goal}\n") for goal in ("spiral", "213804756"))
    assert one.shape == other.shape
    columns = np.nonzero((one != other).any(axis=2))[1]
    assert columns.max() > drawing_of(PUZZLE).layout(3, 3, 32).panel.left
