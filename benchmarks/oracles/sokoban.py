"""The proven minima of bundled Sokoban levels, proven again by the planner Fast Downward.

Our numbers are those beside the levels; the planning problems are those of examples/planners.py.
"""

import contextlib
import csv
import re
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import unified_planning.shortcuts as up
from rich.progress import Progress

from examples.planners import planning_problem
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.registration import puzzle_of_id

from . import Row

PACKS = ("first", "starter-test", "easy-test", "medium-test", "hard-test")
EACH = 10
"""The number of levels of each pack."""
SECONDS = 900
LEVELS = Path(__file__).parents[2] / "levels" / "sokoban"
COMMENT = re.compile(r"; fewest pushes: (\d+), fewest moves: (\d+)")


def stated_minima(pack: str) -> list[tuple[int, int]]:
    """Return the fewest pushes and the fewest moves of the first levels of a pack, as stated beside them."""
    if pack == "first":
        found = COMMENT.findall((LEVELS / "first.txt").read_text(encoding="utf-8"))
    else:
        lines = (LEVELS / f"{pack}.csv").read_text(encoding="utf-8").splitlines()
        found = [(line["pushes"], line["fewest_moves"]) for line in csv.DictReader(lines)]
    return [(int(pushes), int(moves)) for pushes, moves in found[:EACH]]


def optimal_cost(problem: Problem, cost: str) -> int | None:
    """Return the cost of an optimal plan; None if the planner says of none that it is optimal, within its time."""
    folder = tempfile.TemporaryDirectory()  # Fast Downward writes output.sas where it runs
    with folder, contextlib.chdir(folder.name), up.OneshotPlanner(name="fast-downward-opt") as planner:
        task = planning_problem(problem, cost)  # type: ignore[no-untyped-call]
        result: Any = planner.solve(task, timeout=SECONDS)
    if result.status.name != "SOLVED_OPTIMALLY":
        return None
    return sum(cost == "moves" or str(each.action.name) == "push" for each in result.plan.actions)


def rows(progress: Progress) -> Iterator[Row]:
    """The fewest pushes and the fewest moves."""
    up.get_environment().credits_stream = None
    puzzle, program = puzzle_of_id("Sokoban-v0"), f"Fast Downward (up-fast-downward {version('up-fast-downward')})"
    levels = [each for pack in PACKS for each in zip(find_levels(puzzle, pack), stated_minima(pack), strict=False)]
    for number, cost in enumerate(("pushes", "moves")):
        pairs, late = [], 0
        for level, minima in progress.track(levels, description=f"Sokoban, {cost}: Fast Downward"):
            found = optimal_cost(Problem.at_start(puzzle, level), cost)
            if found is None:
                late += 1
            else:
                pairs.append((minima[number], found))
        question = f"Sokoban, {EACH} levels each of {', '.join(PACKS)}: fewest {cost}"
        question += f" ({late} of them not in {SECONDS} s)" if late else ""
        ours, theirs = (f"{sum(each):,} in all" for each in zip(*pairs, strict=True))
        yield Row(question, program, len(pairs), ours, theirs, str(max(abs(a - b) for a, b in pairs)))
