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
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch

import gridpuzzles_gym
from gridpuzzles_gym.agents.training.checkpoints import CHECKPOINT

from ..learning.results import read_curve
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


def training(env_id: str, network: str, num_envs: int, seconds: float) -> float:
    """Steps per second of ``gridpuzzles train`` on the device, without those before the first row of its curve."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = "--network", network, "--engine", "own", "--device", device(), *sizes(num_envs)
        command("train", env_id, *chosen, "--minutes", str(seconds / 60), "--out", folder)
        first, *_, last = read_curve(Path(folder) / "curve.csv")
    return float((last["steps"] - first["steps"]) / (last["seconds"] - first["seconds"]))


def sizes(num_envs: int) -> list[str]:
    """The options of a training whose end is that of its minutes, with eight minibatches in each rollout."""
    hypers = "total_steps=1000000000000", "n_steps=16", f"batch_size={2 * num_envs}"
    return ["--num-envs", str(num_envs), *(word for hyper in hypers for word in ("--hyper", hyper))]


def boxoban(train: Path, test: Path, num_envs: int, minutes: float, folder: Path) -> dict[str, Any]:
    """Train on a level folder and play each test level once; returns what ``gridpuzzles compare --json`` prints."""
    chosen = "--levels", str(train), "--set", "max_episode_steps=120", "--network", "residual", "--device", device()
    resume = ["--resume"] if (folder / CHECKPOINT).exists() else []
    minutes_and_place = "--minutes", str(minutes), "--out", str(folder)
    command("train", "Sokoban-v0", *chosen, *sizes(num_envs), *minutes_and_place, *resume)
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
    networks, trained = (("Wumpus-v0", "mlp"), ("Sokoban-v0", "residual")), (64,) if tiny else (4096, 65536)
    for (env_id, network), size in itertools.product(networks, trained):
        yield f"training {env_id} {network} {size}", 75, partial(training, env_id, network, size, 20 if tiny else 45)
    if chosen.boxoban:
        minutes, folder = (0.1 if tiny else 4), chosen.file.with_suffix(".boxoban")
        yield "boxoban", 60 * minutes + 60, partial(boxoban, *chosen.boxoban, trained[0], minutes, folder)


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
