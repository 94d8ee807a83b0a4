"""Which squares of a cave the agent knows."""

import numpy as np
import numpy.typing as npt

from ...engine.scene import Row
from .rules import CELLS, HEIGHT, SEEN, WALL, WIDTH


def known_squares(level: Row, state: Row) -> npt.NDArray[np.bool_]:
    """Return the squares that the agent knows: those it has visited, and rock next to them, bool[H, W]."""
    shape = int(level[HEIGHT]), int(level[WIDTH])
    seen = state[SEEN:].reshape(shape) == 1
    adjacent = np.zeros_like(seen)
    adjacent[1:] |= seen[:-1]
    adjacent[:-1] |= seen[1:]
    adjacent[:, 1:] |= seen[:, :-1]
    adjacent[:, :-1] |= seen[:, 1:]
    rock = level[CELLS:].reshape(shape) & WALL != 0
    known: npt.NDArray[np.bool_] = seen | adjacent & rock
    return known
