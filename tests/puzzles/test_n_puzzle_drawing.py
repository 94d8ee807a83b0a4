"""Pictures of sliding tiles: everything fits in, and every move is visible."""

import functools

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


def test_the_tile_that_moved_is_marked_with_a_trail():
    plain, moved = play(levels="1 2 3\n4 5 0\n7 8 6\n", tile_size=64), play((RIGHT,), tile_size=64)
    marked = [
        (row, column)
        for row in range(3)
        for column in range(3)
        if (square_of(plain, 64, row, column) != square_of(moved, 64, row, column)).any()
    ]
    assert marked == [(1, 1), (1, 2)]
