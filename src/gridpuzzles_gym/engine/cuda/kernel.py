"""The kernel of a GPU: each of its threads steps one environment, as a batch of one, by the loop of all batches."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, types

from ..compile.compilation import rule
from ..compile.memory import copy_from, frame_reader
from ..kernels import FRAME, step_batch_of
from ..puzzle import Puzzle

SIGNATURE = types.void(types.int64, types.int64, types.int64)
"""The signature of every ``step_each``."""


@rule
def _itself(arrays):
    return arrays


def step_each_of(
    puzzle: Puzzle, observation: str, views: tuple[np.dtype[Any], int], kind: Any = types.Array
) -> Callable[..., None]:
    """Make the kernel of a puzzle.

    Where rules add a product of rewards, a GPU rounds once and the CPU twice: results are equal if the products are
    exact, as those of whole numbers are.

    Args:
        puzzle: The puzzle.
        observation: A key of ``puzzle.observations``.
        views: The dtype of ``views`` and the number of its axes.
        kind: Numba's class of the types of arrays.

    Returns:
        ``step_each(arguments, given, size)``: ``arguments`` is the address of a frame of the arrays of a batch of
        ``size`` environments, described in :mod:`~gridpuzzles_gym.engine.batch` (``due`` has 2 * ``size`` entries), of
        its ``views``, and of ``faults``, int64[1]; ``given`` is the address of int64[size] that are copied to
        ``actions``. On an error of environment ``i``, ``faults`` becomes what ``step_batch`` would return, as
        ``-1 - result``, the smallest of all, and the environment stays as it is. Nothing is done while ``faults`` is
        below 2 * ``size``.
    """
    step_batch = rule(step_batch_of(puzzle, observation, _itself, _itself))
    arrays_of, arguments_of = frame_reader(FRAME.values(), kind), frame_reader([(np.int64, 2), views, (np.int64, 1)])

    def step_each(arguments, given, size):
        i = cuda.grid(1)  # type: ignore[attr-defined]  # numba makes it
        if i < size:
            frame, views, faults = arguments_of(arguments)
            if faults[0] == 2 * size:
                actions, levels, starts, befores, states, random_bits, counters, metrics = arrays_of(frame)[:8]
                scores, ends, idle, due, masks, blocks, control = arrays_of(frame)[8:]
                copy_from(given + i * actions.itemsize, actions[i : i + 1])
                rows = actions[i : i + 1], levels[i::size], starts[i : i + 1], befores[i : i + 1], states[i : i + 1]
                columns = random_bits[i : i + 1], counters[:, i : i + 1], metrics[:, i : i + 1], scores[:, i : i + 1]
                ending = ends[:, i : i + 1], idle[i : i + 1], due[i::size], masks[i : i + 1]
                result = step_batch((*rows, *columns, *ending, blocks, control), views[i::size])
                if result < 0:
                    cuda.atomic.min(faults, 0, i + (-1 - result) * size)  # type: ignore[attr-defined]  # as above

    return step_each
