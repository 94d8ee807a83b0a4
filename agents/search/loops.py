"""What all search loops share with the code that drives them: why a loop stopped, and the arrays it works on."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int16, int64, types, uint8, uint64

from gridpuzzles_gym.engine.kernels import EXPAND_SIGNATURE
from gridpuzzles_gym.engine.random import RandomBits

from .heuristic import HEURISTIC_SIGNATURE, Tables

# Why a loop stopped: budget used up, goal reached, nothing left to expand, arrays full; or, for incomplete searches,
# stuck: states may be left, but there is no step to take.
PAUSED, REACHED, EMPTIED, FULL, STALLED = range(5)

# control int64[OWN + n]: the loop's parameters and counters; from OWN on they are particular to each loop.
# CUT: 1 once a state was left out because of the depth limit. AT: the goal node.
# BEST: the node with the lowest estimate found, LEAST.
BUDGET, EXPANDED, GENERATED, REOPENED, DEEPEST, CUT, AT, BEST, LEAST, OWN = range(10)

UNBOUNDED = 2**31 - 1
"""The depth limit that means no limit."""


class Instance(NamedTuple):
    """The problem as the loops take it, and scratch arrays for expanding one state."""

    level: npt.NDArray[np.int16]
    costs: npt.NDArray[np.int64]
    tables: Tables
    rng: RandomBits
    successors: npt.NDArray[np.int16]
    rewards: npt.NDArray[np.float64]
    flags: npt.NDArray[np.uint8]
    control: npt.NDArray[np.int64]


INSTANCE = types.NamedTuple(
    (
        int16[::1],
        int64[::1],
        uint8[::1],
        uint64[::1],
        types.Array(int16, 2, "C"),
        float64[::1],
        uint8[::1],
        int64[::1],
    ),
    Instance,
)
EXPAND, EVALUATE = types.FunctionType(EXPAND_SIGNATURE), types.FunctionType(HEURISTIC_SIGNATURE)
