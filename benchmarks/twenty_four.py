"""The 24-puzzle, solved with the fewest moves: ten published boards, nodes, seconds and lower bounds.

``python benchmarks/twenty_four.py --results FILE --seconds 1800``. Every board that is finished is added to the file,
as a line of JSON; the same command goes on after an interruption. A board that ran into the limit is searched again,
from the start, only with a larger one. The databases are built first: 450 MB on disk and in memory, about a minute.

The boards are those of R. E. Korf and L. A. Taylor, "Finding optimal solutions to the twenty-four puzzle", AAAI 1996.
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
from gridpuzzles_gym.agents.n_puzzle.ida_star import SEARCHES
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, Options, boards

EXTENT = (5, 5)
GOAL = "blank-first"
BOARDS = {
    "17 1 20 9 16 2 22 19 14 5 15 21 0 3 24 23 18 13 12 7 10 8 6 4 11": 100,
    "14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13": 95,
    "7 13 11 22 12 20 1 18 21 5 0 8 14 24 19 9 4 17 16 10 23 15 3 2 6": 108,
    "18 14 0 9 8 3 7 19 2 15 5 12 1 13 24 23 4 21 10 20 16 22 11 6 17": 98,
    "2 0 10 19 1 4 16 3 15 20 22 9 6 18 5 13 12 21 8 17 23 11 24 7 14": 101,
    "16 5 1 12 6 24 17 9 2 22 4 10 13 18 19 20 0 23 7 21 15 11 8 3 14": 96,
    "21 22 15 9 24 12 16 23 2 8 5 18 17 7 10 14 13 4 0 6 20 11 3 1 19": 104,
    "6 0 24 14 8 5 21 19 9 17 16 20 10 13 2 15 11 22 1 3 7 23 4 18 12": 97,
    "3 2 17 0 14 18 22 19 15 20 9 7 10 21 16 6 24 23 8 5 1 4 11 12 13": 113,
    "23 14 0 24 17 9 20 21 2 18 10 13 22 1 3 11 4 16 6 5 7 12 8 15 19": 114,
}
"""The published length of a shortest solution of each board."""


def problem_of(tiles: str) -> Problem:
    """Return the problem of a board."""
    level, state = boards.make_rows(tuple(map(int, tiles.split())), boards.arrange(GOAL, *EXTENT), EXTENT)
    return Problem(PUZZLE, level, state, Options(width=5, height=5, goal=GOAL))


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The last record of each board."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["tiles"]: record for record in map(json.loads, lines)}


def measure(tiles: str, seconds: float, threads: int) -> dict[str, Any] | None:
    """Solve one board; None after Ctrl-C."""
    problem = problem_of(tiles)
    heuristic, began = HEURISTICS["pdb-catalogue"], time.process_time()
    result = SEARCHES["tile-ida-star"].solve(
        problem, heuristic, Limits(seconds=seconds), progress=True, threads=threads
    )
    if result.status == INTERRUPTED:
        return None
    assert not result.solved or (problem.reaches_goal(result.actions) and result.cost == BOARDS[tiles])
    return {
        "tiles": tiles,
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
    for record in records:
        number = list(BOARDS).index(record["tiles"]) + 1
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
    parser.add_argument(
        "--only",
        type=int,
        nargs="+",
        choices=range(1, 11),
        default=range(1, 11),
        metavar="NUMBER",
        help="boards, 1 to 10",
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of each board")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    settings = parser.parse_args()
    chosen, known = [list(BOARDS)[number - 1] for number in settings.only], read(settings.results)
    HEURISTICS["pdb-catalogue"].prepare(problem_of(chosen[0]).level, progress=True)
    finished = []
    for tiles in chosen:
        record = known.get(tiles)
        if record is None or (not record["solved"] and record["limit"] < settings.seconds):
            record = measure(tiles, settings.seconds, settings.threads)
            if record is None:
                break
            with settings.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        finished.append(record)
    if finished:
        show(finished, Console())


if __name__ == "__main__":
    main()
