"""Training while its level makers are killed: ``python benchmarks/soak.py [--minutes 30] [--kill-every 10]``.

Trains PPO on Sokoban levels that background processes generate, kills one of these processes at a time, and then trains
for as long on a fixed pack. Prints the frames per second of both, and the training process's memory. Linux only.
"""

import argparse
import csv
import itertools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLERS = {
    "on the fly": ["--sampler", "on-the-fly:workers=1,size=7,boxes=2,simulations=50"],
    "fixed pack": ["--levels", "starter"],
}
SECONDS = 10


def workers_of(parent: int) -> list[int]:
    """Return the processes that make levels for a process."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            status, command = (path / "status").read_text(), (path / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if f"\nPPid:\t{parent}\n" in status and b"parallel" in command:
            found.append(int(path.name))
    return found


def megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def soak(name: str, minutes: float, kill_every: float | None, folder: Path) -> float:
    """Train; print a line a minute, and return the median of frames a second after the first tenth."""
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", "train", "Sokoban-v0", *SAMPLERS[name]]
    command += ["--hyper", f"minutes={minutes:g}", "--hyper", "threads=1", "--steps", "1000000000000"]
    process = subprocess.Popen([*command, "--out", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    began, kills, memory = time.monotonic(), 0, []
    for tick in itertools.count(1):
        try:
            process.wait(began + tick * SECONDS - time.monotonic())
            break
        except subprocess.TimeoutExpired:
            pass
        memory.append(megabytes(process.pid))
        if kill_every is not None and tick * SECONDS % kill_every == 0:
            for worker in workers_of(process.pid)[:1]:
                os.kill(worker, signal.SIGKILL)
                kills += 1
        if tick * SECONDS % 60 == 0:
            print(f"{name}, minute {tick * SECONDS // 60}: {memory[-1]:.0f} MB, {kills} killed", flush=True)
    assert process.returncode == 0, process.stderr and process.stderr.read().decode()
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    points = [(float(row["steps"]), float(row["seconds"])) for row in rows[len(rows) // 10 :: 20]]
    rates = [(steps - past) / (at - before) for (past, before), (steps, at) in itertools.pairwise(points)]
    median, settled = statistics.median(rates), memory[len(memory) // 6 :]
    print(
        f"{name}: {median:,.0f} frames/s, lowest {min(rates):,.0f}; {points[-1][0]:,.0f} frames; {kills} killed; "
        f"memory {settled[0]:.0f} MB after a sixth, {settled[-1]:.0f} MB at the end, at most {max(memory):.0f} MB"
    )
    print(rows[-1], flush=True)
    return median


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30, help="of each run")
    parser.add_argument("--kill-every", type=float, default=10, help="seconds, a multiple of 10")
    parser.add_argument("--only", choices=SAMPLERS)
    arguments = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.2f}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SAMPLERS if arguments.only is None else [arguments.only]:
            kill_every = arguments.kill_every if name == "on the fly" else None
            found[name] = soak(name, arguments.minutes, kill_every, Path(folder, name.replace(" ", "-")))
    if len(found) == 2:
        print(f"on the fly: {found['on the fly'] / found['fixed pack']:.1%} of the frame rate of the fixed pack")


if __name__ == "__main__":
    main()
