"""All that needs a GPU, in one command of at most eight minutes: equality with the CPU, steps/s, training, Boxoban.

``python -m benchmarks.gpu gpu.json``. Each result is written to the file as soon as it is there; the same command goes
on with those that are missing. ``--boxoban TRAIN TEST`` are Boxoban's training levels, as a level folder, and a file of
test levels. ``NUMBA_ENABLE_CUDASIM=1 python -m benchmarks.gpu … --tiny`` tries the command where there is no GPU.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch

import gridpuzzles_gym
from gridpuzzles_gym.engine.puzzle import OUTCOMES

from .learning.plan import Speed
from .learning.speed import steps_a_second

MODES = ("NextStep", "SameStep", "Disabled")
ENDINGS = ("is_success", "outcome", "final_obs", "final_info")
"""Entries of infos that the GPU gives at each step."""


def equal_steps(env_id: str, mode: str, num_envs: int, steps: int, **kwargs: Any) -> int:
    """Play the same actions on both devices; returns the number of episodes that ended.

    Args:
        env_id: The environment.
        mode: Gymnasium's autoreset mode.
        num_envs: The number of environments.
        steps: The number of steps of each.
        **kwargs: Further keyword arguments of ``gym.make_vec``.

    Raises:
        AssertionError: A result of the GPU is not that of the CPU.
    """
    cpu, gpu = (
        gym.make_vec(env_id, num_envs, "vector_entry_point", autoreset_mode=mode, masks=True, device=device, **kwargs)
        for device in ("cpu", "cuda")
    )
    check("reset", cpu.reset(seed=0), gpu.reset(seed=0))
    actions, ended = np.random.default_rng(0), 0
    for step in range(steps):
        chosen = actions.integers(int(cpu.single_action_space.n), size=num_envs)
        expected = cpu.step(chosen)
        check(f"step {step}", expected, gpu.step(torch.from_numpy(chosen)))
        done = expected[2] | expected[3]
        ended += int(done.sum())
        if mode == "Disabled" and done.any():
            options = {"reset_mask": done}
            check(f"reset after step {step}", cpu.reset(options=options), gpu.reset(options=options))
    check("masks", cpu.action_masks(), gpu.action_masks())
    return ended


def check(where: str, expected: Any, found: Any) -> None:
    """Compare results of the two devices; raises AssertionError, saying where they differ."""
    if isinstance(expected, tuple):
        for place, pair in enumerate(zip(expected, found, strict=True)):
            check(f"{where}[{place}]", *pair)
    elif isinstance(expected, dict):
        for name in found.keys() - expected.keys():  # no episode has ended
            assert name.lstrip("_") in ENDINGS, f"{where}: {name}"
            assert not found["_" + name.lstrip("_")].any(), f"{where}: {name}"
        for name, value in expected.items():
            given = expected.get("_" + name)
            if name == "final_obs":
                check(f"{where} {name}", np.stack(value[given]), found[name].cpu()[torch.from_numpy(given)])
            elif name == "outcome":
                words = np.array(OUTCOMES, object)[found[name].cpu().numpy()]
                assert value[given].tolist() == words[given].tolist(), f"{where} {name}"
            else:
                check(f"{where} {name}", value, found[name])
    else:
        array = found.cpu().numpy()
        assert array.dtype == expected.dtype, f"{where}: {array.dtype}, not {expected.dtype}"
        assert np.array_equal(array, expected), f"{where}: different numbers"


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


def training(env_id: str, network: str, seconds: float) -> float:
    """Steps per second of ``gridpuzzles train``."""
    return steps_a_second(Speed(env_id, network, ("--device", device())), None, seconds)


def boxoban(train: Path, test: Path, minutes: float, folder: Path) -> dict[str, Any]:
    """Train on a level folder and play each test level once; returns what ``gridpuzzles compare --json`` prints."""
    chosen = "--levels", str(train), "--network", "residual", "--device", device()
    command("train", "Sokoban-v0", *chosen, "--minutes", str(minutes), "--out", str(folder))
    words = "--levels", str(test), "--every-level", "--agent", str(folder), "--json"
    found: dict[str, Any] = json.loads(command("compare", "Sokoban-v0", *words))
    return found


def device() -> str:
    """The device of trainings: the simulation is of environments only."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def command(*words: str) -> str:
    """Run a command of ``gridpuzzles``; returns what it prints."""
    line = [sys.executable, "-m", "gridpuzzles_gym.cli", *words]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def parts(chosen: argparse.Namespace) -> Iterator[tuple[str, float, Callable[[], Any]]]:
    """The name of each result, the seconds that it may take at most, and its work."""
    rows, tiny = gridpuzzles_gym.ENVIRONMENTS, chosen.tiny
    envs, steps, seconds, batches = (2, 3, 0.0, (2,)) if tiny else (1024, 330, 2.0, (1024, 8192, 65536, 262144))
    for row, mode in itertools.product(rows, MODES):
        yield f"equal {row.id} {mode}", 40, partial(equal_steps, row.id, mode, envs, steps)
    for row, size in itertools.product(rows, batches):
        yield f"steps/s {row.id} {size}", 30, partial(stepping, row.id, size, seconds)
    for env_id, network in (("Wumpus-v0", "mlp"), ("Sokoban-v0", "residual")):
        yield f"training {env_id} {network}", 90, partial(training, env_id, network, 20 if tiny else 45)
    if chosen.boxoban:
        minutes, folder = (0.1 if tiny else 4), chosen.file.with_suffix(".boxoban")
        yield "boxoban", 60 * minutes + 60, partial(boxoban, *chosen.boxoban, minutes, folder)


def main() -> None:
    """Do what is missing in the file, as long as there is time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=480, help="nothing begins that may take longer")
    parser.add_argument("--only", default="", help="the beginning of the names of results")
    parser.add_argument("--boxoban", type=Path, nargs=2, metavar=("TRAIN", "TEST"))
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
