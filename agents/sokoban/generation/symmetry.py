"""A key for Sokoban boards that is equal for the same level rotated, mirrored, or with thicker walls.

The player's square does not matter within his reach; any other board has a different key.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.puzzles.sokoban.boards import BOX_SYMBOLS, GOAL_SYMBOLS, PLAYER_SYMBOLS, WALL_SYMBOLS

from ...orientations import first_orientation

_SYMBOLS = "#@+$*. -_"
_BITS = [
    str.maketrans(_SYMBOLS, "".join(str(int(symbol in those)) for symbol in _SYMBOLS))
    for those in (WALL_SYMBOLS, GOAL_SYMBOLS, BOX_SYMBOLS, PLAYER_SYMBOLS)
]
"""For walls, goals, boxes and the player: 1 for symbols that contain them, 0 for all others."""


def canonical_key(rows: Sequence[str]) -> bytes:
    """Return the key of a board, equal for all its eight orientations.

    Walls around it, and everything else the player can never reach, do not count; nor does the player's exact square
    within the squares he can reach before the first push.

    Args:
        rows: Plain XSB, as in a level's content: the player's area is enclosed by walls.

    Returns:
        Height and width, then one byte per square, of the lexicographically first orientation.
    """
    cells = _cells(rows)
    inside = cells != 0
    cells = cells[inside.any(1)][:, inside.any(0)]
    return first_orientation(cells)


def _cells(rows: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Return uint8[H, W]: 0 where the player can never be, else 1, + 2 for a goal, 4 for a box, 8 where he can walk."""
    width = max(map(len, rows))
    text = "".join([row.ljust(width, "#") for row in rows])
    walls, goals, boxes, player = (int(text.translate(table), 2) for table in _BITS)
    inside = _flood(player, ~walls, width)
    near = _flood(player, inside & ~boxes, width)
    cells = np.zeros(len(text), np.uint8)
    for bit, plane in enumerate((inside, goals & inside, boxes & inside, near)):
        cells |= (np.frombuffer(f"{plane:0{len(text)}b}".encode("ascii"), np.uint8) & 1) << bit
    return cells.reshape(-1, width)


def _flood(start: int, free: int, width: int) -> int:
    """Return all squares connected to the first ones; one bit per square, the first square's the highest."""
    found, before = start, 0
    while found != before:
        before = found
        found |= (found << 1 | found >> 1 | found << width | found >> width) & free
    return found
