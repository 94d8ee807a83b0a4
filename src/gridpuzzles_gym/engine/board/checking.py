"""Validation of level and state rows from untrusted sources: the parts shared by the puzzles' ``checking.py``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile.compilation import rule
from ..messages import shorten
from ..puzzle import Extent
from ..scene import Row


def as_row(numbers: Any) -> Row:
    """Convert numbers to a contiguous int16 row.

    Raises:
        ValueError: They are not a one-dimensional array of integers that fit into int16.
    """
    given = np.asarray(numbers)
    fits = given.ndim == 1 and given.dtype.kind in "iu" and bool(((given >= -(2**15)) & (given < 2**15)).all())
    if not fits:
        kind = shorten(str(given.dtype), 80)
        raise ValueError(f"must be a row of integers from {-(2**15)} to {2**15 - 1}, not {kind}{given.shape}")
    return np.ascontiguousarray(given, np.int16)


def board_extent(
    level: Row, state: Row, squares: int, width_at: int, row_lengths: Callable[[Extent], tuple[int, int]]
) -> Extent:
    """Return the (height, width) of the board that two rows describe.

    Args:
        level: The level row.
        state: The state row.
        squares: The number of squares, derived from the lengths of the rows.
        width_at: The index of the board's width in the level row.
        row_lengths: ``row_lengths((height, width))``: the lengths of the level row and the state row.

    Raises:
        ValueError: There is no such board, or a row has the wrong length for it.
    """
    width = int(level[width_at]) if 0 <= width_at < len(level) else 0
    if squares < 1 or width < 1 or squares % width:
        raise ValueError(f"level[{width_at}], the width, is {width}; it must divide the number of squares, {squares}")
    extent = squares // width, width
    if (len(level), len(state)) != row_lengths(extent):
        raise ValueError(
            f"the rows of level and state have {len(level)} and {len(state)} numbers; for a board of "
            f"{width}x{extent[0]} squares they must have {' and '.join(map(str, row_lengths(extent)))}"
        )
    return extent


def check_number(name: str, number: Any, least: int, most: int) -> int:
    """Return the number as an int; raises ValueError unless it is from ``least`` to ``most``."""
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; it must be from {least} to {most}")
    return int(number)


def check_encoding(level: Row, state: Row, encoded: tuple[Row, Row]) -> None:
    """Raise ValueError unless the rows equal ``encoded``, the encoding of the board that they show."""
    for name, row, wanted in zip(("level", "state"), (level, state), encoded, strict=True):
        wrong = np.flatnonzero(row != wanted)
        if wrong.size:
            first = wrong[0]
            raise ValueError(
                f"{name}[{first}] is {row[first]}; on this board, with these options, it must be {wanted[first]}"
            )


@rule
def same(row: Row, other: Row) -> bool:
    """Whether two rows of the same length are equal, also within kernels."""
    for place in range(row.shape[0]):  # noqa: SIM110 - compiled
        if row[place] != other[place]:
            return False
    return True


def flood(free: int, wave: int, stride: int) -> int:
    """Return the free squares that are reachable from ``wave`` by steps to adjacent squares.

    A set of squares is an integer with one bit per square, so that a step from all squares takes a few instructions.

    Args:
        free: The free squares. The last square of each row must not be free, so that no step wraps to the next row.
        wave: The squares to start from.
        stride: The number of squares in a row, including the last one.
    """
    while True:
        wider = (wave | wave << 1 | wave >> 1 | wave << stride | wave >> stride) & free
        if wider == wave:
            return wave
        wave = wider


def reachable(free: npt.NDArray[np.bool_], start: int) -> npt.NDArray[np.bool_]:
    """Return the squares that are reachable from the square number ``start``, bool[H, W], given the free squares."""
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
