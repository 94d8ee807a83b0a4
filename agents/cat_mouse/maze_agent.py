"""Base of the Cat and Mouse agents: reads batches of mazes from planes, and chooses actions for all of them."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.boards import row_lengths
from gridpuzzles_gym.puzzles.cat_mouse.observing import CAT_PLANE, EXIT_PLANE, MOUSE_PLANE, PLANES, WALL_PLANE
from gridpuzzles_gym.puzzles.cat_mouse.rules import BLOCKED, CAT, CATS, CELLS, EXIT, MOUSE, WALL, lay_out

from ..policy import BatchAgent, State
from ..thoughts import Square

Rows = npt.NDArray[np.int16]
"""Level rows int16[B, L] or state rows int16[B, S]."""


class MazeAgent(BatchAgent):
    """An agent that decides by rows (level, state), decoded from ``observation="planes"``.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not.

    Raises:
        ValueError: The environment's observation is not planes.
    """

    def __init__(self, env: Any) -> None:
        config = config_of(env)
        if config.observation != "planes":
            raise ValueError(f"observation={quote(config.observation)}: this agent requires 'planes'")
        self.extent, self.blocked = config.extent, config.options.cat_blocked
        self.shape = (len(PLANES), *self.extent)

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]; may modify ``memory``."""
        raise NotImplementedError

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Return what :meth:`decide` returns for the rows that the views show."""
        return self.decide(*self.read(views), starting, memory)

    def read(self, views: npt.NDArray[Any]) -> tuple[Rows, Rows]:
        """Return the rows (levels, states) that a batch of planes shows."""
        levels, states = (np.zeros((len(views), size), np.int16) for size in row_lengths(self.extent))
        planes = np.ascontiguousarray(views, np.uint8).reshape(len(views), len(PLANES), -1)
        make_read_batch()(planes, self.extent[1], self.blocked, levels, states)
        return levels, states

    def read_one(self, view: npt.NDArray[Any]) -> tuple[Row, Row]:
        """Return the rows (level, state) that one observation shows."""
        levels, states = self.read(np.asarray(view)[None])
        return levels[0], states[0]

    def places(self, squares: Iterable[int]) -> tuple[Square, ...]:
        """Squares as (row, column)."""
        return tuple(divmod(square, self.extent[1]) for square in squares)


@rule
def read(view, stride, blocked, level, state):
    """Fill the rows that one observation shows: the puzzle's own ``decode``, for observations known to be valid."""
    cats = 0
    state[:] = -1
    for square in range(view.shape[1]):
        level[CELLS + square] = view[WALL_PLANE, square] * WALL
        if view[EXIT_PLANE, square]:
            level[EXIT] = square
        if view[MOUSE_PLANE, square]:
            state[MOUSE] = square
        if view[CAT_PLANE, square]:
            state[CAT + cats] = square
            cats += 1
    level[CATS] = cats
    level[BLOCKED] = blocked
    lay_out(level, stride)


@functools.cache
def make_read_batch() -> Callable[..., None]:
    """``read_batch(planes, stride, blocked, levels, states)``, compiled at its first use."""

    def read_batch(planes, stride, blocked, levels, states):
        for i in range(planes.shape[0]):
            read(planes[i], stride, blocked, levels[i], states[i])

    return compiled(read_batch, "cat-mouse-read")
