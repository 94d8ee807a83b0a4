"""Pictures of Sokoban: walls that join, all there is to see, and styles."""

import itertools

import gymnasium as gym
import numpy as np
import pygame
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


def terrain_of(level, tile=TILE, **options):
    """The same of a whole board without pieces, of which nothing is cut off."""
    scene = scene_of(level, **options)
    rows, columns = DRAWING.shape(scene)
    place = DRAWING.layout(rows, columns, tile)
    surface = pygame.Surface(place.size, 0, 32)
    DRAWING.draw_background(surface, DRAWING.background(scene), place)
    board = pygame.surfarray.array3d(surface.subsurface(place.board)).swapaxes(0, 1)
    return board.reshape(rows, tile, columns, tile, 3).swapaxes(1, 2)


def changed(one, other, level=ROOM):
    """The squares (row, column) on which two pictures differ."""
    differ = (board_of(one, level) != board_of(other, level)).any(axis=(2, 3, 4))
    return [tuple(place) for place in np.argwhere(differ).tolist()]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("tile_size", [8, 9, 13, 33, 160])
@pytest.mark.parametrize("level", ["#####\n#@$.#\n#####\n", "###\n" + "# #\n" * 12 + "#@#\n#$#\n#.#\n###\n", ROOM])
def test_board_and_panel_fit_into_the_picture(tile_size, level, style):
    frame = play(level=level, tile_size=tile_size, style=style)
    rows, columns = level.count("\n"), level.index("\n")
    assert frame.dtype == np.uint8
    assert frame.shape[0] >= max(rows * tile_size, 300)
    assert frame.shape[1] >= columns * tile_size + 150


@pytest.mark.parametrize("style", STYLES)
def test_every_move_looks_different(style):
    films = [
        (), (UP,), (DOWN,), (LEFT,), (RIGHT,), (RIGHT, RIGHT), (RIGHT, RIGHT, RIGHT), (RIGHT, LEFT), (UP, UP),
        (UP, LEFT), (UP, RIGHT), (DOWN, UP), (UP, RIGHT, DOWN),
    ]  # fmt: skip
    boards = {board_of(play(film, style=style)).tobytes() for film in films}
    assert len(boards) == len(films)


@pytest.mark.parametrize("style", STYLES)
def test_every_thing_on_a_square_can_be_told_from_every_other(style):
    for tile in (8, 16, 64):
        level = "#########\n# . $ *@#\n#       #\n#########\n"
        squares = board_of(play(level=level, tile_size=tile, style=style), level, tile)[1]
        means = [squares[column].reshape(-1, 3).mean(axis=0) for column in (0, 1, 2, 4, 6, 7)]
        apart = [np.abs(one - other).max() for one, other in itertools.combinations(means, 2)]
        assert min(apart) > 4, (tile, apart)


@pytest.mark.parametrize("style", STYLES)
def test_he_looks_where_he_went_and_leans_into_a_box(style):
    level = "#########\n#       #\n#       #\n#  @  $.#\n#       #\n#########\n"
    rounds = {UP: (UP, DOWN, UP), DOWN: (DOWN, UP, DOWN), LEFT: (LEFT, RIGHT, LEFT), RIGHT: (RIGHT, LEFT, RIGHT)}
    looks = set()
    for facing, film in rounds.items():
        row, column = {UP: (2, 3), DOWN: (4, 3), LEFT: (3, 2), RIGHT: (3, 4)}[facing]
        looks.add(board_of(play(film, level, style=style), level)[row, column].tobytes())
    assert len(looks) == 4
    walked = board_of(play((RIGHT, RIGHT, UP, DOWN, LEFT, RIGHT), level, style=style), level)[3, 5]
    pushed = board_of(play((LEFT, LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT), level, style=style), level)[3, 6]
    assert (walked != pushed).any()


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


def test_the_panel_shows_metrics_and_deadlocks():
    place = DRAWING.layout(6, 7, TILE).panel
    films = [((), True), ((RIGHT,), True), ((UP,), True), ((RIGHT, RIGHT), True), ((RIGHT, RIGHT), False)]
    sides = {play(film, deadlocks=told)[:, place.left :].tobytes() for film, told in films}
    assert len(sides) == len(films)


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
