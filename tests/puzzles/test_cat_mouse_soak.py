"""Ten million random steps through random mazes, with what must always hold checked as they go."""

import gymnasium as gym
import numpy as np
import pytest

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED
from gridpuzzles_gym.puzzles.cat_mouse import rules

STEPS, BATCH, EVERY = 10**7, 2048, 20
SETTINGS = (
    {"size": 7},
    {"size": (13, 9), "cats": 4},
    {"size": 9, "cats": 3, "cat_blocked": True},
    {"size": 21, "loops": 0},
)


@pytest.mark.slow
@pytest.mark.parametrize("kwargs", SETTINGS, ids=str)
def test_invariants_hold_however_long_it_plays(kwargs):
    env = gym.make_vec("CatMouse-v0", num_envs=BATCH, maze="random", copy=False, **kwargs).unwrapped
    batch, everyone = env.batch, np.arange(BATCH)
    numbers = np.random.default_rng(1)
    env.reset(seed=1)
    width, cats, over = batch.extent[1], kwargs.get("cats", 1), np.zeros(BATCH, bool)
    score, endings = np.zeros(BATCH), set()
    for number in range(-(-STEPS // len(SETTINGS) // BATCH)):
        actions = numbers.integers(0, 4, BATCH)
        if checking := number % EVERY == 0:
            before, mazes, was_over = batch.states.copy(), batch.levels[:BATCH].copy(), over
        planes, rewards, terminated, truncated, _ = env.step(actions)
        score = np.where(over, 0.0, score + rewards)
        over = terminated | truncated
        if not checking:
            continue
        levels, states, played = batch.levels[:BATCH], batch.states, ~was_over
        mouse, there = states[:, rules.MOUSE], states[:, rules.CAT : rules.CAT + cats]
        wall = levels[:, rules.CELLS :] & rules.WALL != 0

        # One mouse and so many cats, in order, on squares of their own; nobody in a wall; unused slots stay so.
        assert not wall[everyone, mouse].any()
        assert not wall[everyone[:, None], there].any()
        assert (np.diff(there, axis=1) > 0).all()
        assert (states[:, rules.CAT + cats :] == -1).all()
        assert np.array_equal(levels[played], mazes[played])

        # Everybody moves by one square at most; the mouse where its action says, and cats whenever they can.
        ahead = np.array([-width, width, -1, 1])[actions]
        moved = mouse - before[:, rules.MOUSE]
        assert (((moved == 0) | (moved == ahead)) | ~played).all()
        start = before[:, rules.CAT : rules.CAT + cats]
        steps = abs(there[:, :, None] - start[:, None, :])
        assert (np.isin(steps, (0, 1, width)).any(axis=2) | ~played[:, None]).all()

        # What is seen is what there is.
        seen = planes.reshape(BATCH, 5, -1)
        assert np.array_equal(seen[:, 0] == 1, wall)
        assert (seen[:, 4].sum(axis=1) == 1).all()
        assert (seen[everyone, 4, mouse] == 1).all()
        assert (seen[:, 3].sum(axis=1) == cats).all()
        assert (seen[everyone[:, None], 3, there] == 1).all()

        # Rewards and ends follow from where they are.
        caught, home = (there == mouse[:, None]).any(axis=1), mouse == levels[:, rules.EXIT]
        prize = 1000.0 * (home & ~caught) - 1000.0 * caught - 1
        assert np.array_equal(rewards, np.where(played, prize, 0.0))
        assert np.array_equal(terminated, played & (caught | home))
        assert np.array_equal(truncated, played & (batch.counters[kernels.ELAPSED] >= 200))
        assert np.array_equal(batch.scores[kernels.RETURN], score)
        endings |= set(batch.ends[kernels.OUTCOME, over].tolist())
    assert endings >= ({SOLVED, UNFINISHED} if kwargs.get("cat_blocked") else {DIED, UNFINISHED})
