"""Parsing and formatting of boards as level text, and the text rendering.

A level is a rectangle of letters, one per square. Levels are separated by blank lines. A line that begins with ``;`` is
a comment, and the last comment before a level is its title. The letters are GVGAI's:

    w  a wall      A  the avatar      0  a hole      k  a key      m  a mushroom
    .  floor                          1  a box       g  a goal

and our own, for positions during a game:

    %  a box on a key         K  the avatar with the key in hand
    *  a box on a goal

A level has one avatar, at least one goal, and a key on the board or in hand. Lost games are written with ``x`` for the
avatar in a hole (``X`` with the key); they cannot be read as levels.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.board.interaction import Palette
from ...engine.board.text_board import TextBoard
from ...engine.levels.sources import read_blocks
from ...engine.puzzle import Extent, Level, LevelError
from ...engine.scene import Row, Scene
from .boards import LARGEST, LETTERS, WALL_SYMBOL, Symbols, make_rows, symbols_of
from .status import STATUS

ACTIONS = ("up", "down", "left", "right", "wait")
AVATARS, LOST = "AK", "xX"
ALLOWED = "w . 0 1 k g m % * and the avatar A or K"
NEEDED = {"goal": "g*", "key": "k%K"}
"""What a level must have besides its avatar, with the letters that represent it."""


def read(text: str, source: str) -> Iterator[Level | LevelError]:
    """Yield the levels in a text, and the errors of those that are invalid."""
    return read_blocks(text, source, _level)


def _level(title: str, lines: Sequence[tuple[int, str]], source: str) -> Level:
    """Return the level of some lines; raises LevelError if it is invalid."""
    board = TextBoard.read(lines, source, LARGEST)
    board.check_symbols(LETTERS, ALLOWED)
    if lost := board.find(LOST):
        avatar = lost[0]
        raise LevelError(f"{avatar.where}: {avatar.text!r} is the end of a game, which cannot be played")
    extent = board.extent()
    board.find_one("avatar", AVATARS)
    for name, letters in NEEDED.items():
        board.find_some(name, letters)
    return Level(extent, board.numbers(LETTERS), title or board.where, __package__)


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a level in the top left corner of a board of size ``extent``, surrounded by walls."""
    symbols: Symbols = np.full(extent, WALL_SYMBOL, np.uint8)
    symbols[: level.extent[0], : level.extent[1]] = level.content
    return make_rows(symbols, options)


def grid(level: Row, state: Row) -> list[str]:
    """Return the lines of a board in the letters of level text."""
    return ["".join(LETTERS[symbol] for symbol in row) for row in symbols_of(level, state).tolist()]


def format_level(level: Row, state: Row) -> str:
    """Return level text of the board in its current state."""
    return "".join(f"{row}\n" for row in grid(level, state))


def ansi(scene: Scene) -> str:
    """Render the board as text, with steps, GVGAI's score, the return and the status below it."""
    score, words = scene.metrics.get("score", 0), STATUS.describe(scene, ACTIONS).words
    line = f"step {scene.steps}  score {score}  return {scene.score:g}  {words}"
    return "\n".join([*grid(scene.level, scene.state), line]) + "\n"


PIECES = {
    ".": "floor",
    "w": "wall",
    "A": "avatar",
    "K": "avatar with a key",
    "1": "box",
    "0": "hole",
    "k": "key",
    "g": "goal",
    "m": "mushroom",
}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(1, LARGEST),
    size=(8, 10),
    examples=lambda extent: tuple(
        f"wwwwwwwww\nw.......w\nw.{avatar}.1.0.w\nw.k.g.m.w\nw.%.*...w\nw.......w\nwwwwwwwww\n" for avatar in "AK"
    ),
    combined={"%": "k1", "*": "g1"},
    single=("AK",),
    border="w",
)
