"""Pictures of Sokoban: walls that join, all there is to see, and styles."""

import itertools

import gymnasium as gym
import numpy as np
import pygame
import pytest
from pictures import picture, whole_board

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.engine.pictures import painting
from gridpuzzles_gym.engine.pictures.canvas import drawing_of
from gridpuzzles_gym.engine.scene import Scene
from gridpuzzles_gym.puzzles import sokoban
from gridpuzzles_gym.puzzles.sokoban import styles

UP, DOWN, LEFT, RIGHT = range(4)
TILE = 32
DRAWING = drawing_of(sokoban.PUZZLE)
ROOM = "#######\n#     #\n#.@$  #\n#     #\n#  *  #\n#######\n"
"""His square is (2, 2)."""
FLAT = {
    "void": "#000000", "floor": "#808080", "wall": "#ff0000", "wall_row": "#00ff00", "wall_column": "#0000ff",
    "wall_cross": "#ffff00", "wall_solid": "#ffffff",
}  # fmt: skip


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


def folder(path, **colors):
    """A style of plain squares."""
    path.mkdir(exist_ok=True)
    for name, color in colors.items():
        square = f'<rect width="9" height="9" fill="{color}"/>'
        (path / f"{name}.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{square}</svg>')
    return str(path)


def dots(path, pixels, size=2):
    """A PNG of so many pixels a side."""
    surface = pygame.Surface((size, size), pygame.SRCALPHA)
    for place, color in pixels.items():
        surface.set_at(place, color)
    pygame.image.save(surface, path)


def put_together(pictures):
    """Pictures of one size, one above the other."""
    surface = pygame.Surface(pictures[0].get_size(), 0, 32)
    for each in pictures:
        surface.blit(each, (0, 0))
    return surface


@pytest.mark.parametrize("style", styles.BUNDLED)
@pytest.mark.parametrize("tile_size", [8, 9, 13, 33, 160])
@pytest.mark.parametrize("level", ["#####\n#@$.#\n#####\n", "###\n" + "# #\n" * 12 + "#@#\n#$#\n#.#\n###\n", ROOM])
def test_board_and_panel_fit_into_the_picture(tile_size, level, style):
    frame = play(level=level, tile_size=tile_size, style=style)
    rows, columns = level.count("\n"), level.index("\n")
    assert frame.dtype == np.uint8
    assert frame.shape[0] >= max(rows * tile_size, 300)
    assert frame.shape[1] >= columns * tile_size + 150


@pytest.mark.parametrize("style", styles.BUNDLED)
def test_every_move_looks_different(style):
    films = [
        (), (UP,), (DOWN,), (LEFT,), (RIGHT,), (RIGHT, RIGHT), (RIGHT, RIGHT, RIGHT), (RIGHT, LEFT), (UP, UP),
        (UP, LEFT), (UP, RIGHT), (DOWN, UP), (UP, RIGHT, DOWN),
    ]  # fmt: skip
    boards = {board_of(play(film, style=style)).tobytes() for film in films}
    assert len(boards) == len(films)


@pytest.mark.parametrize("style", styles.BUNDLED)
def test_every_thing_on_a_square_can_be_told_from_every_other(style):
    for tile in (8, 16, 64):
        level = "#########\n# . $ *@#\n#       #\n#########\n"
        squares = board_of(play(level=level, tile_size=tile, style=style), level, tile)[1]
        means = [squares[column].reshape(-1, 3).mean(axis=0) for column in (0, 1, 2, 4, 6, 7)]
        apart = [np.abs(one - other).max() for one, other in itertools.combinations(means, 2)]
        assert min(apart) > 4, (tile, apart)


@pytest.mark.parametrize("style", styles.BUNDLED)
@pytest.mark.parametrize("tile", [16, 64])
@pytest.mark.parametrize("pose", [name for name in styles.SPRITES if name.startswith(("player", "pusher"))])
def test_a_goal_is_seen_under_him(style, tile, pose):
    """As many pixels of the goal's colours as tell it from a plain floor, whichever way he faces."""
    floor, goal, he = (painting.picture(styles.pictures(style)[name], tile) for name in ("floor", "goal", pose))
    plain, marked, on_floor, on_goal = (
        pygame.surfarray.array3d(put_together(parts)).astype(int)
        for parts in ((floor,), (floor, goal), (floor, he), (floor, goal, he))
    )
    shown = (np.abs(marked - plain) > 60).any(axis=2)
    seen = (np.abs(on_goal - on_floor) > 60).any(axis=2)
    assert seen.sum() > 0.2 * shown.sum()


@pytest.mark.parametrize("style", styles.BUNDLED)
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


def test_walls_are_put_together_from_quarters(tmp_path):
    style = folder(tmp_path / "flat", **FLAT)
    level = "#######\n#     #\n#@$.# #\n# ### #\n# ### #\n#     #\n#######\n"
    board = terrain_of(level, style=style)
    names = {tuple(bytes.fromhex(color[1:])): name for name, color in FLAT.items()}

    def forms(row, column):
        corners = board[row, column, 2:-2, 2:-2][:: TILE - 5, :: TILE - 5].reshape(4, 3)
        return [names[tuple(corner)] for corner in corners.tolist()]

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
    one, other = (play(style=style) for style in styles.BUNDLED)
    assert one.shape == other.shape
    assert len(changed(one, other)) == 6 * 7
    envs = [gym.make("Sokoban-v0", levels=ROOM, style=style) for style in styles.BUNDLED]
    observations = [env.reset(seed=0)[0] for env in envs]
    np.testing.assert_array_equal(*observations)
    envs[1].unwrapped.set_state(envs[0].unwrapped.get_state())


def test_a_folder_of_ones_own(tmp_path):
    style = tmp_path / "mine"
    style.mkdir()
    dots(style / "box.png", {(0, 0): "#ff0000", (1, 0): "#00ff00", (0, 1): "#0000ff", (1, 1): "#ffffff"})
    frame = play(style=str(style))
    assert changed(play(), frame) == [(2, 3)]
    box = board_of(frame)[2, 3]
    assert len(np.unique(box.reshape(-1, 3), axis=0)) == 4, "few pixels are enlarged with sharp edges"
    np.testing.assert_array_equal(play(style=style), frame)


@pytest.mark.parametrize(
    ("style", "message"),
    [("brick", "'warehouse', 'paper'"), (3, "style=3"), (None, "style=None"), ("", "style=''"), ([], "style=")],
)
def test_a_style_that_is_none_is_an_error(style, message):
    with pytest.raises(ValueError, match=message):
        gym.make("Sokoban-v0", style=style)
