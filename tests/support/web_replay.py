"""Episodes of random actions, recorded in Python and in JavaScript: the same bytes."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from folders import TESTS

from gridpuzzles_gym.agents.registry import agent_entry
from gridpuzzles_gym.engine.puzzle import UNFINISHED

RUNNER = TESTS / "web" / "node.js"


def run_jobs(jobs: list[dict[str, Any]], folder: Path) -> list[bytes]:
    """The results of jobs (``tests/web/jobs.js``) in Node; the test is skipped where there is none."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node to run JavaScript in")
    for number, job in enumerate(jobs):
        job["result"] = str(folder / f"result{number}")
    todo = folder / "jobs.json"
    todo.write_text(json.dumps(jobs, default=str), encoding="utf-8")
    done = subprocess.run([node, RUNNER, todo], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [Path(job["result"]).read_bytes() for job in jobs]


def module_files(folder: Path, puzzle: str, id: str) -> dict[str, Path]:
    """The files of a puzzle's module, and of the levels that an environment samples from, if any."""
    found = {"wasm": folder / f"{puzzle}.wasm", "json": folder / f"{puzzle}.json", "rows": folder / f"{id}.rows"}
    return {name: path for name, path in found.items() if path.exists()}


def random_actions(id: str, steps: int, seed: int) -> list[int]:
    count = gym.make(id).action_space.n
    return np.random.default_rng(seed).integers(count, size=steps).tolist()


def recorded(id: str, observation: str, seed: int, actions: list[int]) -> list[bytes]:
    """A record for each step, and for each reset after the end of an episode: everything that it shows."""
    env = gym.make(id, observation=observation)
    batch = env.unwrapped.batch
    records, total = [], 0.0

    def record(view, reward, terminated, truncated, info):
        ended = terminated or truncated
        numbers = [info[name] for name in batch.metric_kinds]
        parts = [
            np.array([reward, total]),
            np.array([terminated, truncated, info["outcome"] if ended else UNFINISHED], np.uint8),
            info["action_mask"],
            np.array(numbers, np.int64),
            batch.random_bits,
            batch.scene(0).level,
            batch.states,
            view,
        ]
        records.append(b"".join(part.tobytes() for part in parts))
        return ended

    def begin(seed):
        view, info = env.reset(seed=seed)
        return record(view, 0.0, False, False, info)

    ended = begin(seed)
    for action in actions:
        if ended:
            total = 0.0
            ended = begin(None)
        view, reward, terminated, truncated, info = env.step(action)
        total += reward
        ended = record(view, reward, terminated, truncated, info)
    return records


def watched(id: str, observation: str, agent: str, seed: int, steps: int) -> bytes:
    """For each step of an agent, the action, and 1 if it ended the episode."""
    env = gym.make(id, observation=observation)
    policy = agent_entry(agent, env.unwrapped.puzzle).make(env, seed)
    played = np.zeros((steps, 2), np.uint8)
    view, _ = env.reset(seed=seed)
    state, start = None, np.ones(1, bool)
    for k in range(steps):
        action, state = policy.predict(view, state, start)
        view, _, terminated, truncated, _ = env.step(action)
        start = np.array([terminated or truncated])
        played[k] = action, start[0]
        if start[0]:
            view, _ = env.reset()
    return played.tobytes()


def assert_same(records: list[bytes], found: bytes) -> None:
    """Fail at the first record that differs."""
    at = 0
    for number, record in enumerate(records):
        there = found[at : at + len(record)]
        differing = [k for k, (one, other) in enumerate(zip(record, there, strict=False)) if one != other]
        assert there == record, f"record {number} differs at the bytes {differing}"
        at += len(record)
    assert at == len(found)
