"""What every search loop and the driver behind it agree on: why a loop stops, and the arrays it is given."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int16, int64, types, uint8, uint64

from gridpuzzles_gym.engine.kernels import EXPAND_SIGNATURE
from gridpuzzles_gym.engine.random import RandomBits

from .heuristic import HEURISTIC_SIGNATURE, Tables

# Why a loop stopped: budget used up, goal reached, nothing left, no room in its arrays; something left out is
# left, but no way on (incomplete searches).
PAUSED, REACHED, EMPTIED, FULL, STALLED = range(5)

# control int64[OWN + n]: what a loop is to do and has done; from OWN on each loop has numbers of its own.
# CUT: 1 once something was left out because of the depth limit. AT: the node of the goal.
# BEST: the node with the lowest estimate met, LEAST.
BUDGET, EXPANDED, GENERATED, REOPENED, DEEPEST, CUT, AT, BEST, LEAST, OWN = range(10)

UNBOUNDED = 2**31 - 1
"""A depth limit that is none."""


class Instance(NamedTuple):
    """What every loop needs of the problem, and the room to expand one state."""

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
