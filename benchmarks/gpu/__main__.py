"""All that needs a GPU, in one command of at most eight minutes: equality with the CPU, steps/s.

``python -m benchmarks.gpu gpu.json``. Each result is written to the file as soon as it is there; the same command goes
on with those that are missing. ``NUMBA_ENABLE_CUDASIM=1 python -m benchmarks.gpu … --tiny`` tries the command
where there is no GPU.
"""

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch

import gridpuzzles_gym

from .equality import MODES, equal_steps


def stepping(env_id: str, num_envs: int, seconds: float, **kwargs: Any) -> float:
    """Steps per second of ``make_vec(…, device="cuda").step`` by random actions, chosen beforehand."""
    envs = gym.make_vec(env_id, num_envs, autoreset_mode="SameStep", device="cuda", copy=False, **kwargs)
    envs.reset(seed=0)
    shape = 16, num_envs
    actions = torch.randint(int(envs.single_action_space.n), shape, device=envs.action_masks().device)
    envs.step(actions[0])
    done, spent, begun = 0, 0.0, finished()
    while not done or spent < seconds:
        for row in actions:
            envs.step(row)
        done, spent = done + actions.numel(), finished() - begun
    return done / spent


def finished() -> float:
    """Wait for the GPU; returns the time in seconds."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def parts(chosen: argparse.Namespace) -> Iterator[tuple[str, float, Callable[[], Any]]]:
    """The name of each result, the seconds that it may take at most, and its work."""
    rows, tiny = gridpuzzles_gym.ENVIRONMENTS, chosen.tiny
    envs, steps, seconds, batches = (2, 3, 0.0, (2,)) if tiny else (1024, 330, 2.0, (1024, 8192, 65536, 262144))
    for row, mode in itertools.product(rows, MODES):
        yield f"equal {row.id} {mode}", 40, partial(equal_steps, row.id, mode, envs, steps)
    for row, size in itertools.product(rows, batches):
        yield f"steps/s {row.id} {size}", 30, partial(stepping, row.id, size, seconds)


def main() -> None:
    """Do what is missing in the file, as long as there is time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=480, help="nothing begins that may take longer")
    parser.add_argument("--only", default="", help="the beginning of the names of results")
    parser.add_argument("--tiny", action="store_true", help="a moment each, to try the command")
    chosen = parser.parse_args()
    found = json.loads(chosen.file.read_text()) if chosen.file.exists() else {"errors": {}}
    ends = time.monotonic() + chosen.seconds
    for name, most, work in parts(chosen):
        if name.startswith(chosen.only) and name not in found and time.monotonic() + most < ends:
            found["errors"].pop(name, None)
            try:
                found[name] = work()
            except (Exception, SystemExit) as error:  # the others go on, and the next call tries again
                found["errors"][name] = f"{type(error).__name__}: {error}"
            print(name, found.get(name, found["errors"].get(name)), flush=True)
            chosen.file.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
