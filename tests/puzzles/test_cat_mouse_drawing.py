"""Pictures of Cat and Mouse: everything fits in, and everything that happens is visible."""

import functools

from pictures import part_of, picture

from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.puzzles.cat_mouse import PUZZLE

UP, DOWN, LEFT, RIGHT = range(4)
BOARD = "#####\n#M..#\n#.#E#\n##C##\n"
play = functools.partial(picture, "CatMouse-v0", levels=BOARD, tile_size=32)


def square_of(frame, tile, at, rows, columns):
    return part_of(frame, drawing_of(PUZZLE).layout(rows, columns, tile).square(*at))


def test_the_mouse_faces_where_it_last_went():
    back = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}
    frames = {a: play((back[a], a), levels="...E\n.M..\n....\n") for a in back}
    assert len({square_of(frame, 32, (1, 1), 3, 4).tobytes() for frame in frames.values()}) == 4


def test_every_move_and_ending_looks_different():
    films = [(), (UP,), (LEFT,), (RIGHT,), (DOWN,), (RIGHT, RIGHT), (RIGHT, RIGHT, DOWN), (DOWN, DOWN)]
    assert len({play(film).tobytes() for film in films}) == len(films)
