"""Random Sokoban boards for tests, all of which can be played as levels."""

import functools
import random

from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban.checking import check


@functools.cache
def random_rows(seed, height=None, width=None):
    """A board in plain XSB, a wall wherever the player never comes; equal seeds give equal boards."""
    rng = random.Random(seed)
    while True:
        high, wide = height or rng.randint(3, 9), width or rng.randint(5, 9)
        grid = [["#"] * wide for _ in range(high)]
        inside = [(row, column) for row in range(1, high - 1) for column in range(1, wide - 1)]
        for row, column in inside:
            grid[row][column] = "#" if rng.random() < 0.1 else " "
        boxes = rng.randint(1, max(1, len(inside) // 8))
        places = rng.sample(inside, min(len(inside), 2 * boxes + 1))
        for number, (row, column) in enumerate(places):
            grid[row][column] = "@" if number == 0 else "$" if number <= boxes else "."
        for symbol, other in ("@", "+"), ("$", "*"):
            if rng.random() < 0.2:  # one goal moves under him, or under a box
                _join(grid, symbol, other)
        try:
            return check(["".join(row) for row in grid], lambda row, column: "")
        except LevelError:
            continue


def _join(grid, symbol, other):
    found = {cell: (r, c) for r, row in enumerate(grid) for c, cell in enumerate(row)}
    if symbol in found and "." in found:
        (row, column), (r, c) = found[symbol], found["."]
        grid[row][column], grid[r][c] = other, " "
