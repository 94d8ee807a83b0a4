"""Levels that show a square in any neighborhood: a wall next to a wall looks different from one next to floor.

The levels are made from an example of the puzzle, whose board is enlarged to hold the neighborhoods.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...engine.board.palette import Palette
from ...engine.puzzle import Level, LevelError, Puzzle
from .editing.board_reading import drawn_from
from .editing.drawn_board import DrawnBoard, Square

PITCH = 6
"""The distance of two sampled squares, with floor between their neighborhoods."""
_AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


class Neighborhood(NamedTuple):
    """The part of a board that the picture of a square depends on."""

    borders: tuple[bool, ...]
    """Which of the 3 × 3 squares around it are border, row by row; the square itself is the middle one."""
    even: tuple[bool, bool]
    """Whether its row and its column are even, for floors with a pattern."""


def neighborhood_of(board: DrawnBoard, square: Square) -> Neighborhood | None:
    """Return the neighborhood of a square; None if it does not matter: the square is neither empty nor border."""
    palette = board.palette
    if palette.arranged or not palette.border or board.on(square) not in (palette.border, board.empty):
        return None
    row, column = square
    places = [(row + down, column + right) for down, right in _AROUND]
    borders = tuple(not board.has(place) or board.on(place) == palette.border for place in places)
    return Neighborhood(borders, (row % 2 == 0, column % 2 == 0))


def levels_with(
    puzzle: Puzzle, wanted: Sequence[Neighborhood], largest: int
) -> Iterator[tuple[Level, Mapping[Square, Neighborhood]]]:
    """Yield levels and their squares with wanted neighborhoods; those that no valid level has are left out.

    All levels have the same extent, so that what depends on it alone is drawn once.

    Args:
        puzzle: A puzzle whose palette has a border.
        wanted: The neighborhoods.
        largest: Maximum number of squares per side of a level, where possible.
    """
    assert puzzle.palette is not None
    palette = puzzle.palette
    example = _example(palette)
    most = min(palette.sides[1], largest)
    across, down = (max((most - used) // PITCH, 1) for used in (3, example.extent[0] + 2))
    for first in range(0, len(wanted), across * down):
        board, places = _enlarged(example, wanted[first : first + across * down], across, down)
        try:
            [level] = puzzle.parse(board.text(), "sample")
        except (LevelError, ValueError):
            continue
        shown = drawn_from(puzzle, level)
        if shown.extent == board.extent:
            yield level, {place: each for place, each in places.items() if neighborhood_of(shown, place) == each}


def _example(palette: Palette) -> DrawnBoard:
    return DrawnBoard.of_lines(palette, palette.examples(palette.size)[0].splitlines())


def _enlarged(
    example: DrawnBoard, wanted: Sequence[Neighborhood], across: int, down: int
) -> tuple[DrawnBoard, dict[Square, Neighborhood]]:
    """Return the example with the wanted neighborhoods below it, and the square of each."""
    border, (height, width) = example.palette.border, example.extent
    top = height + height % 2
    board = example.resized(top + down * PITCH + 1, max(width, 2 + across * PITCH + 1))
    cells = [list(row) for row in board.rows]
    places = {}
    for k, each in enumerate(wanted):
        row = top + k // across * PITCH + 2 + (not each.even[0])
        column = 2 + k % across * PITCH + 2 + (not each.even[1])
        for (lower, right), is_border in zip(_AROUND, each.borders, strict=True):
            cells[row + lower][column + right] = border if is_border else board.empty
        places[row, column] = each
    return dataclasses.replace(board, rows=tuple(map(tuple, cells))), places
