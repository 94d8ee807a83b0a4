"""Kernels are interpreted until compiling them is worth it, and that changes no result."""

import time

import gymnasium as gym
import numpy as np
import pytest
from helpers import python, same, state_bytes

from gridpuzzles_gym.engine.compile.compilation import compiled, is_worth_compiling, tiered

pytestmark = [pytest.mark.extended, pytest.mark.compiled]

FIRST_STEPS = """
import sys
import gymnasium as gym, numpy as np
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
saved, save = [], KernelCache.save_overload
KernelCache.save_overload = lambda self, *more: (saved.append(self._name), save(self, *more))
env = gym.make(sys.argv[1])
env.reset(seed=0)
env.step(0)
env.unwrapped.action_masks()
print(len(saved), end=" ")
for _ in range(100_000):
    *_, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        env.reset()
print(*saved)
"""


def test_a_short_script_compiles_nothing_and_a_long_one_does(tmp_path):
    first, *later = python(FIRST_STEPS, "EightPuzzle-v0", NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first == "0"
    assert later == ["n_puzzle-planes-step-one"]


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """A kernel that was never compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return compiled(lambda x: x + 1, "tiering-example")


def test_a_kernel_is_interpreted_until_that_takes_too_long(kernel, monkeypatch):
    clock = iter(np.arange(0, 100, 0.2))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    for _ in range(3):
        assert not is_worth_compiling(kernel, 1)
        assert tiered(kernel, 1) == 2
        assert not kernel.signatures
    assert is_worth_compiling(kernel, 1)
    assert tiered(kernel, 1) == 2
    assert kernel.signatures


def test_without_numba_all_is_interpreted():
    code = "import gymnasium as gym, gridpuzzles_gym\ne = gym.make('Sokoban-v0', levels='starter')\n"
    code += "e.reset(seed=0)\ne.step(0)\nprint(e.unwrapped.action_masks().sum())"
    assert int(python(code, NUMBA_DISABLE_JIT="1")) > 0


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "Sokoban-v0"])
def test_a_change_of_tiers_changes_no_episode(env_id):
    """Of two equal environments one changes from interpreted rules to machine code in the middle of an episode."""
    changing, machine = (gym.make(env_id).unwrapped for _ in range(2))
    changing.batch.interpret()
    for env in (changing, machine):
        env.reset(seed=5)
        env.action_space.seed(1)
    for step in range(40):
        if step == 20:
            changing.batch._step_batch = changing.batch._first_steps
        results = [env.step(env.action_space.sample()) for env in (changing, machine)]
        assert same(*results)
        assert state_bytes(changing) == state_bytes(machine)
        if results[0][2]:
            for env in (changing, machine):
                env.reset()
