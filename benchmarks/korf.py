"""The 15-puzzle, solved with the fewest moves: nodes and seconds by heuristic.

``python benchmarks/korf.py --instances FILE --heuristic manhattan --heuristic pdb-6-6-3``. The file has a line
an instance, ``number;fewest moves;Manhattan distance;nodes;16 tiles``, with the goal 0, 1 … 15, and as nodes
those that IDA* generates with Manhattan distance: R. E. Korf, "Depth-first iterative-deepening", Artificial
Intelligence 27, 1985. Without a file, instances are sampled at random. One core; run it on an idle machine.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.n_puzzle.ida_star import SEARCHES
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.engine.random import initial_bits
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, Options, boards, rules

# Nodes generated on average over Korf's 100 instances: R. E. Korf and A. Felner, "Disjoint pattern database
# heuristics", Artificial Intelligence 134, 2002.
PUBLISHED = {
    "manhattan": 401_189_630,
    "linear-conflict": 40_224_625,
    "pdb-5-5-5": 3_090_405,
    "pdb-6-6-3": 617_555,
    "pdb-7-8": 36_710,
}
EXTENT = (4, 4)


class Instance(NamedTuple):
    """One line of the file."""

    number: int
    tiles: tuple[int, ...]
    moves: int | None = None
    nodes: int | None = None


def read(path: str) -> list[Instance]:
    found = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                number, moves, _, nodes, tiles = line.split(";")
                found.append(Instance(int(number), tuple(map(int, tiles.split())), int(moves), int(nodes)))
    return found


def next_bits(count: int, seed: int) -> list[Instance]:
    """Instances sampled uniformly from all boards that can be solved."""
    goal = boards.arrange("blank-first", *EXTENT)
    rng = np.array([initial_bits(np.random.default_rng(seed))], np.uint64)
    found = []
    for number in range(1, count + 1):
        level, state = boards.make_rows(goal, goal, EXTENT)
        rules.shuffle(level, state, rng)
        found.append(Instance(number, tuple(state[rules.TILES :].tolist())))
    return found


def problem(instance: Instance) -> Problem:
    rows = boards.make_rows(instance.tiles, boards.arrange("blank-first", *EXTENT), EXTENT)
    return Problem(PUZZLE, *rows, Options(width=4, height=4, goal="blank-first"))


def measure(name: str, instances: list[Instance], console: Console) -> None:
    heuristic, search = HEURISTICS[name], SEARCHES["tile-ida-star"]
    begun = time.perf_counter()
    heuristic.prepare(problem(instances[0]).level, progress=True)
    prepared = time.perf_counter() - begun
    search.solve(problem(instances[0]), heuristic, Limits(nodes=1))  # compiled from here on
    compares = name == "manhattan" and instances[0].nodes is not None
    table = Table(title=f"{name}: tables ready in {prepared:.2f} s", title_justify="left")
    for heading in ("instance", "moves", "nodes generated", "seconds", "M nodes/s", *(["of Korf's nodes"] * compares)):
        table.add_column(heading, justify="right")
    nodes, seconds, moves = [], [], []
    for instance in instances:
        task = problem(instance)
        result = search.solve(task, heuristic, progress=True)
        assert task.reaches_goal(result.actions)
        assert instance.moves in (None, result.cost), f"{result.cost} moves, not {instance.moves}"
        nodes.append(result.generated + 1)  # Korf counts the start
        seconds.append(result.seconds)
        moves.append(result.cost)
        row = [str(instance.number), str(moves[-1]), f"{nodes[-1]:,}", f"{seconds[-1]:.4f}"]
        row.append(f"{nodes[-1] / seconds[-1] / 1e6:.1f}")
        table.add_row(*row, *([f"{nodes[-1] / (instance.nodes or 1):.8f}"] * compares))
    mean = [f"{np.mean(moves):.2f}", f"{np.mean(nodes):,.0f}", f"{np.mean(seconds):.4f}"]
    table.add_section()
    table.add_row("mean", *mean, f"{sum(nodes) / sum(seconds) / 1e6:.1f}")
    if name in PUBLISHED:
        table.add_row("Korf's 100", "53.05", f"{PUBLISHED[name]:,}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", metavar="FILE", help="number;fewest moves;Manhattan distance;nodes;16 tiles")
    parser.add_argument(
        "--heuristic", action="append", choices=[n for n in HEURISTICS if n not in ("misplaced", "pdb")]
    )
    parser.add_argument("--count", type=int, default=10, help="number of random instances, without a file")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args()
    instances = read(settings.instances) if settings.instances else next_bits(settings.count, settings.seed)
    for name in settings.heuristic or ["pdb-6-6-3"]:
        measure(name, instances, Console())


if __name__ == "__main__":
    main()
