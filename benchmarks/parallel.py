"""Speed of long jobs on several processes, and on Ray: ``python benchmarks/parallel.py [--ray] [--workers 1,2]``.

Medians of the times of whole commands, run by turns in several rounds; then the number of tasks that an executor hands
on in a second. ``--ray`` needs the extra ``ray``, and starts a cluster with as many cores as the most workers.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from math import factorial
from pathlib import Path

from gridpuzzles_gym.agents.parallel import TaskExecutor, local, ray

COMMANDS = {
    "generate, 400 levels of 10×10": "generate sokoban --size 10 --count 400 --simulations 300 --out FILE.txt",
    "levels solve, 1,000 levels, sokoban-moves": "levels solve medium --search sokoban-moves --csv FILE.csv",
    "compare, 10,000 caves, bayesian": "compare wumpus --agent bayesian --episodes 10000 --csv FILE.csv",
}
TASKS = 3_000


def seconds(command: str, *options: str) -> float:
    """Run a command in an empty folder; return the wall-clock time of its process."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = command.replace("FILE", str(Path(folder, "made"))).split()
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "gridpuzzles_gym.cli", *arguments, *options], check=True, capture_output=True
        )
        return time.perf_counter() - begun


def rate(executor: TaskExecutor) -> float:
    """Return how many tasks that do nothing an executor does in a second."""
    for future in [executor.submit(factorial, 1) for _ in range(20)]:
        future.result()
    begun = time.perf_counter()
    for future in [executor.submit(factorial, 1) for _ in range(TASKS)]:
        future.result()
    return TASKS / (time.perf_counter() - begun)


@contextlib.contextmanager
def cluster(cores: int) -> Iterator[str | None]:
    """Start a Ray cluster of some cores, unless that is 0; yields its address."""
    if not cores:
        yield None
        return
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": cores, "include_dashboard": False})
    try:
        yield made.address
    finally:
        made.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", default="1,2", help="numbers of processes; the first must be 1")
    parser.add_argument("--only", action="append", help="commands that begin with this word")
    arguments = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.2f}")
    numbers = arguments.workers.split(",")
    most = max(map(int, numbers))
    with cluster(most if arguments.ray else 0) as address:
        ways = {number: ("--workers", number) for number in numbers} | ({"Ray": ("--ray", address)} if address else {})
        for name, command in COMMANDS.items():
            if arguments.only and command.split()[0] not in arguments.only:
                continue
            found: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(arguments.rounds):
                for way, options in ways.items():
                    found[way].append(seconds(command, *options))
            medians = {way: statistics.median(times) for way, times in found.items()}
            first = next(iter(medians.values()))
            faster = ", ".join(f"{way} {first / value:.2f}×" for way, value in medians.items() if way != numbers[0])
            print(
                f"{name}: {', '.join(f'{way}: {value:.1f} s' for way, value in medians.items())}; {faster}", flush=True
            )
        with local(most) as executor:
            print(f"tasks a second, {most} processes: {rate(executor):,.0f}")
        if address:
            with ray(address) as executor:
                print(f"tasks a second, Ray: {rate(executor):,.0f}")


if __name__ == "__main__":
    main()
