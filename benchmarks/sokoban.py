"""Sokoban: the original program's A* and the push searches on the same levels, or any searches on the levels of a file.

``python benchmarks/sokoban.py``; ``python benchmarks/sokoban.py levels.xsb --search sokoban --search sokoban-moves``.
A search may name a heuristic: ``astar:original``. Run it on an idle machine.
"""

import argparse
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.search.problem import Limits, Problem, Result
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Level
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import write_lurd

SEARCHES = ("astar:original", "sokoban")
PACK, LAST = "first", 20
"""The last levels of the shipped pack are its hardest."""


def problem(level: Level) -> Problem:
    options = PUZZLE.read_options()
    return Problem(PUZZLE, *PUZZLE.encode(level, level.extent, options), options)


def solve(search: str, level: Level, limits: Limits) -> Result:
    name, _, heuristic = search.partition(":")
    return search_named(name, PUZZLE).solve(problem(level), heuristic_named(heuristic or None, PUZZLE), limits)


def cells(level: Level, result: Result) -> Iterator[str]:
    """What one search did on one level."""
    if result.solved:
        lurd = write_lurd(problem(level).level, problem(level).state, result.actions)
        yield from (str(len(lurd)), str(sum(letter.isupper() for letter in lurd)))
    else:
        yield from (result.reason or result.status, "")
    yield from (f"{result.expanded:,}", f"{result.seconds:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="?", help="a file, a folder, or a shipped pack; else the last of our own")
    parser.add_argument("--search", action="append", metavar="NAME[:HEURISTIC]", help=f"default {', '.join(SEARCHES)}")
    parser.add_argument("--seconds", type=float, default=20, help="limit of each search on each level")
    arguments = parser.parse_args()
    searches = arguments.search or SEARCHES
    levels = find_levels(PUZZLE, arguments.levels) if arguments.levels else find_levels(PUZZLE, PACK)[-LAST:]
    table = Table(title=f"at most {arguments.seconds:g} s each")
    table.add_column("level")
    table.add_column("boxes", justify="right")
    for search in searches:
        solve(search, levels[0], Limits(nodes=1))  # compiles
        for heading in (f"{search}: moves", "pushes", "nodes", "seconds"):
            table.add_column(heading, justify="right")
    solved, seconds = dict.fromkeys(searches, 0), dict.fromkeys(searches, 0.0)
    for level in levels:
        boxes = sum(row.count("$") + row.count("*") for row in level.content)
        row = [level.name, str(boxes)]
        for search in searches:
            result = solve(search, level, Limits(seconds=arguments.seconds))
            solved[search] += result.solved
            seconds[search] += result.seconds
            row.extend(cells(level, result))
        table.add_row(*row)
    console = Console()
    console.print(table)
    for search in searches:
        console.print(f"{search}: {solved[search]} of {len(levels)} solved, {seconds[search]:.3f} s", highlight=False)


if __name__ == "__main__":
    main()
