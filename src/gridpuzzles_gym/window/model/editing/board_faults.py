"""The independent faults of a drawn board.

A puzzle reports only the first fault of a level, because others may be consequences of it. To find the next one, the
first is fixed in every way that takes one change of the board: a fault that remains after every fix is independent.
"""

import dataclasses
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from ....engine.puzzle import Puzzle
from .board_reading import Fault, fault_of
from .drawn_board import DrawnBoard, Square

MAX_FAULTS = 8
"""Maximum number of faults."""


def faults_of(puzzle: Puzzle, board: DrawnBoard) -> Iterator[Fault]:
    """Yield the faults of a board, beginning with the one that the puzzle reports."""
    fault = fault_of(puzzle, board)
    for _ in range(MAX_FAULTS):
        if fault is None:
            return
        fixes = _with_missing(puzzle, board, fault)
        if fixes:
            fault = dataclasses.replace(fault, squares=())  # a piece is missing: no square is at fault
        else:
            fixes = _with_change(puzzle, board, fault)
        yield fault
        found = _in_all(fixes)
        if found is None:
            return
        board, fault = fixes[0][0], found


def fault_lines(faults: Sequence[Fault], pointed: Square | None, max_lines: int, width: int) -> list[str]:
    """Return faults as numbered lines, those of the square under the mouse first; the first may take all lines.

    Args:
        faults: At least one fault.
        pointed: The square under the mouse; None if there is none.
        max_lines: Maximum number of lines; the last one says how many faults are left out. If a line would be more
            than twice too long, only the first fault is shown.
        width: The approximate number of characters that fit into a line.
    """
    numbers = sorted(range(len(faults)), key=lambda k: pointed not in faults[k].squares)
    lines = [f"{k + 1}. {faults[k]}" for k in numbers] if len(faults) > 1 else [str(faults[0])]
    shown = lines[:max_lines]
    wraps = len(lines) == 1 or max(map(len, shown)) > 2 * width
    left = len(lines) - (1 if wraps else len(shown))
    more = f" (and {left} more)" if left else ""
    if not wraps:
        return [*shown[:-1], shown[-1] + more]
    whole = lines[0] + more
    split = textwrap.wrap(whole, max(width, -(-len(whole) // max_lines)), break_long_words=False)
    return [*split[: max_lines - 1], " ".join(split[max_lines - 1 :])] if len(split) > max_lines else split


Fixes = list[tuple[DrawnBoard, Fault | None, Square]]
"""Boards with one change each that fixes a fault, the fault that remains, and the changed square."""


def _in_all(fixes: Fixes) -> Fault | None:
    """Return the fault that remains after every fix; None if there is none, or a fix has caused it."""
    faults = [fault for _, fault, changed in fixes if fault is not None and changed not in fault.squares[:1]]
    if len(faults) < len(fixes) or len({fault.message for fault in faults}) != 1:
        return None
    common = [square for square in faults[0].squares if all(square in fault.squares for fault in faults)]
    return Fault(faults[0].message, tuple(common))


def _with_missing(puzzle: Puzzle, board: DrawnBoard, fault: Fault) -> Fixes:
    """Return boards on which adding a missing unique piece fixes the fault."""
    palette = board.palette
    if palette.arranged:
        return []
    count = _counts(board)
    empty = [square for square, cell in board.squares() if cell == board.empty]
    places = [empty[at] for at in sorted({0, len(empty) // 2, len(empty) - 1})] if empty else []
    for group in palette.single:
        if not count[group]:
            boards = [(board.put(place, group[0]), place) for place in places]
            fixes = [(other, fault_of(puzzle, other), place) for other, place in boards]
            if fixes and all(left is None or left.message != fault.message for _, left, _ in fixes):
                return fixes
    return []


def _with_change(puzzle: Puzzle, board: DrawnBoard, fault: Fault) -> Fixes:
    """Return boards on which a change of the fault's first square fixes it."""
    palette = board.palette
    if palette.arranged or not fault.squares:
        return []
    square, count = fault.squares[0], _counts(board)
    pieces = [piece for piece in palette.pieces(board.extent) if not palette.group_of(piece)]
    changed = dict.fromkeys([board.erase(square), *(board.put(square, piece) for piece in pieces)])
    fixes: Fixes = []
    for other in changed:
        left = fault_of(puzzle, other)
        same = left is not None and left.message == fault.message and square in left.squares[:1]
        if not same and other != board and all(_counts(other)[group] or not count[group] for group in palette.single):
            fixes.append((other, left, square))
    return fixes


def _counts(board: DrawnBoard) -> Counter[str]:
    """Return the number of pieces of each group of which at most one is allowed."""
    palette = board.palette
    parts = (part for _, cell in board.squares() for part in palette.parts(cell))
    return Counter(group for part in parts if (group := palette.group_of(part)))
