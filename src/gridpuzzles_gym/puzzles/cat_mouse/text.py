"""Level text of Cat and Mouse, both ways.

A level is a rectangle of letters, a square each; levels are separated by blank lines; a line that begins with ``;``
is a comment, the last before a level its title:

    #  a wall      M  the mouse      E  the exit
    .  floor       C  a cat          c  a cat on the exit

A level has one mouse, one exit that it can walk to, and at most seven cats. The end of a game is written too, with
``m`` for the mouse at the exit, ``x`` for a mouse that was caught (``X``: at the exit), but cannot be read: it has no
more turns. What lies outside a level is wall.
"""

from typing import Any

import numpy as np

from ...engine.levels import blocks
from ...engine.puzzle import DIED, SOLVED, Extent, Level, LevelError, Row, Scene
from ...engine.text_board import TextBoard
from .boards import EXITS, LARGEST, LETTERS, MICE, WALL_SYMBOL, Symbols, make_rows, steps_from, symbols_of, with_cats
from .rules import MOST_CATS, MOUSE, outcome

ACTIONS = ("up", "down", "left", "right")
OVER = "mxX"
ALLOWED = "# . M C E c"


def parse(text: str, source: str) -> list[Level]:
    """Read the levels in a text.

    Raises:
        LevelError: What is wrong, as ``source:line:column``, and what is allowed.
    """
    return [_level(title, TextBoard.read(lines, source, LARGEST)) for title, lines in blocks(text, source)]


def _level(title: str, board: TextBoard) -> Level:
    """The level of a board; raises LevelError on what it cannot be."""
    board.check_symbols(LETTERS, ALLOWED)
    if over := board.find(OVER):
        raise LevelError(f"{over[0].where}: {over[0].text!r} is the end of a game: nothing is left to play")
    extent = board.extent()
    board.find_one("mouse", "M")
    exit = board.find_one("exit", "Ec")
    cats = board.find("Cc")
    if len(cats) > MOST_CATS:
        raise LevelError(f"{cats[MOST_CATS].where}: cat number {MOST_CATS + 1}; a level has at most {MOST_CATS}")
    symbols = board.numbers(LETTERS)
    if steps_from(symbols, MICE[symbols])[EXITS[symbols]][0] < 0:
        raise LevelError(f"{exit.where}: the mouse cannot get to this exit: walls are between them")
    return Level(extent, symbols, title or board.where)


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """The rows of a level, in the top left corner of a board of ``extent``, walls around it."""
    symbols: Symbols = np.full(extent, WALL_SYMBOL, np.uint8)
    symbols[: level.extent[0], : level.extent[1]] = level.content
    if options.cats is not None:
        symbols = with_cats(symbols, options.cats, level.name)
    return make_rows(symbols, options.cat_blocked)


def grid(level: Row, state: Row) -> list[str]:
    """The rows of a maze, in the letters of level text."""
    return ["".join(LETTERS[symbol] for symbol in row) for row in symbols_of(level, state).tolist()]


def format_level(level: Row, state: Row) -> str:
    """Level text of the maze as it is now."""
    return "".join(f"{row}\n" for row in grid(level, state))


def state_line(scene: Scene) -> str:
    """How things stand, in a word."""
    ending = outcome(scene.level, scene.state)
    if ending == SOLVED:
        return "escaped"
    if ending == DIED:
        return "caught"
    if scene.steps == 0:
        return "ready"
    stopped = scene.before is not None and scene.before[MOUSE] == scene.state[MOUSE]
    return "stopped" if stopped else "running"


def ansi(scene: Scene) -> str:
    """The maze; below it steps, the sum of rewards, and how things stand."""
    line = f"step {scene.steps}  score {scene.score:g}  {state_line(scene)}"
    return "\n".join([*grid(scene.level, scene.state), line]) + "\n"
