"""Level text: ``S`` start, ``G`` goal, ``#`` wall, ``.`` floor; and which rows of numbers are valid."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.board.checking import board_extent, check_number
from gridpuzzles_gym.engine.levels.sources import blocks
from gridpuzzles_gym.engine.puzzle import Level, LevelError

from .rules import GOAL, HEIGHT, PRIZE, WALLS, WIDTH


def row_lengths(extent):
    """Return the lengths of the level row and the state row of a board (height, width)."""
    return WALLS + extent[0] * extent[1], 1


def read(text, source):
    """Return the levels of a text; a LevelError says what is invalid, with line and column.

    Args:
        text: Boards with an empty line between them; :func:`blocks` splits them.
        source: The name of the file, for messages.
    """
    levels = []
    for title, board in blocks(text):
        lines = [line for _, line in board]
        for number, line in board:
            for column, symbol in enumerate(line, start=1):
                if symbol not in "SG#.":
                    raise LevelError(f"{source}:{number}:{column}: unknown symbol {symbol!r}; allowed are S G # .")
        for symbol, name in ("S", "start"), ("G", "goal"):
            if symbol not in "".join(lines):
                raise LevelError(f"{source}:{board[0][0]}: no {name} in this level; it needs one ({symbol})")
        levels.append(Level((len(lines), max(map(len, lines))), lines, title or f"{source}:{board[0][0]}", __package__))
    return levels


def encode(level, extent, options):
    """Return the level row and the state row of a level; a board smaller than ``extent`` is padded with wall."""
    height, width = extent
    board = np.full(extent, "#")
    for number, line in enumerate(level.content):
        board[number, : len(line)] = list(line)
    row, state = np.zeros(row_lengths(extent)[0], np.int16), np.zeros(1, np.int16)
    row[[HEIGHT, WIDTH, GOAL, PRIZE]] = height, width, (board == "G").argmax(), options.prize
    row[WALLS:] = (board == "#").ravel()
    state[0] = (board == "S").argmax()
    return row, state


def decode(seen, extent, options):
    """Return the rows that an observation shows: the inverse of ``rules.observe``."""
    walls, goal, player = seen
    row, state = np.zeros(row_lengths(extent)[0], np.int16), np.zeros(1, np.int16)
    row[[HEIGHT, WIDTH, GOAL, PRIZE]] = *extent, goal.argmax(), options.prize
    row[WALLS:] = walls.ravel()
    state[0] = player.argmax()
    return row, state


def check(level, state, options):
    """Return the extent of two rows, or raise a ValueError if they are invalid.

    Rows also come from saved states and pickles, and rules do not check array bounds.
    """
    extent = board_extent(level, state, len(level) - WALLS, WIDTH, row_lengths)
    last = extent[0] * extent[1] - 1
    goal, player = check_number("the goal", level[GOAL], 0, last), check_number("the player", state[0], 0, last)
    walls = level[WALLS:]
    if ((walls != 0) & (walls != 1)).any() or walls[[goal, player]].any():
        raise ValueError("a square is a wall, 1, or not, 0; and neither the goal nor the player is in one")
    if level[HEIGHT] != extent[0] or level[PRIZE] != options.prize:
        raise ValueError(f"the height and the prize must be {extent[0]} and {options.prize}")
    return extent


def format_level(level, state):
    """Return a position as level text."""
    height, width = level[HEIGHT], level[WIDTH]
    cells = np.where(level[WALLS:] == 1, "#", ".")
    cells[level[GOAL]] = "G"
    cells[state[0]] = "S"
    return "\n".join("".join(row) for row in cells.reshape(height, width)) + "\n"


def ansi(scene):
    """Return a position as text for people."""
    return format_level(scene.level, scene.state) + f"step {scene.steps}  return {scene.score:g}\n"
