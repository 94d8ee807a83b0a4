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
SECONDS = 120
LEVELS = Path(__file__).parents[2] / "levels" / "sokoban"
COMMENT = re.compile(r"; fewest pushes: (\d+), fewest moves: (\d+)")


def said(pack: str) -> list[tuple[int, int]]:
    """Return the fewest pushes and the fewest moves of the first levels of a pack, as stated beside them."""
    if pack == "first":
        found = COMMENT.findall((LEVELS / "first.txt").read_text(encoding="utf-8"))
    else:
        with (LEVELS / f"{pack}.csv").open(encoding="utf-8", newline="") as file:
            found = [(row["pushes"], row["fewest_moves"]) for row in csv.DictReader(file)]
    return [(int(pushes), int(moves)) for pushes, moves in found[:EACH]]


def proven(problem: Problem, cost: str) -> int | None:
    """Return the cost of an optimal plan; None if the planner says of none that it is optimal, within its time."""
    folder = tempfile.TemporaryDirectory()  # Fast Downward writes output.sas where it runs
    with folder, contextlib.chdir(folder.name), up.OneshotPlanner(name="fast-downward-opt") as planner:
        result = planner.solve(planning_problem(problem, cost), timeout=SECONDS)
    if result.status.name != "SOLVED_OPTIMALLY":
        return None
    return sum(cost == "moves" or each.action.name == "push" for each in result.plan.actions)


def rows(progress: Progress) -> Iterator[Row]:
    """The fewest pushes and the fewest moves."""
    up.get_environment().credits_stream = None
    puzzle = puzzle_of_id("Sokoban-v0")
    task = progress.add_task("Sokoban: Fast Downward", total=2 * EACH * len(PACKS))
    for number, cost in enumerate(("pushes", "moves")):
        ours, theirs = [], []
        for pack in PACKS:
            for level, minima in zip(find_levels(puzzle, pack), said(pack), strict=False):
                found = proven(Problem.at_start(puzzle, level), cost)
                if found is not None:
                    ours.append(minima[number])
                    theirs.append(found)
                progress.advance(task)
        worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        question = f"Sokoban, {EACH} levels each of {', '.join(PACKS)}: the fewest {cost}"
        program = f"Fast Downward (up-fast-downward {version('up-fast-downward')})"
        if len(ours) < EACH * len(PACKS):
            question += f" ({EACH * len(PACKS) - len(ours)} more not in {SECONDS} s)"
        yield Row(question, program, len(ours), f"{sum(ours):,} in all", f"{sum(theirs):,} in all", str(worst))
