"""Memories without weights, in training: computed once per step, and used like observations."""

from typing import Any

import numpy as np

from ...networks.network import Network
from ...networks.operations import NUMPY, Array, Operations


class FixedMemory:
    """The memories of a batch of episodes that :meth:`.Network.remember` computes; empty if a network has none.

    Args:
        network: The network; the numbers of its memory are integers from 0 to 255.
        count: B, the number of environments.
        ops: The operations; they say of what kind all arrays are.
    """

    def __init__(self, network: Network, count: int, ops: Operations = NUMPY) -> None:
        self._network, self._ops = network, ops
        self._memory = ops.array(np.zeros((count, 0 if network.learns_memory else network.memory), np.uint8))

    def seen(self, observations: Array, envs: Any = slice(None)) -> Array:
        """Return the input of the network's first layer; changes nothing.

        Args:
            observations: The observations of these environments.
            envs: Their numbers, int64[n]; all by default.
        """
        view = self._network.view(self._ops, observations)
        return self._network.remember(self._ops, view, self._memory[envs])

    def acted(self, seen: Array, actions: Array) -> None:
        """Add a step to the memories: the input in all environments, and the chosen actions, int64[B]."""
        if self._memory.shape[1]:
            count = self._network.actions
            self._memory[:, :-count] = seen
            self._memory[:, -count:] = self._ops.range(count) == actions[:, None]

    def forget(self, envs: Array) -> None:
        """Reset the memories of some environments, bool[B], where episodes begin."""
        self._memory *= ~envs[:, None]
