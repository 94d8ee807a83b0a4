"""Pictures: off-screen, in a window, and what they must not tell."""

import functools
import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pygame
import pytest
from pictures import picture

from gridpuzzles_gym.engine.pictures.canvas import Canvas

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


@pytest.mark.parametrize("show", ["world", "knowledge"])
def test_every_action_and_ending_looks_different(show):
    films = [
        (), (LEFT,), (RIGHT,), (FORWARD,), (RIGHT, FORWARD), (SHOOT,), (LEFT, SHOOT), (FORWARD, FORWARD),
        (LEFT, FORWARD, FORWARD), (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD),
        (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD, GRAB),
        (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD, GRAB, LEFT, LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD),
    ]  # fmt: skip
    assert len({play(film, show=show).tobytes() for film in films}) == len(films)


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
