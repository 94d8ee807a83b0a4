"""All faults of a drawn board that can be told apart.

A puzzle says what is wrong with a level one fault at a time, because a later one may only follow from the first. To
see beyond a fault, it is mended in every way that one change of the board allows: what is then wrong, however it was
mended, is a fault of its own.
"""

import dataclasses
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from ...engine.puzzle import Puzzle
from .board_reading import Fault, fault_of
from .drawn_board import DrawnBoard, Square

MOST = 8
"""The maximum number of faults."""


def faults_of(puzzle: Puzzle, board: DrawnBoard) -> Iterator[Fault]:
    """Yield the faults of a board, the one that the puzzle names first; each takes a while to be found."""
    fault = fault_of(puzzle, board)
    for _ in range(MOST):
        if fault is None:
            return
        mended = _with_missing(puzzle, board, fault)
        if mended:
            fault = dataclasses.replace(fault, squares=())  # nothing that is there is wrong
        else:
            mended = _with_change(puzzle, board, fault)
        yield fault
        found = _in_all(mended)
        if found is None:
            return
        board, fault = mended[0][0], found


def fault_lines(faults: Sequence[Fault], pointed: Square | None, most: int, widest: int) -> list[str]:
    """Return faults as numbered lines, those of the square that is pointed at first; a single one may take all lines.

    Args:
        faults: At least one fault.
        pointed: A square, or None.
        most: The maximum number of lines; the last one says how many faults are left out.
        widest: The number of characters that easily fit into a line.
    """
    if len(faults) == 1:
        whole = str(faults[0])
        split = textwrap.wrap(whole, max(widest, -(-len(whole) // most)), break_long_words=False)
        return [*split[: most - 1], " ".join(split[most - 1 :])] if len(split) > most else split
    lines = [f"{k}. {fault}" for k, fault in enumerate(faults, start=1)]
    first = [pointed in fault.squares for fault in faults]
    shown = [line for line, _ in sorted(zip(lines, first, strict=True), key=lambda each: not each[1])][:most]
    if len(lines) > most:
        shown[-1] += f" (and {len(lines) - most} more)"
    return shown


Mended = list[tuple[DrawnBoard, Fault | None, Square]]
"""Boards with one change, what is wrong with each, and the square that was changed."""


def _in_all(mended: Mended) -> Fault | None:
    """Return the fault that all these boards have, if it is not one of what was put on them."""
    faults = [fault for _, fault, changed in mended if fault is not None and changed not in fault.squares[:1]]
    if len(faults) < len(mended) or len({fault.message for fault in faults}) != 1:
        return None
    common = [square for square in faults[0].squares if all(square in fault.squares for fault in faults)]
    return Fault(faults[0].message, tuple(common))


def _with_missing(puzzle: Puzzle, board: DrawnBoard, fault: Fault) -> Mended:
    """Return the boards that lack this fault because they have one more piece, of those that are there only once."""
    palette = board.palette
    if palette.arranged:
        return []
    count = _counts(board)
    empty = [square for square, cell in board.squares() if cell == board.empty]
    places = [empty[at] for at in sorted({0, len(empty) // 2, len(empty) - 1})] if empty else []
    for group in palette.single:
        if not count[group]:
            boards = [(board.put(place, group[0]), place) for place in places]
            mended = [(other, fault_of(puzzle, other), place) for other, place in boards]
            if mended and all(left is None or left.message != fault.message for _, left, _ in mended):
                return mended
    return []


def _with_change(puzzle: Puzzle, board: DrawnBoard, fault: Fault) -> Mended:
    """Return the boards that lack this fault because there is something else on its first square."""
    palette = board.palette
    if palette.arranged or not fault.squares:
        return []
    square, count = fault.squares[0], _counts(board)
    pieces = [piece for piece in palette.pieces(board.extent) if not palette.group_of(piece)]
    changed = dict.fromkeys([board.erase(square), *(board.put(square, piece) for piece in pieces)])
    mended: Mended = []
    for other in changed:
        left = fault_of(puzzle, other)
        same = left is not None and left.message == fault.message and square in left.squares[:1]
        if not same and other != board and all(_counts(other)[group] or not count[group] for group in palette.single):
            mended.append((other, left, square))
    return mended


def _counts(board: DrawnBoard) -> Counter[str]:
    """Return how many pieces there are of each group of which there may be only one."""
    palette = board.palette
    parts = (part for _, cell in board.squares() for part in palette.parts(cell))
    return Counter(group for part in parts if (group := palette.group_of(part)))
