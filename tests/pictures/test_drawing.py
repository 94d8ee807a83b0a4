"""Pictures: off-screen, in a window, and what they must not tell."""

import functools
import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pygame
import pytest
from helpers import puzzle_of
from pictures import part_of, picture

from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of

LEFT, RIGHT, FORWARD, GRAB, RELEASE, SHOOT = range(6)
CAVE = "...P\nWGP.\n....\nA.P.\n"
play = functools.partial(picture, "Wumpus-v0", levels=CAVE, tile_size=32)


@pytest.fixture
def window(monkeypatch):
    """Open windows off-screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    yield
    pygame.display.quit()


def human(**kwargs):
    env = gym.make("Wumpus-v0", render_mode="human", levels=CAVE, tile_size=32, **kwargs)
    env.reset(seed=0)
    return env


def press(canvas, kind, **more):
    pygame.event.post(pygame.event.Event(kind, window=canvas._window, **more))


def test_a_fresh_array_each_time():
    env = gym.make("Wumpus-v0", render_mode="rgb_array", tile_size=16)
    env.reset(seed=0)
    first, second = env.render(), env.render()
    assert first is not second
    first[:] = 0
    assert second.any()
    np.testing.assert_array_equal(env.render(), second)


UP, DOWN, WEST, EAST, WAIT = range(5)
WUMPUS_FILMS = [
    (), (LEFT,), (RIGHT,), (FORWARD,), (RIGHT, FORWARD), (SHOOT,), (LEFT, SHOOT), (FORWARD, FORWARD),
    (LEFT, FORWARD, FORWARD), (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD),
    (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD, GRAB),
    (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD, GRAB, LEFT, LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD),
]  # fmt: skip
FILMS = {
    "Wumpus-v0": ({"levels": CAVE, "show": "world"}, WUMPUS_FILMS),
    "Wumpus-v0, as known": ({"levels": CAVE, "show": "knowledge"}, WUMPUS_FILMS),
    "Bait-v0": ({"levels": "wwwwwww\nw..k..w\nw1A10gw\nwm*.%.w\nwwwwwww\n", "noop": True}, [
        (), (UP,), (WAIT,), (WEST,), (EAST,), (DOWN,), (UP, EAST), (UP, EAST, EAST), (EAST, EAST),
        (UP, UP), (EAST, EAST, EAST), (UP, EAST, EAST, EAST, DOWN),
    ]),
    "CatMouse-v0": ({"levels": "#####\n#M..#\n#.#E#\n##C##\n"}, [
        (), (UP,), (WEST,), (EAST,), (DOWN,), (EAST, EAST), (EAST, EAST, DOWN), (DOWN, DOWN),
    ]),
    "EightPuzzle-v0": ({"levels": "123\n405\n786\n"}, [
        (), (UP,), (DOWN,), (WEST,), (EAST,), (UP, UP), (WEST, WEST), (UP, DOWN), (EAST, DOWN), (DOWN, EAST),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILMS)
def test_every_action_and_ending_looks_different(name):
    kwargs, films = FILMS[name]
    frames = {picture(name.partition(",")[0], film, tile_size=32, **kwargs).tobytes() for film in films}
    assert len(frames) == len(films)


def square_of(id, frame, shape, *at):
    """What a picture with squares of 32 pixels shows of one of them."""
    return part_of(frame, drawing_of(puzzle_of(id)).layout(*shape, 32).square(*at))


@pytest.mark.parametrize(
    ("id", "level", "shape"),
    [("Bait-v0", "...\n.A.\n..k\ng..\n", (4, 3)), ("CatMouse-v0", "...E\n.M..\n....\n", (3, 4))],
)
def test_the_player_faces_where_it_last_went(id, level, shape):
    ways = (DOWN, UP), (UP, DOWN), (EAST, WEST), (WEST, EAST)
    frames = [picture(id, there_and_back, levels=level, tile_size=32) for there_and_back in ways]
    assert len({square_of(id, frame, shape, 1, 1).tobytes() for frame in frames}) == 4


def test_the_tile_that_moved_is_marked_with_a_trail():
    films = ("1 2 3\n4 5 0\n7 8 6\n", ()), ("123\n405\n786\n", (EAST,))
    plain, moved = (picture("EightPuzzle-v0", film, levels=level, tile_size=32) for level, film in films)
    squares = [[square_of("EightPuzzle-v0", each, (3, 3), *at) for each in (plain, moved)] for at in np.ndindex(3, 3)]
    assert [k for k, (one, other) in enumerate(squares) if (one != other).any()] == [4, 5]


@pytest.mark.parametrize("tile_size", [16, 96])
def test_the_knowledge_view_leaks_nothing(tile_size):
    # Both caves smell at [1,2] and nowhere else on the way, for different reasons.
    one, other = "G..P\nW..P\n....\nA...\n", "..PP\n...G\n.W..\nA...\n"
    actions = (LEFT, FORWARD)
    look = {"tile_size": tile_size, "show": "knowledge"}
    np.testing.assert_array_equal(play(actions, levels=one, **look), play(actions, levels=other, **look))
    look["show"] = "world"
    assert (play(actions, levels=one, **look) != play(actions, levels=other, **look)).any()


def test_a_distant_scream_does_not_show_where():
    actions = (LEFT, SHOOT)
    near, far = "...G\nW...\n....\nA...\n", "W..G\n....\n....\nA...\n"
    np.testing.assert_array_equal(
        play(actions, show="knowledge", levels=near), play(actions, show="knowledge", levels=far)
    )


@pytest.mark.extended
def test_no_display_is_needed():
    code = (
        "import gymnasium as gym, pygame, gridpuzzles_gym\n"
        "env = gym.make('Wumpus-v0', render_mode='rgb_array'); env.reset(seed=0)\n"
        "assert env.render().any() and not pygame.display.get_init()"
    )
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    subprocess.run([sys.executable, "-c", code], check=True, env=bare)


def test_the_window_shows_what_rgb_array_draws(window):
    env = human()
    env.step(LEFT)
    opened = env.unwrapped._canvas._window
    assert opened.title == "Wumpus World - gridpuzzles_gym"
    shown = pygame.surfarray.array3d(opened.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, play((LEFT,)))
    env.close()
    assert env.unwrapped._canvas is None


def test_a_window_larger_than_the_screen_is_shrunk(window):
    env = gym.make("Wumpus-v0", render_mode="human", size=20, tile_size=96)
    env.reset(seed=0)
    width, height = pygame.display.get_desktop_sizes()[0]
    size = env.unwrapped._canvas._window.size
    assert size[0] < width
    assert size[1] < height
    env.close()


def test_a_closed_window_stays_closed_and_play_goes_on(window):
    env = human()
    canvas = env.unwrapped._canvas
    press(canvas, pygame.WINDOWCLOSE)
    env.step(LEFT)
    assert canvas._window is None
    env.step(LEFT)
    assert canvas._window is None
    env.close()


def test_a_closed_window_leaves_the_others_open(window):
    first, second = human(), human()
    press(second.unwrapped._canvas, pygame.WINDOWCLOSE)
    first.step(LEFT)
    assert first.unwrapped._canvas._window is not None
    second.step(LEFT)
    assert second.unwrapped._canvas._window is None
    for env in (first, second):
        env.close()


def test_no_window_can_be_opened(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonsense")
    pygame.display.quit()
    env = gym.make("Wumpus-v0", render_mode="rgb_array", levels=CAVE, tile_size=32).unwrapped
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="rgb_array"):
        Canvas(env.puzzle, 32).show(env.batch.scene(0), 0)
