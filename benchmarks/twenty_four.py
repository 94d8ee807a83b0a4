"""The 24-puzzle, solved with the fewest moves: uniformly random boards, nodes, seconds and lower bounds.

``python benchmarks/twenty_four.py --results FILE --seconds 600``. Every board that is finished is added to the file, as
a line of JSON, and the same command goes on after an interruption. A board that ran into the limit is searched again,
from the start, only with a larger one. The databases are built first: 450 MB on disk and in memory, about a minute.

With 52 seconds of processor time a board (``--seconds 90`` on two busy cores), two of twenty boards are solved, and the
lower bounds of the others are 92 to 105; ``docs/searches.md`` has more.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.n_puzzle.searches import SEARCHES
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.engine.random import initial_bits
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, Options, boards, rules

EXTENT = (5, 5)
GOAL = "blank-first"


def draw(count: int, seed: int) -> list[Problem]:
    """Problems sampled uniformly from all boards that can be solved."""
    goal = boards.arrange(GOAL, *EXTENT)
    rng = np.array([initial_bits(np.random.default_rng(seed))], np.uint64)
    found = []
    for _ in range(count):
        level, state = boards.make_rows(goal, goal, EXTENT)
        rules.shuffle(level, state, rng)
        found.append(Problem(PUZZLE, level, state, Options(width=5, height=5, goal=GOAL)))
    return found


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The last record of each board."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["tiles"]: record for record in map(json.loads, lines)}


def measure(problem: Problem, seconds: float, threads: int) -> dict[str, Any] | None:
    """Solve one board; None after Ctrl-C."""
    heuristic, began = HEURISTICS["pdb-catalogue"], time.process_time()
    result = SEARCHES["tile-ida-star"].solve(
        problem, heuristic, Limits(seconds=seconds), progress=True, threads=threads
    )
    if result.status == INTERRUPTED:
        return None
    assert not result.solved or problem.reaches_goal(result.actions)
    return {
        "tiles": " ".join(map(str, problem.state[rules.TILES :].tolist())),
        "estimate": int(heuristic.function()(problem.level, problem.state, heuristic.prepare(problem.level))),
        "solved": result.solved,
        "moves": result.cost if result.solved else None,
        "lower_bound": result.lower_bound,
        "generated": result.generated,
        "seconds": result.seconds,
        "cpu_seconds": time.process_time() - began,
        "limit": seconds,
        "actions": "".join("UDLR"[action] for action in result.actions),
    }


def show(records: list[dict[str, Any]], console: Console) -> None:
    """Print a table."""
    table = Table()
    for heading in ("board", "estimate", "moves", "M nodes generated", "seconds", "CPU seconds", "M nodes/s"):
        table.add_column(heading, justify="right")
    for number, record in enumerate(records, start=1):
        moves = str(record["moves"]) if record["solved"] else f">= {record['lower_bound']}"
        nodes, seconds = record["generated"] / 1e6, record["seconds"]
        row = f"{nodes:,.1f}", f"{seconds:,.1f}", f"{record['cpu_seconds']:,.1f}", f"{nodes / seconds:.1f}"
        table.add_row(str(number), str(record["estimate"]), moves, *row)
    table.add_section()
    means = [float(np.mean([record[name] for record in records])) for name in ("generated", "seconds", "cpu_seconds")]
    solved = [record["moves"] for record in records if record["solved"]]
    found = f"{len(solved)} solved: {np.mean(solved):.1f}" if solved else "none"
    table.add_row("mean", "", found, f"{means[0] / 1e6:,.1f}", f"{means[1]:,.1f}", f"{means[2]:,.1f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, metavar="FILE", help="JSON lines; goes on from there")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of each board")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    settings = parser.parse_args()
    problems, known = draw(settings.count, settings.seed), read(settings.results)
    HEURISTICS["pdb-catalogue"].prepare(problems[0].level, progress=True)
    finished = []
    for problem in problems:
        record = known.get(" ".join(map(str, problem.state[rules.TILES :].tolist())))
        if record is None or (not record["solved"] and record["limit"] < settings.seconds):
            record = measure(problem, settings.seconds, settings.threads)
            if record is None:
                break
            with settings.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        finished.append(record)
    if finished:
        show(finished, Console())


if __name__ == "__main__":
    main()
