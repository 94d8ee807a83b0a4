"""Pictures of any puzzle, for tests that compare them."""

import gymnasium as gym

import gridpuzzles_gym  # noqa: F401  (registers the environments)


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
