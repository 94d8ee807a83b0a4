"""Rotated and mirrored boards: the rules are the same on them, and a learner's actions go where they seem to."""

import importlib

import gymnasium as gym
import numpy as np
import pytest
from helpers import PUZZLES

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.level_sources.makers import make_source
from gridpuzzles_gym.agents.orientations import reorient
from gridpuzzles_gym.engine.puzzle import UNFINISHED

pytest.importorskip("stable_baselines3")

from gridpuzzles_gym.agents.training.sb3_vec_env import Orientations

SQUARE = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
OBLONG = "#######\n#@    #\n# $.$.#\n#     #\n#######\n"
PLAYER = 4
"""Sokoban's plane of the player."""
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
SYMMETRIC = {
    "bait": ("Bait-v0", {"noop": True}, {"size": 7}),
    "cat_mouse": ("CatMouse-v0", {"maze": "random", "size": 7, "loops": 3}, None),
    "sokoban": ("Sokoban-v0", {"levels": "starter"}, None),
}
"""Each puzzle with ``symmetric=True``: an id, its settings, and those of a maker of levels."""


def player(planes):
    return np.argwhere(planes[PLAYER])[0]


def test_turning_eight_ways():
    planes = np.arange(12).reshape(1, 3, 4)
    assert reorient(planes, 0) is planes
    assert reorient(planes, 4)[0, 0].tolist() == [8, 9, 10, 11]
    assert reorient(planes, 2)[0, 0].tolist() == [3, 2, 1, 0]
    assert reorient(planes, 1)[0, 0].tolist() == [0, 4, 8]
    assert reorient(planes, 7)[0, 0].tolist() == [11, 7, 3]


@pytest.mark.parametrize(("board", "ways"), [(SQUARE, 8), (OBLONG, 4)])
def test_every_board_is_seen_in_all_ways_and_actions_go_where_they_seem_to(board, ways):
    env = gym.make_vec("Sokoban-v0", num_envs=8, levels=board, max_episode_steps=15, autoreset_mode="SameStep")
    turned = Orientations(8, env.single_observation_space.shape)
    before = turned.seen(env.reset(seed=0)[0])
    assert len({planes.tobytes() for planes in before}) == ways
    random = np.random.default_rng(0)
    ended = 0
    for _ in range(100):
        masks = turned.per_action(env.action_masks())
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        played = turned.played(actions)
        table = np.zeros((8, 4), np.float32)
        table[np.arange(8), played] = 1
        assert (turned.per_action(table).argmax(1) == actions).all(), "labels are turned as actions are"
        observations, _, terminated, truncated, infos = env.step(played)
        after = turned.seen(observations)
        for i, action in enumerate(actions):
            over = terminated[i] or truncated[i]
            planes = turned.seen(infos["final_obs"][i][None], [i])[0] if over else after[i]
            assert (player(planes) == player(before[i]) + STEPS[action]).all()
            assert (planes[:3] == before[i][:3]).all(), "walls, floor and goals stay"
            floor = [before[i][(1, *(player(before[i]) + step))] == 1 for step in STEPS]
            assert not (masks[i] & ~np.array(floor)).any()
            ended += over
        before = after
    assert ended > 8


def rows_of(name, seed):
    """The puzzle, extent, options, level and start state of an instance."""
    env_id, kwargs, maker = SYMMETRIC[name]
    if maker is not None:
        kwargs = {**kwargs, "levels": make_source(PUZZLES[name], maker).sample(seed)}
    batch = gym.make(env_id, **kwargs).unwrapped.batch
    batch.seed(0, np.random.default_rng(seed))
    batch.reset()
    return batch.puzzle, batch.extent, batch.options, batch.levels[0], batch.states[0]


def seen(puzzle, extent, level, state):
    """The planes of a position."""
    kind = puzzle.observations["planes"]
    shape = kind.space(extent).shape
    planes = np.zeros((shape[0], shape[1] * shape[2]), np.uint8)
    kind.observe(level, state, planes)
    return planes.reshape(shape)


def results(puzzle, extent, level, state, action):
    """What may come of an action, by the planes after it: the outcome, the probability, the state."""
    outcomes = getattr(importlib.import_module(f"{puzzle.module}.rules"), "outcomes", None)
    if outcomes is None:
        successors, chances, count = state[None].copy(), [1.0], 1
        puzzle.rules.step(level, successors[0], action, np.zeros(1, np.uint64))
    else:
        successors, chances = np.zeros((4, len(state)), np.int16), np.zeros(4)
        count = outcomes(level, state, action, successors, chances)
    found = {}
    for after, chance in zip(successors[:count], chances, strict=False):
        key = seen(puzzle, extent, level, after).tobytes()
        before = found[key][1] if key in found else 0.0
        found[key] = int(puzzle.rules.outcome(level, after)), float(before + chance), after
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SYMMETRIC)
def test_rules_are_the_same_in_all_orientations(name, seed):
    puzzle, extent, options, level, state = rows_of(name, seed)
    numbers = np.random.default_rng(seed)
    actions = len(puzzle.actions(options))
    turned = Orientations(8, (1, *extent), actions)
    for _ in range(30):
        planes = seen(puzzle, extent, level, state)
        action = int(numbers.integers(actions))
        here = results(puzzle, extent, level, state, action)
        assert sum(chance for _, chance, _ in here.values()) == pytest.approx(1)
        for way in range(8):
            other, start = puzzle.decode("planes", reorient(planes, way), extent, options)
            shown = int(turned.per_action(np.eye(actions)[np.full(8, action)])[way].argmax())
            assert turned.played(np.full(8, shown))[way] == action
            assert puzzle.rules.legal(level, state, action) == puzzle.rules.legal(other, start, shown)
            there = results(puzzle, extent, other, start, shown)
            wanted = {
                reorient(np.frombuffer(key, np.uint8).reshape(planes.shape), way).tobytes(): result[:2]
                for key, result in here.items()
            }
            assert {key: result[:2] for key, result in there.items()} == wanted
        outcome, _, after = list(here.values())[int(numbers.integers(len(here)))]
        state = after if outcome == UNFINISHED else state
    assert not np.array_equal(state, rows_of(name, seed)[4])
