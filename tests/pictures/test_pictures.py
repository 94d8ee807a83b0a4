"""Pictures of every puzzle: everything fits in, notes are in their place, letters are shown in every state."""

import contextlib

import gymnasium as gym
import numpy as np
import pygame
import pytest
from helpers import puzzle_of
from pictures import part_of, picture, scenes

from gridpuzzles_gym.engine.compile.compilation import compiling_at_once, rule
from gridpuzzles_gym.engine.pictures import painting
from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of
from gridpuzzles_gym.engine.pictures.picture import Frame, Picture, placement_limit
from gridpuzzles_gym.engine.pictures.placement import AFTER, SPRITE, cover, show
from gridpuzzles_gym.engine.scene import Scene


def drawn(*texts):
    """Boards in letters: for each its rows, its columns, and the keyword arguments that give it."""
    return [(text.count("\n"), text.index("\n"), {"levels": text}) for text in texts]


def sized(*sizes):
    """The same for boards of any (width, height)."""
    return [(height, width, {"width": width, "height": height}) for width, height in sizes]


BOARDS = {
    "Wumpus-v0": drawn("...P\nWGP.\n....\nA.P.\n", "AG\n", "A\nG\n" + ".\n" * 18),
    "CatMouse-v0": drawn("#####\n#M..#\n#.#E#\n##C##\n", "M.E\n", "M\n" + ".\n" * 18 + "E\n"),
    "Bait-v0": drawn("wwwwwww\nw..k..w\nw1A10gw\nwm*.%.w\nwwwwwww\n", "Akg\n", "A\nk\n" + ".\n" * 18 + "g\n"),
    "EightPuzzle-v0": sized((3, 3), (2, 2), (4, 4), (10, 2), (2, 10)),
    "Sokoban-v0": drawn("#######\n#     #\n#.@$  #\n#     #\n#  *  #\n#######\n"),
}
TILE_SIZES = {
    "Wumpus-v0": (8, 13, 32, 96),
    "CatMouse-v0": (8, 13, 32, 96),
    "Bait-v0": (8, 9, 13, 96),
    "EightPuzzle-v0": (8, 9, 14, 96),
    "Sokoban-v0": (8, 33),
}
LEAST = {"Wumpus-v0": 300, "CatMouse-v0": 280, "Bait-v0": 290, "EightPuzzle-v0": 300, "Sokoban-v0": 300}
"""How high a picture is at least, in pixels: its panel is."""

each_id = pytest.mark.parametrize("id", BOARDS)


@pytest.mark.parametrize(
    ("id", "rows", "columns", "kwargs", "tile_size"),
    [(id, *board, tile_size) for id, boards in BOARDS.items() for board in boards for tile_size in TILE_SIZES[id]],
    ids=lambda value: "" if isinstance(value, dict) else str(value),
)
def test_board_and_panel_fit_into_the_picture(id, rows, columns, kwargs, tile_size):
    frame = picture(id, tile_size=tile_size, **kwargs)
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    assert frame.shape[0] >= max(rows * tile_size, LEAST[id])
    assert frame.shape[1] >= columns * tile_size + 150


@each_id
def test_notes_are_drawn_on_their_square_only(id):
    *_, kwargs = BOARDS[id][0]
    plain, noted = (picture(id, notes=notes, tile_size=64, **kwargs) for notes in ({}, {(1, 2): "pit?"}))
    differ = (plain != noted).any(axis=2)
    puzzle, (scene,) = scenes(id, (), **kwargs)
    square = part_of(differ, drawing_of(puzzle).square(scene, 64, 1, 2))
    assert square.any()
    square[:] = False
    assert not differ.any()


@each_id
def test_no_text_is_cut(id, monkeypatch):
    """At any size."""
    kept, cut = painting.shortened, []

    def shortened(words, letters, width):
        found = kept(words, letters, width)
        cut.extend([words] if found != words else [])
        return found

    monkeypatch.setattr(painting, "shortened", shortened)
    painting._line.cache_clear()
    env = gym.make(id).unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(4):
        for tile_size in (8, 24, 48, 96, 200):
            env.notes = {(0, 0): "wumpus?", (1, 1): "pit 12 %"} if tile_size >= 64 else {}
            Canvas(env.puzzle, tile_size).picture(env.scene())
        if env.step(int(env.action_space.sample()))[2]:
            env.reset()
    assert not cut


@pytest.mark.parametrize("id", ["CatMouse-v0", "Bait-v0", "Sokoban-v0"])
def test_a_board_is_cropped_and_enlarged_in_a_picture_of_the_same_size(id):
    small = {
        "CatMouse-v0": "####\n#ME#\n#C.#\n####\n",
        "Bait-v0": "wwww\nwAkw\nw.gw\nwwww\n",
        "Sokoban-v0": "#####\n#@$.#\n#   #\n#####\n",
    }[id]
    puzzle, tile = puzzle_of(id), 20
    options = puzzle.read_options()
    (level,) = puzzle.parse(small, "")
    rows, columns = level.extent[:2]
    drawing = drawing_of(puzzle)
    extents = [(rows, columns), (3 * rows, 3 * columns), (rows, columns + 1), (rows + 1, columns)]
    scenes = [Scene(*puzzle.encode(level, extent, options), options) for extent in extents]
    tight, wide, *others = (drawing.place(scene, tile) for scene in scenes)
    drawn = columns - 2 * tight.cut / tight.tile
    assert (tight.shape, tight.first) == ((rows, columns), (0, 0))
    assert tight.tile == int(tile * columns / drawn)
    assert (wide.tile, wide.shape) == (int(3 * tile * columns / drawn), (rows, columns))
    assert wide.size == drawing.layout(3 * rows, 3 * columns, tile).size
    for place in others:
        assert place.shape == (rows, columns)
        assert place.tile >= tile
    for scene, place in zip(scenes, (tight, wide, *others), strict=True):
        surface = pygame.Surface(drawing.measure(scene, tile))
        assert surface.get_rect().contains(place.frame)
        assert not place.frame.colliderect(place.panel)
        drawing.draw(surface, scene, tile)
        assert drawing.square(scene, tile, 1, 1) == place.square(1, 1)
        assert drawing.square_at(scene, tile, place.square(1, 2).center) == (1, 2)
        beyond = drawing.square(scene, tile, 3 * rows - 1, 3 * columns - 1)
        assert not beyond, "a square that is not shown has no size"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_rule_that_writes_too_many_rows_is_named(compiled):
    @rule
    def area(level, out):
        out[0], out[1], out[2], out[3], out[4], out[5] = 1, 2, 0, 0, 1, 2

    @rule
    def ground(level, scene, out):
        n = 0
        for k in range(level[0]):
            n = cover(out, n, k, 0)
            show(out, n, AFTER)
        return n

    made = Picture("shelf.maze", ("#000000",), area, ground, area, Frame("#000000", "#000000", 0.1, 1, 5))
    most = placement_limit(2)
    scene = np.zeros(3, np.int64)
    with compiling_at_once() if compiled else contextlib.nullcontext():
        rows = made.ground_of(np.array([most, 0], np.int16), scene)
        assert rows[:, SPRITE].tolist() == list(range(most))
        with pytest.raises(RuntimeError, match=r"shelf\.maze: the rule ground of its picture writes over 120 rows"):
            made.ground_of(np.array([30_000, 0], np.int16), scene)
