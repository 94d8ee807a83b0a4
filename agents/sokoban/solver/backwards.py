"""A level read backwards: boxes start on the goals, and are pulled to their squares at the start.

Unpacking is often easy where packing is hard, so a search in this direction solves many levels that are hard forwards.
Boards in both directions have the same square numbers, so that positions can be compared.
"""

import numpy as np
import numpy.typing as npt

from .board import Board, aimed


def reversed_board(board: Board, boxes: npt.NDArray[np.int16]) -> Board:
    """Return the board on which boxes are pulled from the goals of ``board`` to the squares ``boxes`` (int16[k])."""
    return aimed(board, boxes, pushed=0)
