"""Validation of levels and of the rows of a board.

A level consists of the squares that the player could reach if there were no boxes. All others count as wall: those
outside, and pockets that walls separate from him. Only boxes on goals, as decoration, are allowed there.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.board.checking import board_extent, check_encoding, check_number, flood, same
from ...engine.compile.compilation import routine
from ...engine.messages import plural
from ...engine.puzzle import Extent, LevelError
from ...engine.scene import Row
from .boards import BOX_SYMBOLS, GOAL_SYMBOLS, LARGEST, MOST_SQUARES, SCHEMES, encode_rows, grid, is_stuck, row_lengths
from .rules import (
    ASTRAY,
    CELLS,
    COUNT,
    DEAD,
    GOAL,
    PLAYER,
    SCHEME,
    STRIDE,
    WALL,
    WATCH,
    ahead,
    box_on,
    finish,
    flip_box,
    stuck,
)

# settings int64[4]: what `is_level` reads.
SET_HEIGHT, SET_WIDTH, SET_SCHEME, SET_WATCH = range(4)

Place = Callable[[int, int], str]
"""``place(row, column)``: the position of a square in its file, ``source:line:column``."""
_PLAYER = re.compile("[@+]")
_WALLS = str.maketrans("# .$*@+", "0111111")


class CheckOptions(NamedTuple):
    """Options for rows that are only checked, not played."""

    reward: str = "peas"
    deadlocks: bool = False


def check(rows: Sequence[str], place: Place) -> tuple[str, ...]:
    """Check that a level can be played.

    Args:
        rows: A board in plain XSB, at least one row; they may differ in length.
        place: Returns the positions of squares, for messages.

    Returns:
        The board as a rectangle, with a wall on every square that the player can never reach.

    Raises:
        LevelError: The level is invalid; the message says why, and where.
    """
    checked, player = _check_board(rows, place)
    if not any("$" in row for row in checked):
        raise LevelError(f"{player}: this level is solved already: every box is on a goal")
    _check_movable(checked, place)
    return checked


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a board in play, which may be solved or no longer solvable.

    Returns:
        The extent of the board.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    extent = board_extent(level, state, len(level) - CELLS, STRIDE, row_lengths)
    player = check_number("the player's square", state[PLAYER], 0, extent[0] * extent[1] - 1)
    if box_on(state, player):
        raise ValueError(f"the player's square is {player}, where a box is")
    checked, _ = _check_board(grid(level, state), lambda row, column: f"row {row + 1}, column {column + 1}")
    check_encoding(level, state, encode_rows(checked, extent, options))
    return extent


def settings(options: Any, extent: Extent) -> npt.NDArray[np.int64]:
    """Return the numbers that :func:`is_level` reads."""
    height, width = extent
    check_number("the longer side of the board", max(extent), 1, LARGEST)
    return np.array([height, width, SCHEMES[options.reward], options.deadlocks], np.int64)


@routine
def is_level(settings, level, state, own_level, own_state):
    """Whether rows are those of a level; see :class:`~gridpuzzles_gym.engine.puzzle.RowCheck`.

    Everything but the walls, goals, boxes and the player is derived from them again, and compared.
    """
    height, width, squares = settings[SET_HEIGHT], settings[SET_WIDTH], level.shape[0] - CELLS
    player = state[PLAYER]
    if not 0 <= player < squares or level[CELLS + player] & WALL or box_on(state, player):
        return False
    own_level[:] = own_state[:] = 0
    own_level[STRIDE], own_level[SCHEME], own_level[WATCH] = width, settings[SET_SCHEME], settings[SET_WATCH]
    own_state[PLAYER] = player
    floor = goals = 0
    for square in range(squares):
        cell, box, row, column = level[CELLS + square], box_on(state, square), square // width, square % width
        at_edge = row == 0 or row == height - 1 or column == 0 or column == width - 1
        if cell & WALL:
            if cell & GOAL or box:
                return False
        elif at_edge:
            return False
        own_level[CELLS + square] = cell & (WALL | GOAL)
        flip_box(own_state, square, box)
        floor += cell & WALL == 0
        goals += cell & GOAL != 0
    if count_reached(own_level, player) != floor:
        return False
    finish(own_level, own_state)
    if goals != own_level[COUNT] or own_state[ASTRAY] == 0:
        return False
    return same(level, own_level) and same(state, own_state) and not stuck(own_level, own_state)


@routine
def count_reached(level, player):
    """Return the number of squares that the player could reach without boxes; walls must be on all edges."""
    queue, seen = np.empty(level.shape[0], np.int16), np.zeros(level.shape[0], np.uint8)
    queue[0] = player
    seen[player] = 1
    first, count = 0, 1
    while first < count:
        for action in range(4):
            there = ahead(level, queue[first], action)
            if not (seen[there] or level[CELLS + there] & WALL):
                seen[there] = 1
                queue[count] = there
                count += 1
        first += 1
    return count


def _check_board(rows: Sequence[str], place: Place) -> tuple[tuple[str, ...], str]:
    """Check what must hold at any time during play; returns the result of :func:`check` and the player's position.

    Raises:
        LevelError: The board is invalid.
    """
    height, width = len(rows), max(map(len, rows))
    if max(height, width) > LARGEST:
        raise LevelError(f"{place(0, 0)}: a board of {width}x{height} squares; the maximum is {LARGEST} per side")
    if height * width > MOST_SQUARES:
        raise LevelError(
            f"{place(0, 0)}: a board of {width}x{height} squares; the maximum is {MOST_SQUARES:,} squares in all"
        )
    # A blank column on the right and blank rows above and below are added, so that each step off the board, even
    # sideways, leads to one of these squares.
    stride = width + 1
    margin = " " * stride
    text = margin + "".join([row.ljust(stride) for row in rows]) + margin

    def where(square: int) -> str:
        row, column = divmod(square, stride)
        return place(row - 1, column)

    player = _one_player(text, where)
    inside = _reached(text, player, stride)
    if inside[0] == "1":
        exit = _first_exit(text, player, stride, width)
        raise LevelError(
            f"{where(exit)}: the walls are open here: the player at {where(player)} gets out; "
            "walls must enclose everything that he can reach"
        )
    canonical = "".join([symbol if free == "1" else "#" for symbol, free in zip(text, inside, strict=True)])
    _check_unreachable(text, canonical, where)
    _check_counts(canonical, player, where)
    return tuple(canonical[row : row + width] for row in range(stride, len(text) - stride, stride)), where(player)


def _one_player(text: str, where: Callable[[int], str]) -> int:
    """Return the player's square."""
    players = [found.start() for found in _PLAYER.finditer(text)]
    if not players:
        first = next((square for square, symbol in enumerate(text) if symbol != " "), 0)
        raise LevelError(f"{where(first)}: no player in this level; it needs one, @ or + on a goal")
    if len(players) > 1:
        raise LevelError(
            f"{where(players[1])}: a second player, the first is at {where(players[0])}; exactly one is allowed"
        )
    return players[0]


