"""Pictures of any puzzle, for tests that compare them."""

import dataclasses

import gymnasium as gym
import numpy as np

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of

TILE = 32


def picture(id, actions=(), notes=None, **kwargs):
    """The picture after some actions: uint8[height, width, 3]."""
    env = gym.make(id, render_mode="rgb_array", **kwargs)
    env.reset(seed=0)
    for action in actions:
        env.step(action)
    env.unwrapped.notes = notes or {}
    frame = env.render()
    env.close()
    return frame


def part_of(frame, box):
    """What a picture shows in a box."""
    return frame[box.top : box.bottom, box.left : box.right]


def scenes(id, actions, **kwargs):
    """The puzzle and the scenes of an episode, the first before any action."""
    env = gym.make(id, disable_env_checker=True, **kwargs).unwrapped
    env.batch.interpret()
    env.reset(seed=0)
    found = [env.scene()]
    for action in actions:
        before = found[-1].state
        env.step(action)
        scene = env.scene()
        assert scene.before is not None
        np.testing.assert_array_equal(scene.before, before)
        found.append(dataclasses.replace(scene, state=scene.state.copy(), before=before.copy()))
        found[-2] = dataclasses.replace(found[-2], state=before.copy())
    return env.puzzle, found


def board(puzzle, scene, tile=TILE):
    """The board of a scene's picture, without its rim: int[height, width, 3], black where nothing of it is shown."""
    drawing = drawing_of(puzzle)
    frame = Canvas(puzzle, tile).picture(scene)
    return whole_board(frame, drawing.shape(scene), drawing.place(scene, tile)).astype(int)


def whole_board(frame, shape, place):
    """The board in a picture without its rim: uint8[height, width, 3], black where nothing of it is shown.

    Args:
        frame: The picture.
        shape: The board's (height, width) in squares.
        place: The layout of the picture.
    """
    whole = np.zeros((shape[0] * place.tile, shape[1] * place.tile, 3), np.uint8)
    top, left = (place.tile * number + place.cut for number in place.first)
    whole[top : top + place.board.height, left : left + place.board.width] = part_of(frame, place.board)
    return whole


def at(scene, phase):
    """The scene when its last movement has got so far."""
    return dataclasses.replace(scene, phase=phase)
