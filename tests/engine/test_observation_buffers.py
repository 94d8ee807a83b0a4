"""Memory of returned arrays is used again when nothing refers to it any more, and not before."""

import gymnasium as gym
import numpy as np
import pytest

from gridpuzzles_gym.engine.observations import COUNT

KEPT = {
    "observation": lambda observation, mask: observation,
    "mask": lambda observation, mask: mask,
    "part": lambda observation, mask: observation.reshape(-1)[3:],
    "view of a view": lambda observation, mask: observation[::-1].T,
    "buffer": lambda observation, mask: memoryview(observation),
}
FORMATS = {"own": {}, "flat": {"flat": True}, "float32": {"dtype": "float32"}}


@pytest.fixture(params=FORMATS)
def env(request):
    env = gym.make("Sokoban-v0", **FORMATS[request.param]).unwrapped
    env.action_space.seed(0)
    env.reset(seed=0)
    return env


def steps(env, count):
    for _ in range(count):
        observation, _, terminated, _, info = env.step(env.action_space.sample())
        yield observation, info["action_mask"]
        if terminated:
            env.reset()


def place(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("keep", KEPT)
@pytest.mark.parametrize("every", [1, 3, 50])
def test_what_is_kept_never_changes(env, keep, every):
    kept = []
    for number, arrays in enumerate(steps(env, 300)):
        if number % every == 0:
            found = KEPT[keep](*arrays)
            kept.append((found, np.array(found)))
        del arrays
    assert len({expected.tobytes() for _, expected in kept}) > 1
    assert all(np.array_equal(found, expected) for found, expected in kept)


def test_dropped_arrays_are_used_again(env):
    """Unless they are converted: such an observation is a copy."""
    places = {tuple(map(place, arrays)) for arrays in steps(env, 100)}
    assert len({mask for _, mask in places}) == COUNT
    if env.observation_format.dtype is None:
        assert len(places) == COUNT


def test_an_array_that_is_dropped_leaves_the_next_ones_as_they_were(env):
    expected = env.observation_space.shape
    for number, (observation, mask) in enumerate(steps(env, 40)):
        assert observation.shape == expected
        assert mask.shape == (4,)
        assert observation.flags.writeable
        assert mask.flags.writeable
        assert observation.flags.c_contiguous
        if number % 2:
            observation.flags.writeable = mask.flags.writeable = False
        else:
            observation[...] = 7
            mask[...] = 7
