"""The speed of the searches on one core, compared with A* in plain Python.

``python benchmarks/searching.py``. Best of ``--repeats``; run it on an idle machine.
"""

import argparse
import heapq
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.n_puzzle.ida_star import SEARCHES as TILE_SEARCHES
from gridpuzzles_gym.agents.search.breadth_first import explore
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, Options, boards

EIGHT, FIFTEEN = (3, 3), (4, 4)
# One of the two boards that are 31 moves from 1 2 3 / 4 5 6 / 7 8 _.
DEEPEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
# Korf's instance 12: 45 moves, and 546,344 nodes of IDA* with Manhattan distance (Artificial Intelligence 27, 1985).
KORF_12, KORF_12_NODES = (14, 1, 9, 6, 4, 8, 12, 5, 7, 2, 3, 0, 10, 11, 13, 15), 546_344


def problem(tiles: tuple[int, ...], goal: str, extent: tuple[int, int]) -> Problem:
    options = Options(width=extent[1], height=extent[0], goal=goal)
    return Problem(PUZZLE, *boards.make_rows(tiles, boards.arrange(goal, *extent), extent), options)


def textbook_astar(start: tuple[int, ...], goal: tuple[int, ...], width: int) -> tuple[int, int]:
    """A* as a textbook has it, on tuples: (moves, states expanded)."""
    homes = {tile: divmod(square, width) for square, tile in enumerate(goal)}
    height = len(goal) // width

    def manhattan(board: tuple[int, ...]) -> int:
        total = 0
        for square, tile in enumerate(board):
            if tile:
                row, column = divmod(square, width)
                total += abs(row - homes[tile][0]) + abs(column - homes[tile][1])
        return total

    waiting = [(manhattan(start), 0, start)]
    costs, closed = {start: 0}, set()
    while waiting:
        _, _, board = heapq.heappop(waiting)
        if board == goal:
            return costs[board], len(closed)
        if board in closed:
            continue
        closed.add(board)
        row, column = divmod(board.index(0), width)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if 0 <= row + down < height and 0 <= column + right < width:
                blank, other = row * width + column, (row + down) * width + column + right
                tiles = list(board)
                tiles[blank], tiles[other] = tiles[other], 0
                child = tuple(tiles)
                cost = costs[board] + 1
                if cost < costs.get(child, cost + 1):
                    costs[child] = cost
                    estimate = manhattan(child)
                    heapq.heappush(waiting, (cost + estimate, estimate, child))
    raise ValueError("no way to the goal")


def best(repeats: int, work: Callable[[], int]) -> tuple[int, float]:
    """The amount of work, and the seconds of the fastest of several repeats, after one to warm up."""
    work()
    fastest = np.inf
    for _ in range(repeats):
        begun = time.perf_counter()
        done = work()
        fastest = min(fastest, time.perf_counter() - begun)
    return done, float(fastest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10, metavar="N")
    repeats = parser.parse_args().repeats
    manhattan = HEURISTICS["manhattan"]
    solved = problem(boards.arrange("rows", *EIGHT), "rows", EIGHT)
    deepest, korf = problem(DEEPEST, "rows", EIGHT), problem(KORF_12, "blank-first", FIFTEEN)
    table = Table(title="searches on sliding tiles, one core")
    for heading in ("search", "instance", "states", "seconds", "M states/s"):
        table.add_column(heading, justify="left" if heading in ("search", "instance") else "right")

    def row(name: str, instance: str, states: int, seconds: float) -> float:
        rate = states / seconds / 1e6
        table.add_row(name, instance, f"{states:,}", f"{seconds:.4f}", f"{rate:.3f}")
        return rate

    row("breadth-first, expanded", "all of the 8-puzzle", *best(repeats, lambda: int(explore(solved).sum())))
    for name in ("uniform-cost", "astar", "ida-star"):
        search = SEARCHES[name]
        done = best(repeats, lambda search=search: search.solve(deepest, manhattan).expanded)  # type: ignore[misc]  # no type is inferred
        rate = row(f"{name}, expanded", "8-puzzle, 31 moves", *done)
        if name == "astar":
            astar = rate
    goal = boards.arrange("rows", *EIGHT)
    plain = row(
        "plain Python A*, expanded", "8-puzzle, 31 moves", *best(1, lambda: textbook_astar(DEEPEST, goal, 3)[1])
    )
    tile_search = TILE_SEARCHES["tile-ida-star"]
    found: list[int] = []

    def many() -> int:
        found[:] = [tile_search.solve(korf, manhattan).generated for _ in range(20)]
        return sum(found)

    row("tile-ida-star, generated", "Korf 12, twenty times", *best(repeats, many))
    console = Console()
    console.print(table)
    console.print(f"A* against plain Python A*: x{astar / plain:.0f}", highlight=False)
    console.print(f"nodes on Korf's instance 12: {found[0] + 1:,}; Korf: {KORF_12_NODES:,}", highlight=False)


if __name__ == "__main__":
    main()
