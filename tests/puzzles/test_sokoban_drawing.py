"""Pictures of Sokoban: walls that join, all there is to see, and styles."""

import gymnasium as gym
import numpy as np
import pytest
from pictures import picture, whole_board

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.engine.scene import Scene
from gridpuzzles_gym.puzzles import sokoban
from gridpuzzles_gym.puzzles.sokoban import terrain
from gridpuzzles_gym.puzzles.sokoban.picture import STYLES

UP, DOWN, LEFT, RIGHT = range(4)
TILE = 32
DRAWING = drawing_of(sokoban.PUZZLE)
ROOM = "#######\n#     #\n#.@$  #\n#     #\n#  *  #\n#######\n"
"""His square is (2, 2)."""


def play(actions=(), level=ROOM, notes=None, **kwargs):
    """The picture after some actions."""
    return picture("Sokoban-v0", actions, notes, levels=level, **{"tile_size": TILE, **kwargs})


def scene_of(level, extent=None, **options):
    """The start of a level."""
    options = sokoban.PUZZLE.read_options(**options)
    (parsed,) = sokoban.PUZZLE.parse(level, "")
    return Scene(*sokoban.PUZZLE.encode(parsed, extent or parsed.extent, options), options)


def board_of(frame, level=ROOM, tile=TILE):
    """The squares of a picture's board: uint8[row, column, y, x, 3], black where the outermost ones are cut off."""
    scene = scene_of(level)
    (rows, columns), place = DRAWING.shape(scene), DRAWING.place(scene, tile)
    board = whole_board(frame, (rows, columns), place)
    return board.reshape(rows, place.tile, columns, place.tile, 3).swapaxes(1, 2)


def changed(one, other, level=ROOM):
    """The squares (row, column) on which two pictures differ."""
    differ = (board_of(one, level) != board_of(other, level)).any(axis=(2, 3, 4))
    return [tuple(place) for place in np.argwhere(differ).tolist()]


@pytest.mark.parametrize("style", STYLES)
def test_every_move_looks_different(style):
    films = [
        (), (UP,), (DOWN,), (LEFT,), (RIGHT,), (RIGHT, RIGHT), (RIGHT, RIGHT, RIGHT), (RIGHT, LEFT), (UP, UP),
        (UP, LEFT), (UP, RIGHT), (DOWN, UP), (UP, RIGHT, DOWN),
    ]  # fmt: skip
    boards = {board_of(play(film, style=style)).tobytes() for film in films}
    assert len(boards) == len(films)


def test_a_step_changes_the_squares_it_touches():
    start = play()
    assert changed(start, play((UP,))) == [(1, 2), (2, 2)]
    assert changed(start, play((RIGHT,))) == [(2, 2), (2, 3), (2, 4)]
    bumped = play((UP, UP))
    assert changed(play((UP,)), bumped) == [(0, 2), (1, 2), (2, 2)]


def test_walls_are_put_together_from_quarters():
    level = scene_of("#######\n#     #\n#@$.# #\n# ### #\n# ### #\n#     #\n#######\n").level
    found = np.empty((9, 9), np.uint8)
    terrain.kinds(level, found)

    def forms(row, column):
        return [terrain.SPRITES[terrain.form(found, row + 1, column + 1, quarter)] for quarter in range(4)]

    assert forms(0, 0) == ["wall", "wall_row", "wall_column", "wall_cross"]
    assert forms(0, 3) == ["wall_row"] * 4
    assert forms(2, 0) == ["wall_column"] * 4
    assert forms(2, 4) == ["wall", "wall", "wall_column", "wall_column"]
    assert forms(3, 2) == ["wall", "wall_row", "wall_column", "wall_solid"]
    assert forms(3, 4) == ["wall_cross", "wall_column", "wall_solid", "wall_column"]
    assert forms(4, 3) == ["wall_solid", "wall_solid", "wall_row", "wall_row"]


def test_styles_differ_everywhere_and_change_only_pictures():
    one, other = (play(style=style) for style in STYLES)
    assert one.shape == other.shape
    assert len(changed(one, other)) == 6 * 7
    envs = [gym.make("Sokoban-v0", levels=ROOM, style=style) for style in STYLES]
    observations = [env.reset(seed=0)[0] for env in envs]
    np.testing.assert_array_equal(*observations)
    envs[1].unwrapped.set_state(envs[0].unwrapped.get_state())


def test_a_style_that_is_none_is_an_error():
    for style in ("brick", 3, None, "", []):
        with pytest.raises(ValueError, match="style="):
            gym.make("Sokoban-v0", style=style)
