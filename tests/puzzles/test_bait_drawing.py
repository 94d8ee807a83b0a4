"""Pictures of Bait: everything fits in, and everything that happens is visible."""

import dataclasses
import functools

import numpy as np
import pytest
from pictures import part_of, picture, scenes

from gridpuzzles_gym.engine.pictures import painting
from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of
from gridpuzzles_gym.engine.pictures.picture import default_art
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


def changed(one, other, tile, **size):
    """The squares in which two pictures differ by more than an edge."""
    squares = zip(squares_of(one, tile, **size).items(), squares_of(other, tile, **size).values(), strict=True)
    return {at for (at, mine), yours in squares if (mine != yours).any(axis=2).mean() > 0.15}


@pytest.mark.parametrize("tile_size", [12, 32, 96])
def test_everything_on_a_square_can_be_told_apart(tile_size):
    """Each on the same square of the same board, walls and all."""
    size = {"rows": 3, "columns": 3}
    seen = {}
    for letter in ".w01kgm%*":
        frame = play(levels=f"A.k\n.{letter}g\n...\n", tile_size=tile_size)
        seen[letter] = squares_of(frame, tile_size, **size)[1, 1].tobytes()
    for letter, moves in (("A", (RIGHT, DOWN)), ("K", (RIGHT, RIGHT, LEFT, DOWN))):
        frame = play(moves, levels="A.k\n..g\n...\n", tile_size=tile_size)
        seen[letter] = squares_of(frame, tile_size, **size)[1, 1].tobytes()
    dead = play((DOWN, RIGHT), levels="A.k\n.0g\n...\n", tile_size=tile_size)
    seen["x"] = squares_of(dead, tile_size, **size)[1, 1].tobytes()
    assert len(set(seen.values())) == len(seen)


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


def test_a_filled_hole_is_shown_once():
    size = {"rows": 1, "columns": 6}
    level = "A10.kg\n"
    pushed, later = (play(film, levels=level, tile_size=64) for film in ((RIGHT,), (RIGHT, WAIT)))
    assert changed(pushed, later, 64, **size) >= {(0, 2)}
    gone = squares_of(later, 64, **size)[0, 2]
    assert (gone == squares_of(play(levels="A...kg\n", tile_size=64), 64, **size)[0, 2]).all()


def test_an_opened_door_is_visible_behind_the_avatar():
    """The last one in every picture of a solved level, one of several in that of the move."""
    solved = play((RIGHT, RIGHT), levels="Akg\n", tile_size=64)
    puzzle, (*_, last) = scenes("Bait-v0", (RIGHT, RIGHT), levels="Akg\n")
    unknown = Canvas(puzzle, 64).picture(dataclasses.replace(last, before=None))
    walked = play((RIGHT, RIGHT), levels="Ak.g\n", tile_size=64)
    door = painting.picture(default_art("gridpuzzles_gym.puzzles.bait", "open"), 64)
    upper = door.get_at((32, 20))[:3]
    for frame, columns, there in ((solved, 3, True), (unknown, 3, True), (walked, 4, False)):
        square = squares_of(frame, 64, rows=1, columns=columns)[0, 2]
        assert (np.abs(square[20, 32] - upper).max() < 40) == there
    two = play((RIGHT, RIGHT), levels="Akg.g\n", tile_size=64)
    assert np.abs(squares_of(two, 64, rows=1, columns=5)[0, 2][20, 32] - upper).max() < 40
