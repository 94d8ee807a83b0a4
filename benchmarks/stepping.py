"""The speed of environments on one core; prints the tables of the documentation.

``python benchmarks/stepping.py``. Actions are random and chosen beforehand; every figure counts the environment's own
work, resets included. Steps are counted per second of processor time, so other programs matter little; only the
start-up needs an idle machine.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

import gridpuzzles_gym


def rate(work: Callable[[int], Any], steps: int, seconds: float) -> float:
    """Steps per second: the best of five runs of ``seconds / 5``, so that a busy moment does not count."""
    best = 0.0
    for _ in range(5):
        calls, begun = 0, time.process_time()
        while (spent := time.process_time() - begun) < seconds / 5:
            for _ in range(20):
                work(calls)
                calls += 1
        best = max(best, calls * steps / spent)
    return best


def single(env_id: str, seconds: float, **kwargs: Any) -> float:
    """Unwrapped ``env.step``, resets included."""
    env = gym.make(env_id, **kwargs).unwrapped
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(int(env.action_space.n), size=500).tolist()

    def work(call: int) -> None:
        for action in actions:
            if env.step(action)[2]:
                env.reset()

    work(0)
    return rate(work, len(actions), seconds)


def vector(env_id: str, seconds: float, num_envs: int, **kwargs: Any) -> float:
    """``make_vec(...).step``."""
    envs = gym.make_vec(env_id, num_envs=num_envs, **kwargs)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(int(envs.single_action_space.n), size=(256, num_envs))
    envs.step(actions[0])
    return rate(lambda call: envs.step(actions[call % 256]), num_envs, seconds)


def process_seconds(code: str, **environment: str) -> float:
    """Wall-clock seconds of a whole Python process: the minimum of three."""
    spent = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
        spent.append(time.perf_counter() - begun)
    return min(spent)


def start_up(env_id: str) -> list[tuple[str, float]]:
    """Seconds to import the package, and to the first step of an environment."""
    step = f"import gymnasium as g, gridpuzzles_gym\ne = g.make({env_id!r})\ne.reset(seed=0)\ne.step(0)"
    nothing = process_seconds("pass")
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", step], check=True, env={**os.environ, "NUMBA_CACHE_DIR": folder})
        cold = time.perf_counter() - begun
        warm = process_seconds(step, NUMBA_CACHE_DIR=folder)
    return [
        ("import gridpuzzles_gym", process_seconds("import gridpuzzles_gym") - nothing),
        ("first step, warm cache", warm),
        ("first step, cold cache", cold),
    ]


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    ids = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
    parser.add_argument("--id", nargs="+", choices=ids, default=ids)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    chosen = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("| one core | seconds |\n|---|---:|")
    for name, spent in start_up(chosen.id[0]):
        print(f"| {name} | {spent:.2f} |")
    print("\n| steps/s, one core | observation | `SyncVectorEnv` | `env.step` | `make_vec(1024)` | `copy=False` | × |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for env_id in chosen.id:
        for observation in gym.make(env_id).unwrapped.puzzle.observations:
            figures = " | ".join(rates(env_id, observation, chosen.seconds))
            print(f"| {env_id} | {observation} | {figures} |", flush=True)
    print("\n| frames/s, one core | pixels | `env.step` | `make_vec(64)` | `make_vec(1024)` | `copy=False` | MB |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for env_id in chosen.id:
        print(f"| {env_id} | {' | '.join(pixels(env_id, chosen.seconds))} |", flush=True)


def pixels(env_id: str, seconds: float) -> list[str]:
    """The size of a picture, the frames per second, and the memory of 1,024 environments."""
    alone = single(env_id, seconds, observation="pixels")
    some, many = (vector(env_id, seconds, count, observation="pixels") for count in (64, 1024))
    shared = vector(env_id, seconds, 1024, observation="pixels", copy=False)
    tracemalloc.start()
    envs = gym.make_vec(env_id, num_envs=1024, observation="pixels")
    megabytes = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    height, width, _ = envs.single_observation_space.shape
    return [f"{height}×{width}", *(f"{figure:,.0f}" for figure in (alone, some, many, shared)), f"{megabytes:.0f}"]


def rates(env_id: str, observation: str, seconds: float) -> list[str]:
    """The four figures of a row; and how many times faster the third is than the first."""
    sync = vector(env_id, seconds, 64, observation=observation, vectorization_mode="sync")
    alone = single(env_id, seconds, observation=observation)
    fresh, shared = (vector(env_id, seconds, 1024, observation=observation, copy=copy) for copy in (True, False))
    return [*(f"{figure:,.0f}" for figure in (sync, alone, fresh, shared)), f"{fresh / sync:.0f}"]


if __name__ == "__main__":
    main()
