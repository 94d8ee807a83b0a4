"""Level text of Sokoban, both ways."""

from typing import Any, NamedTuple

import numpy as np

from ...engine.levels import blocks
from ...engine.puzzle import Extent, Level, LevelError, Row, Scene
from .boards import Squares, make_rows, squares_of
from .rules import ASTRAY, PLAYER

ACTIONS = ("up", "down", "left", "right")


class Board(NamedTuple):
    """What a level text says."""

    rows: tuple[str, ...]
    where: str


def parse(text: str, source: str) -> list[Level]:
    """Read the levels in a text."""
    found = []
    for title, lines in blocks(text):
        rows = tuple(line for _, line in lines)
        where = f"{source}:{lines[0][0]}"
        found.append(Level((len(rows), max(map(len, rows))), Board(rows, where), title or where))
    return found


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """The rows of a level, padded with walls to ``extent``."""
    board: Board = level.content
    grid = np.full(extent, "#")
    for row, line in enumerate(board.rows):
        for column, letter in enumerate(line):
            grid[row, column] = letter
    outside = _outside(grid == "#")
    player = np.flatnonzero((grid == "@") | (grid == "+"))
    if len(player) != 1:
        raise LevelError(f"{board.where}: one player is needed")
    goals, boxes = np.isin(grid, list(".+*")), np.isin(grid, list("$*"))
    return make_rows((grid == "#") | outside, goals & ~outside, boxes & ~outside, int(player[0]), options)


def _outside(walls: Squares) -> Squares:
    """The squares from which the edge of the board is reached without crossing a wall."""
    free = ~walls
    reached = free.copy()
    reached[1:-1, 1:-1] = False
    while True:
        more = reached.copy()
        more[1:] |= reached[:-1]
        more[:-1] |= reached[1:]
        more[:, 1:] |= reached[:, :-1]
        more[:, :-1] |= reached[:, 1:]
        more &= free
        if (more == reached).all():
            return reached
        reached = more


def format_level(level: Row, state: Row) -> str:
    """Level text of the board as it is now."""
    return "".join(f"{row}\n" for row in grid(level, state))


def grid(level: Row, state: Row) -> list[str]:
    """The rows of a board, in the symbols of level text."""
    walls, goals, boxes = squares_of(level, state)
    player = np.zeros(walls.shape, bool)
    player.ravel()[state[PLAYER]] = True
    symbols = np.array(list(" .$*@+"))[goals + 2 * boxes + 4 * player]
    symbols[walls] = "#"
    return ["".join(row) for row in symbols]


def ansi(scene: Scene) -> str:
    """The board; below it steps, score, and how things stand."""
    astray = int(scene.state[ASTRAY])
    line = "solved" if astray == 0 else f"{astray} to go"
    return "\n".join([*grid(scene.level, scene.state), f"step {scene.steps}  score {scene.score:g}  {line}"]) + "\n"
