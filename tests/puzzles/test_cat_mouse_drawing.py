"""Pictures of Cat and Mouse: everything fits in, and everything that happens is visible."""

import functools

import pytest
from pictures import part_of, picture

from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.puzzles.cat_mouse import PUZZLE

UP, DOWN, LEFT, RIGHT = range(4)
BOARD = "#####\n#M..#\n#.#E#\n##C##\n"
play = functools.partial(picture, "CatMouse-v0", levels=BOARD, tile_size=32)


def square_of(frame, tile, at, rows, columns):
    return part_of(frame, drawing_of(PUZZLE).layout(rows, columns, tile).square(*at))


@pytest.mark.parametrize("tile_size", [12, 32, 96])
def test_everything_on_a_square_can_be_told_apart(tile_size):
    seen = {}
    for letter in ".#C":
        frame = play(levels=f"M.E\n.{letter}.\n...\n", tile_size=tile_size)
        seen[letter] = square_of(frame, tile_size, (1, 1), 3, 3).tobytes()
    for letter, level in (("M", "..E\n.M.\n...\n"), ("E", "M..\n.E.\n...\n"), ("c", "M..\n.c.\n...\n")):
        seen[letter] = square_of(play(levels=level, tile_size=tile_size), tile_size, (1, 1), 3, 3).tobytes()
    won = play((DOWN, RIGHT), levels="M..\n.E.\n...\n", tile_size=tile_size)
    lost = play((RIGHT,), levels="..E\nMC.\n...\n", tile_size=tile_size)
    seen["m"], seen["x"] = (square_of(frame, tile_size, (1, 1), 3, 3).tobytes() for frame in (won, lost))
    assert len(set(seen.values())) == len(seen)


def test_the_mouse_faces_where_it_last_went():
    back = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}
    frames = {a: play((back[a], a), levels="...E\n.M..\n....\n") for a in back}
    assert len({square_of(frame, 32, (1, 1), 3, 4).tobytes() for frame in frames.values()}) == 4


def test_every_move_and_ending_looks_different():
    films = [(), (UP,), (LEFT,), (RIGHT,), (DOWN,), (RIGHT, RIGHT), (RIGHT, RIGHT, DOWN), (DOWN, DOWN)]
    assert len({play(film).tobytes() for film in films}) == len(films)


def test_the_panel_shows_the_distances():
    panel = drawing_of(PUZZLE).layout(1, 5, 32).panel
    near, far = (play(levels=level) for level in ("M.E..\n", "M...E\n"))
    assert part_of(near != far, panel).any()
