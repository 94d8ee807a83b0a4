"""``observation="pixels"``: the picture that pygame draws, blitted by a kernel."""

import dataclasses
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from helpers import ROWS, puzzle_of, same

from gridpuzzles_gym.engine.pictures.blitting import make_paint_batch
from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of
from gridpuzzles_gym.engine.pictures.drawing import Rim
from gridpuzzles_gym.engine.scene import Scene

ENVS = 4
each_id = pytest.mark.parametrize("id", [row.id for row in ROWS])
SETTINGS = {
    "Sokoban-v0": {"warn": True, "style": "paper"},
    "CatMouse-v0": {"maze": "random", "size": (9, 7), "cats": 3},
    "Wumpus-v0": {"size": 7, "climb": True},
    "Bait-v0": {"levels": "lessons"},
    "EightPuzzle-v0": {"width": 4, "height": 2},
}
"""Further settings to draw pictures with."""


def make_vec(id, num_envs=ENVS, **kwargs):
    return gym.make_vec(id, num_envs=num_envs, observation="pixels", **kwargs)


def drawn(envs, level, state):
    """The picture of a state as pygame draws it, without rim and panel, at the size of the observation."""
    puzzle = envs.puzzle
    board = dataclasses.replace(drawing_of(puzzle).without_panel(), rim=Rim(0, 0, 0))
    scene = puzzle.concealed(Scene(level, state, envs.options))
    return Canvas(puzzle, envs.config.tile, board).picture(scene)


def actions_of(envs, steps, seed=0):
    return np.random.default_rng(seed).integers(envs.single_action_space.n, size=(steps, envs.num_envs))


def assert_drawn(envs, observations):
    batch = envs.batch
    for i in range(envs.num_envs):
        assert same(observations[i], drawn(envs, batch.levels[i], batch.states[i]))


@pytest.mark.compiled
@pytest.mark.extended
@each_id
@pytest.mark.parametrize("tile", [None, 11])
def test_an_observation_is_the_picture_that_pygame_draws(id, tile):
    for settings in ({}, SETTINGS.get(id, {})):
        envs = make_vec(id, tile=tile, max_episode_steps=15, **settings)
        observations, _ = envs.reset(seed=1)
        assert_drawn(envs, observations)
        for actions in actions_of(envs, 25):
            observations, *_ = envs.step(actions)
            assert_drawn(envs, observations)


@pytest.mark.compiled
@pytest.mark.extended
@each_id
def test_the_last_picture_of_an_episode_is_drawn_too(id):
    envs, watched = (
        make_vec(id, autoreset_mode=mode, max_episode_steps=7)
        for mode in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    )
    for env in (envs, watched):
        env.reset(seed=3)
    ended = np.zeros(ENVS, bool)
    for actions in actions_of(envs, 20):
        if ended.any():
            watched.reset(options={"reset_mask": ended})
        observations, _, _, _, infos = envs.step(actions)
        seen, _, terminated, truncated, _ = watched.step(actions)
        ended = terminated | truncated
        assert same(observations[~ended], seen[~ended])
        for i in np.flatnonzero(ended):
            assert same(infos["final_obs"][i], seen[i])
        assert_drawn(envs, observations)


@pytest.mark.extended
@each_id
def test_a_single_environment_sees_the_same(id):
    envs, env = make_vec(id, 1), gym.make(id, observation="pixels").unwrapped
    observations, _ = envs.reset(seed=5)
    assert same(env.reset(seed=5)[0], observations[0])
    assert env.observation_space.contains(observations[0])
    for (action,) in actions_of(envs, 5):
        observations, *_ = envs.step(np.array([action]))
        assert same(env.step(action)[0], observations[0])
    copy = pickle.loads(pickle.dumps(env))
    assert same(copy.batch.observations, env.batch.observations)
    assert same(copy.step(0)[0], env.step(0)[0])


def test_only_the_changed_squares_are_drawn():
    envs = make_vec("Sokoban-v0", copy=False)
    observations, _ = envs.reset(seed=0)
    observations[:] = 77
    envs.step(actions_of(envs, 1)[0])
    touched = (observations.reshape(ENVS, 10, 8, 10, 8, 3) != 77).any(axis=(2, 4, 5)).sum(axis=(1, 2))
    moved = (envs.batch.befores != envs.batch.states).any(axis=1)
    assert moved.any()
    assert (touched[moved] >= 2).all()
    assert (touched <= 3).all()
    assert not touched[~moved].any()


def test_a_rule_that_writes_too_many_rows_is_an_error():
    puzzle = puzzle_of("EightPuzzle-v0")

    def flood(level, start, before, state, scene, out):
        return out.shape[0]

    picture = dataclasses.replace(puzzle.picture, pieces=flood)
    env = gym.make_vec("EightPuzzle-v0", num_envs=2, observation="pixels")
    kernel = make_paint_batch(dataclasses.replace(puzzle, picture=picture))
    env.unwrapped.batch._painter._paint = kernel.py_func
    with pytest.raises(RuntimeError, match="a rule of its picture writes over"):
        env.reset(seed=0)


def test_a_cave_shows_only_what_its_agent_knows():
    seen = []
    for cave in ("W..\n.P.\nA.G\n", "WP.\n...\nA.G\n"):
        envs = make_vec("Wumpus-v0", 1, levels=cave, show="world")
        seen.append(envs.reset(seed=0)[0])
    assert same(*seen)


@pytest.mark.parametrize(
    ("id", "kwargs", "message"),
    [
        ("Sokoban-v0", {"tile": 0}, "tile=0: must be an integer from 4 to 128 pixels"),
        ("EightPuzzle-v0", {"tile": 8}, "tile=8: must be an integer from 10 to 128 pixels"),
        ("Wumpus-v0", {"tile": 64, "size": 100}, "tile=64: a picture would have 6400x6400 pixels"),
        ("Sokoban-v0", {"style": "wood"}, "style='wood' is not known"),
        ("Sokoban-v0", {"observation": "planes", "tile": 8}, "tile=8: only observation='pixels'"),
        ("Sokoban-v0", {"observation": "pixel"}, "did you mean 'pixels'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(id, kwargs, message):
    for make in (gym.make, gym.make_vec):
        with pytest.raises(ValueError, match=message):
            make(id, **{"observation": "pixels", **kwargs})
