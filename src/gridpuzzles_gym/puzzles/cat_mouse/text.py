"""Parsing and formatting of mazes as level text, and the text rendering.

A level is a rectangle of letters, one per square. Levels are separated by blank lines. A line that begins with ``;`` is
a comment, and the last comment before a level is its title:

    #  a wall      M  the mouse      E  the exit
    .  floor       C  a cat          c  a cat on the exit

A level has one mouse, one exit that it can reach, and at most seven cats. Everything outside a level is wall. Finished
games are written with ``m`` for the mouse at the exit and ``x`` for a mouse that was caught (``X`` at the exit); they
cannot be read as levels.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.board.interaction import Palette
from ...engine.board.text_board import TextBoard
from ...engine.levels.sources import read_blocks
from ...engine.puzzle import Extent, Level, LevelError
from ...engine.scene import Row, Scene
from .boards import EXITS, LARGEST, LETTERS, MICE, WALL_SYMBOL, Symbols, make_rows, steps_from, symbols_of, with_cats
from .rules import MOST_CATS
from .status import STATUS

ACTIONS = ("up", "down", "left", "right")
OVER = "mxX"
ALLOWED = "# . M C E c"


def read(text: str, source: str) -> Iterator[Level | LevelError]:
    """Yield the levels in a text, and the errors of those that are invalid."""
    return read_blocks(text, source, _level)


def _level(title: str, lines: Sequence[tuple[int, str]], source: str) -> Level:
    """Return the level of some lines; raises LevelError if it is invalid."""
    board = TextBoard.read(lines, source, LARGEST)
    board.check_symbols(LETTERS, ALLOWED)
    if over := board.find(OVER):
        raise LevelError(f"{over[0].where}: {over[0].text!r} is the end of a game, which cannot be played")
    extent = board.extent()
    board.find_one("mouse", "M")
    exit = board.find_one("exit", "Ec")
    cats = board.find("Cc")
    if len(cats) > MOST_CATS:
        raise LevelError(f"{cats[MOST_CATS].where}: cat number {MOST_CATS + 1}; a level has at most {MOST_CATS}")
    symbols = board.numbers(LETTERS)
    if steps_from(symbols, MICE[symbols])[EXITS[symbols]][0] < 0:
        raise LevelError(f"{exit.where}: the mouse cannot reach this exit: walls separate them")
    return Level(extent, symbols, title or board.where, __package__)


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a level in the top left corner of a board of size ``extent``, surrounded by walls."""
    symbols: Symbols = np.full(extent, WALL_SYMBOL, np.uint8)
    symbols[: level.extent[0], : level.extent[1]] = level.content
    if options.cats is not None:
        symbols = with_cats(symbols, options.cats, level.name)
    return make_rows(symbols, options.cat_blocked)


def grid(level: Row, state: Row) -> list[str]:
    """Return the lines of a maze in the letters of level text."""
    return ["".join(LETTERS[symbol] for symbol in row) for row in symbols_of(level, state).tolist()]


def format_level(level: Row, state: Row) -> str:
    """Return level text of the maze in its current state."""
    return "".join(f"{row}\n" for row in grid(level, state))


def ansi(scene: Scene) -> str:
    """Render the maze as text, with steps, return and status below it."""
    line = f"step {scene.steps}  return {scene.score:g}  {STATUS.describe(scene, ACTIONS).words}"
    return "\n".join([*grid(scene.level, scene.state), line]) + "\n"


PIECES = {".": "floor", "#": "wall", "M": "mouse", "E": "exit", "C": "cat"}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(1, LARGEST),
    size=(10, 10),
    examples=lambda extent: tuple(f"#######\n#.....#\n#.M.C.#\n#...{exit}.#\n#.....#\n#######\n" for exit in "Ec"),
    combined={"c": "EC"},
    single=("M", "E"),
    border="#",
)