def _reached(text: str, player: int, stride: int) -> str:
    """Return ``"1"`` for each square that the player could reach without boxes, otherwise ``"0"``."""
    reached = flood(int(text.translate(_WALLS), 2), 1 << (len(text) - 1 - player), stride)
    return f"{reached:0{len(text)}b}"


def _first_exit(text: str, player: int, stride: int, width: int) -> int:
    """Return the nearest square at the edge of the board through which the player can leave."""
    came, wave = {player}, [player]
    rows = len(text) // stride
    while True:
        for square in wave:
            row, column = divmod(square, stride)
            if row in (1, rows - 2) or column in (0, width - 1):
                return square
        ahead = {square + step for square in wave for step in (-stride, -1, 1, stride)}
        wave = sorted(square for square in ahead - came if text[square] != "#")
        came |= ahead


def _check_unreachable(text: str, canonical: str, where: Callable[[int], str]) -> None:
    """Check that unreachable squares have no box without a goal and no goal without a box."""
    for symbol, what in ("$", "this box cannot be reached by the player"), (".", "the player cannot reach this goal"):
        if text.count(symbol) != canonical.count(symbol):
            square = next(square for square, there in enumerate(text) if there == symbol != canonical[square])
            raise LevelError(f"{where(square)}: {what}; only boxes on goals are allowed beyond his reach")


def _check_counts(text: str, player: int, where: Callable[[int], str]) -> None:
    """Check that there are as many goals as boxes, and at least one."""
    boxes = text.count("$") + text.count("*")
    goals = text.count(".") + text.count("*") + text.count("+")
    if boxes == 0:
        raise LevelError(f"{where(player)}: the player can reach no box; a level needs one, $ or * on a goal")
    if boxes != goals:
        more = BOX_SYMBOLS if boxes > goals else GOAL_SYMBOLS
        first = where(next(square for square, symbol in enumerate(text) if symbol in more))
        raise LevelError(
            f"{first}: {plural(boxes, 'box', 'boxes')} but {plural(goals, 'goal')} "
            "within the player's reach; there must be as many boxes as goals"
        )


def _check_movable(rows: Sequence[str], place: Place) -> None:
    """Raise LevelError if a simple test shows that the level cannot be solved."""
    level, state = encode_rows(rows, (len(rows), len(rows[0])), CheckOptions())
    if not is_stuck(level, state):
        return
    # Boxes are removed one by one as long as the level remains stuck; the remaining ones are the reason.
    boxes = [square for square, symbol in enumerate("".join(rows)) if symbol in BOX_SYMBOLS]
    for square in list(boxes):
        fewer = state.copy()
        flip_box(fewer, square)
        if is_stuck(level, fewer):
            state = fewer
            boxes.remove(square)
    places = [place(*divmod(square, len(rows[0]))) for square in boxes]
    if len(boxes) == 1 and level[CELLS + boxes[0]] & DEAD:
        raise LevelError(f"{places[0]}: this box can never be brought to a goal from here")
    others = f", as do those at {', '.join(places[1:4])}" if places[1:] else ""
    more = f" and {len(places) - 4} more" if len(places) > 4 else ""
    raise LevelError(f"{places[0]}: this box is frozen from the start: walls and boxes block it{others}{more}")
