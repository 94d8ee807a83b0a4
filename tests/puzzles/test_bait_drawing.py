"""Pictures of Bait: everything fits in, and everything that happens is visible."""

import functools

from pictures import part_of, picture

from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.puzzles.bait import PUZZLE

UP, DOWN, LEFT, RIGHT, WAIT = range(5)
BOARD = "wwwwwww\nw..k..w\nw1A10gw\nwm*.%.w\nwwwwwww\n"
ROWS, COLUMNS = 5, 7
play = functools.partial(picture, "Bait-v0", levels=BOARD, tile_size=32, noop=True)


def squares_of(frame, tile, rows=ROWS, columns=COLUMNS):
    """The board's squares: (row, column) → pixels."""
    place = drawing_of(PUZZLE).layout(rows, columns, tile)
    boxes = {(row, column): place.square(row, column) for row in range(rows) for column in range(columns)}
    return {at: part_of(frame, box).astype(int) for at, box in boxes.items()}


def test_the_avatar_faces_where_it_last_went():
    centres = {}
    for action in (UP, DOWN, LEFT, RIGHT):
        back = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}[action]
        frame = play((back, action), levels="...\n.A.\n..k\ng..\n")
        centres[action] = squares_of(frame, 32, rows=4, columns=3)[1, 1].tobytes()
    assert len(set(centres.values())) == 4


def test_every_move_and_ending_looks_different():
    films = [
        (), (UP,), (WAIT,), (LEFT,), (RIGHT,), (DOWN,), (UP, RIGHT), (UP, RIGHT, RIGHT), (RIGHT, RIGHT),
        (UP, UP), (RIGHT, RIGHT, RIGHT), (UP, RIGHT, RIGHT, RIGHT, DOWN),
    ]  # fmt: skip
    frames = {play(film).tobytes() for film in films}
    assert len(frames) == len(films)
