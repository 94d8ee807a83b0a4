"""Rows of numbers that come from outside: what the checks of the puzzles have in common."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .puzzle import Extent, Row


def as_row(numbers: Any) -> Row:
    """A contiguous row of the same numbers.

    Raises:
        ValueError: They are not integers that fit into int16, in one row.
    """
    given = np.asarray(numbers)
    fits = given.ndim == 1 and given.dtype.kind in "iu" and bool(((given >= -(2**15)) & (given < 2**15)).all())
    if not fits:
        raise ValueError(f"a row of integers from {-(2**15)} to {2**15 - 1} is needed, not {given.dtype}{given.shape}")
    return np.ascontiguousarray(given, np.int16)


def board_extent(
    level: Row, state: Row, squares: int, width_at: int, sizes: Callable[[Extent], tuple[int, int]]
) -> Extent:
    """The (height, width) of a board, by its rows.

    Args:
        level: Its level row.
        state: Its state row.
        squares: How many squares the rows hold, by their length.
        width_at: Where the level row tells how many squares are in a row of the board.
        sizes: The lengths of rows for boards of (height, width).

    Raises:
        ValueError: There is no such board, or one of the rows is not as long as they are for it.
    """
    width = int(level[width_at]) if 0 <= width_at < len(level) else 0
    if squares < 1 or width < 1 or squares % width:
        raise ValueError(f"level[{width_at}] is {width}: {squares} squares are not rows of that many")
    extent = squares // width, width
    if (len(level), len(state)) != sizes(extent):
        raise ValueError(
            f"the rows of level and state have {len(level)} and {len(state)} numbers; on a board of "
            f"{width}x{extent[0]} squares they have {' and '.join(map(str, sizes(extent)))}"
        )
    return extent


def check_number(name: str, number: Any, least: int, most: int) -> int:
    """The number as an int; raises ValueError unless it is from ``least`` to ``most``."""
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; it must be from {least} to {most}")
    return int(number)


def check_encoding(level: Row, state: Row, encoded: tuple[Row, Row]) -> None:
    """Raise ValueError unless rows are as the board that they show is encoded."""
    for name, row, wanted in zip(("level", "state"), (level, state), encoded, strict=True):
        wrong = np.flatnonzero(row != wanted)
        if wrong.size:
            first = wrong[0]
            raise ValueError(
                f"{name}[{first}] is {row[first]}; on this board, with these options, it must be {wanted[first]}"
            )


def flood(free: int, wave: int, stride: int) -> int:
    """The free squares that can be reached from those of a first wave, step by step to a square next to it.

    A set of squares is one whole number, a bit a square, so that a wave of squares is a few machine instructions.

    Args:
        free: Where one can go. No square is free at the end of a row, so that no step leads into the next.
        wave: Where to begin.
        stride: Squares in a row, that end included.
    """
    while True:
        wider = (wave | wave << 1 | wave >> 1 | wave << stride | wave >> stride) & free
        if wider == wave:
            return wave
        wave = wider


def reachable(free: npt.NDArray[np.bool_], start: int) -> npt.NDArray[np.bool_]:
    """Which of the free squares, bool[H, W], can be reached from the square ``start``."""
    height, width = free.shape
    stride = width + 1
    padded = np.zeros((height, stride), bool)
    padded[:, :width] = free
    squares = int.from_bytes(np.packbits(padded, bitorder="little").tobytes(), "little")
    reached = flood(squares, 1 << (start // width * stride + start % width), stride)
    octets = np.frombuffer(reached.to_bytes((padded.size + 7) // 8, "little"), np.uint8)
    found = np.unpackbits(octets, count=padded.size, bitorder="little").reshape(height, stride)
    inside: npt.NDArray[np.bool_] = found[:, :width] != 0
    return inside
