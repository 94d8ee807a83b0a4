"""Conversions of boards between text, boolean arrays and rows."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import compiled, tiered
from ...engine.puzzle import Extent, LevelError
from ...engine.scene import Row
from .rules import BOXES, BOXOBAN, CELLS, GOAL, PEAS, PLAYER, SCHEME, STRIDE, WALL, WATCH, finish, freeze, stuck

LARGEST, MOST_SQUARES = 255, 32_000
"""The maximum numbers of squares per side and of a board: rows hold the numbers of squares, as int16, and two steps
from a square of the board, which rules compute, must not exceed it either."""
SCHEMES = {"peas": PEAS, "boxoban": BOXOBAN}
"""The allowed values of ``reward=``."""
WALL_SYMBOLS, GOAL_SYMBOLS, BOX_SYMBOLS, PLAYER_SYMBOLS = "#", ".+*", "$*", "@+"
"""The symbols of plain XSB that include a wall, goal, box or player."""
_SYMBOLS = np.frombuffer(b" .$*@+??########", np.uint8)
"""The symbols of plain XSB, by 1 for a goal, plus 2 for a box, plus 4 for the player, plus 8 for a wall. A wall hides
the rest: invalid rows are printed, too, to say what is wrong."""
_PLAYER, _WALL = 4, 8
_TOO_LARGE = (
    f"boards of more than {MOST_SQUARES:,} squares, as wide as the widest level and as high as the highest; "
    "such levels must be played in separate environments"
)
Squares = npt.NDArray[np.bool_]
"""True on some squares of a board, bool[H, W]."""


def row_lengths(extent: Extent) -> tuple[int, int]:
    """Return the lengths of level and state rows for boards of (height, width).

    Raises:
        LevelError: There are over :data:`MOST_SQUARES` squares.
    """
    squares = extent[0] * extent[1]
    if squares > MOST_SQUARES:
        raise LevelError(_TOO_LARGE)
    return CELLS + squares, BOXES + (squares + 7) // 8


def make_rows(walls: Squares, goals: Squares, boxes: Squares, player: int, options: Any) -> tuple[Row, Row]:
    """Return the rows (level, state) of a board.

    Args:
        walls: The squares with walls, bool[H, W].
        goals: The squares with goals.
        boxes: The squares with boxes.
        player: The player's square, ``row * W + column``.
        options: The environment's options.
    """
    level, state = (np.zeros(size, np.int16) for size in row_lengths(walls.shape))
    fill_rows(level, state, walls, goals, boxes, player, options)
    _finisher()(level, state)
    return level, state


def fill_rows(
    levels: npt.NDArray[np.int16],
    states: npt.NDArray[np.int16],
    walls: Squares,
    goals: Squares,
    boxes: Squares,
    player: Any,
    options: Any,
) -> None:
    """Write rows, except for what ``finish`` derives. All arrays may have a first axis of several boards."""
    *boards, height, width = walls.shape
    flat = *boards, height * width
    levels[..., STRIDE], levels[..., SCHEME], levels[..., WATCH] = width, SCHEMES[options.reward], options.deadlocks
    levels[..., CELLS:] = (walls * WALL + goals * GOAL).reshape(flat)
    states[..., BOXES:] = np.packbits(boxes.reshape(flat), axis=-1, bitorder="little")
    states[..., PLAYER] = player


def encode_rows(rows: Sequence[str], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows (level, state) of a board in plain XSB, surrounded by walls up to ``extent``."""
    height, width = extent
    text = "".join([row.ljust(width, "#") for row in rows]).ljust(height * width, "#")
    symbols = np.frombuffer(text.encode("ascii"), np.uint8)
    walls, goals, boxes, player = meanings_of(symbols).reshape(4, height, width)
    return make_rows(walls, goals, boxes, int(player.argmax()), options)


def meanings_of(symbols: npt.NDArray[np.uint8]) -> Squares:
    """Return where symbols of plain XSB have walls, goals, boxes and the player: bool[4, …]."""
    return _meanings()[:, symbols]


@functools.cache
def _meanings() -> Squares:
    """The symbols with walls, goals, boxes and the player, bool[4, 128]."""
    table = np.zeros((4, 128), bool)
    for meaning, symbols in zip(table, (WALL_SYMBOLS, GOAL_SYMBOLS, BOX_SYMBOLS, PLAYER_SYMBOLS), strict=True):
        meaning[[ord(symbol) for symbol in symbols]] = True
    return table


def grid(level: Row, state: Row) -> list[str]:
    """Return the lines of a board in plain XSB: the inverse of :func:`encode_rows`."""
    return lines(*squares_of(level, state), int(state[PLAYER]))


def lines(walls: Squares, goals: Squares, boxes: Squares, player: int) -> list[str]:
    """Return the lines of a board in plain XSB; the arguments are those of :func:`make_rows`."""
    things = np.where(walls, _WALL, goals + 2 * boxes)
    things.ravel()[player] += _PLAYER
    text = _SYMBOLS[things].tobytes().decode("ascii")
    width = walls.shape[1]
    return [text[start : start + width] for start in range(0, len(text), width)]


def is_stuck(level: Row, state: Row) -> bool:
    """Whether a simple test shows that a board cannot be solved; see :func:`rules.stuck`."""
    return _finisher()(level, state) != 0


def stuck_boxes(level: Row, state: Row) -> Squares:
    """Return the squares with boxes that can no longer reach a goal; there are some if the level is ``stuck``."""
    frozen = np.frombuffer(_frozen(level.tobytes(), state.tobytes()), np.int16)
    _, goals, boxes = squares_of(level, frozen)
    return boxes & ~goals


@functools.lru_cache(4)  # for the parts of a picture, and the pictures of a movement
def _frozen(level: bytes, state: bytes) -> bytes:
    boxes = np.frombuffer(state, np.int16).copy()
    freeze(np.frombuffer(level, np.int16), boxes)
    return boxes.tobytes()


@functools.cache
def _finisher() -> Callable[[Row, Row], int]:
    """Return a function that calls the rule ``finish`` and returns ``stuck``."""

    def finish_and_look(level: Row, state: Row) -> int:
        finish(level, state)
        return int(stuck(level, state))

    kernel = compiled(finish_and_look, "sokoban-finish")
    return lambda level, state: int(tiered(kernel, level, state))


def squares_of(level: Row, state: Row) -> tuple[Squares, Squares, Squares]:
    """Return the squares with walls, goals and boxes, each bool[H, W]: the inverse of :func:`make_rows`."""
    cells = level[CELLS:].reshape(-1, level[STRIDE])
    boxes = np.unpackbits(state[BOXES:].astype(np.uint8), count=cells.size, bitorder="little")
    return cells & WALL != 0, cells & GOAL != 0, boxes.reshape(cells.shape) != 0
