"""The interface of incremental heuristics for IDA*, which compute the change of the estimate with a move."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.scene import Row

from ..search.heuristic import Heuristic, Tables

Numbers = npt.NDArray[np.int64]


def _level_numbers(level: Row, tables: Tables) -> Numbers:
    return level.astype(np.int64)


def _no_memory(level: Row, state: Row, tables: Tables, numbers: Numbers, memory: Numbers) -> None:
    return None


@dataclasses.dataclass(frozen=True)
class Incremental:
    """A heuristic that computes the change of its estimate with each move."""

    heuristic: Heuristic
    """The same estimate, computed from scratch."""
    change: Callable[..., Any]
    """``change(tables, numbers, memory, at, board, tile, square, blank, action) -> int``, a rule.

    The increase of the estimate as the blank, by ``action``, changes places with ``tile`` on ``square``;
    ``board`` (uint8[N], the tile on each square) is the one before the move, except that the blank's square is
    undefined. The memory of the state before is at ``memory[at]``, of the state after at ``memory[at + remembers]``."""
    remembers: int = 0
    """Number of integers that it stores per state."""
    numbers: Callable[[Row, Tables], Numbers] = _level_numbers
    """``numbers(level, tables) -> int64[…]``: further lookup tables."""
    start: Callable[..., None] = _no_memory
    """``start(level, state, tables, numbers, memory)``: fill in ``memory[:remembers]`` for a state."""
