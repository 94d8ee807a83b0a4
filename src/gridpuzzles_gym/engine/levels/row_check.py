"""The check of many levels' rows: kernels do not check array bounds, so rows from elsewhere are checked before use.

Rows are valid if the level that they show as text can be played and is encoded as these rows. :func:`check_level` tests
that for one level. The compiled :class:`~.puzzle.RowCheck` of a puzzle does so a hundred times faster; what it does not
accept is left to :func:`check_level`, which also says what is wrong.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..board.checking import check_encoding
from ..compile.compilation import borrowed, compiled, is_worth_compiling, plain
from ..kernels import kernel
from ..puzzle import UNFINISHED, Extent, Puzzle
from ..scene import Row

Rows = npt.NDArray[np.int16]

WORTH = 5000
"""For so many levels, the check is compiled if its machine code is not on disk."""


def make_row_check(puzzle: Puzzle) -> Callable[..., int]:
    """Compile the check of many levels, of a puzzle that has a :class:`~.puzzle.RowCheck`.

    Returns:
        ``first_unsure(settings, rows, own_level, own_state, first) -> int``: the index, from ``first``, of the first of
        the rows (int16[K, L + S]) that ``is_level`` does not accept; K if there is none.
    """
    is_level: Any = puzzle.row_check and puzzle.row_check.is_level

    def first_unsure(settings, rows, own_level, own_state, first):
        rows, own_level, own_state = borrowed(rows), borrowed(own_level), borrowed(own_state)
        size = own_level.shape[0]
        for k in range(first, rows.shape[0]):
            if not is_level(settings, rows[k, :size], rows[k, size:], own_level, own_state):
                return k
        return rows.shape[0]

    return compiled(first_unsure, f"{puzzle.name}-check", title=f"the check of levels of {puzzle.title}")


def first_invalid(puzzle: Puzzle, rows: Rows, extent: Extent, options: Any) -> tuple[int, str] | None:
    """Return the index of the first level whose rows are invalid, and why; None if all are valid.

    Args:
        puzzle: The puzzle.
        rows: int16[K, L + S] in memory: for each level its level row, then its start row.
        extent: The extent of the boards.
        options: The options of the environments, resolved.
    """
    size = puzzle.sizes(extent)[0]
    for place in unsure(puzzle, rows, extent, options):
        try:
            check_level(puzzle, rows[place, :size], rows[place, size:], extent, options)
        except ValueError as error:
            return place, str(error)
    return None


def unsure(puzzle: Puzzle, rows: Rows, extent: Extent, options: Any) -> Iterator[int]:
    """Yield the index of each level that the compiled check does not accept; all, if that is not worth compiling."""
    accept = _accept(puzzle, len(rows), extent, options)
    place = accept(rows, 0)
    while place < len(rows):
        yield place
        place = accept(rows, place + 1)


def _accept(puzzle: Puzzle, count: int, extent: Extent, options: Any) -> Callable[[Rows, int], int]:
    """Return ``accept(rows, first)``: the index, from ``first``, of the first level that the check does not accept."""
    try:
        settings = None if puzzle.row_check is None else puzzle.row_check.settings(options, extent)
    except ValueError:  # there are no such boards
        settings = None
    if settings is None:
        return lambda rows, first: first
    check = kernel(make_row_check, puzzle)
    own = [np.zeros(size, np.int16) for size in puzzle.sizes(extent)]
    worth = count >= WORTH or is_worth_compiling(check, settings, np.zeros((0, 1), np.int16), *own, 0)
    if not worth or plain(check) is check:  # or numba is switched off
        return lambda rows, first: first
    return lambda rows, first: check(settings, rows, *own, first)


def same_rows(puzzle: Puzzle, extent: Extent, options: Any, others: Any) -> bool:
    """Whether levels have the same rows with both options."""
    if options == others:
        return True
    if puzzle.row_check is None:
        return False
    settings = puzzle.row_check.settings
    return np.array_equal(settings(options, extent), settings(others, extent))


def check_level(puzzle: Puzzle, level: Row, state: Row, extent: Extent, options: Any) -> None:
    """Raise ValueError unless the rows of one level and its start are valid; the message says why."""
    if puzzle.check_rows(level, state, options) != tuple(extent):
        raise ValueError("the board has another size")
    if puzzle.rules.outcome(level, state) != UNFINISHED:
        raise ValueError("the episode has ended")
    (shown,) = puzzle.parse(puzzle.format(level, state), "board")
    check_encoding(level, state, puzzle.encode(shown, extent, options))
